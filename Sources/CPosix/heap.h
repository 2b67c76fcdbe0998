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

/* From now on memory of 128 KiB and more goes back to the system as soon as it is free. Otherwise
   the C library keeps ever larger pieces: tables that grow leave them behind. */
static inline void watchproto_return_large_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

#endif
