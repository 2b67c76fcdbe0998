#ifndef WATCHPROTO_CPOSIX_HEAP_H
#define WATCHPROTO_CPOSIX_HEAP_H

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Gives memory that was freed back to the system, as far as the C library can. */
static inline void watchproto_return_freed_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

#endif
