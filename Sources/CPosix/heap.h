#ifndef WATCHPROTO_CPOSIX_HEAP_H
#define WATCHPROTO_CPOSIX_HEAP_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Gives memory that was freed back to the system, as far as the C library can. */
static inline void watchproto_return_freed_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

#ifdef __linux__
#include <link.h>
/* The linker's name for the header of the object that this code is in. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
#endif

/* Gives back the pages of the program's code, and of what else it only reads, that are in memory.
   The system reads such a page again, from its cache of files, when it is used: code that only the
   start needs then takes no memory. Segments that the program may write stay. A breakpoint that a
   debugger has put into the code before is gone. */
static inline void watchproto_return_program_pages(void) {
#ifdef __linux__
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t base = (uintptr_t)&__ehdr_start;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);
    uintptr_t first = 0;
    for (int i = __ehdr_start.e_phnum - 1; i >= 0; i--)
        if (segments[i].p_type == PT_LOAD) first = segments[i].p_vaddr - segments[i].p_offset;
    for (int i = 0; i < __ehdr_start.e_phnum; i++) {
        if (segments[i].p_type != PT_LOAD || (segments[i].p_flags & PF_W)) continue;
        uintptr_t start = base + segments[i].p_vaddr - first;
        uintptr_t from = (start + page - 1) & ~(page - 1);
        uintptr_t to = (start + segments[i].p_filesz) & ~(page - 1);
        if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
    }
#endif
}

/* For a process with little memory; before its first thread. From now on memory of 128 KiB and more
   goes back to the system as soon as it is free. Otherwise the C library keeps ever larger pieces:
   tables that grow leave them behind. All threads share one heap. With a heap each, memory that one
   of them has given back serves no other. */
static inline void watchproto_save_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_ARENA_MAX, 1);
#endif
}

#endif
