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

/* The memory that is in use, in bytes, without what was freed; 0 where the C library cannot tell. */
static inline size_t watchproto_used_heap_bytes(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* For a process with little memory; before its first thread. From now on memory of 128 KiB and more
   goes back to the system as soon as it is free. Otherwise the C library keeps ever larger pieces:
   tables that grow leave them behind. All threads share one heap. With a heap each, memory that one
   of them has given back serves no other. Its free end may have 512 KiB: each block of a file takes
   memory there for a moment. */
static inline void watchproto_save_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 512 << 10);
    mallopt(M_ARENA_MAX, 1);
#endif
}

#endif
