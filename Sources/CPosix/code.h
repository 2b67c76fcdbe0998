#ifndef WATCHPROTO_CPOSIX_CODE_H
#define WATCHPROTO_CPOSIX_CODE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Lets go of the pages of the program's code, and lets the system map those alone that run from now
   on. Linux maps the 16 pages around one that is missing, as far as they are one mapping: the code
   of a start would stay, and much that never runs. Pieces with different advice are mappings of
   their own; the kernel keeps some 200 bytes of each, which no figure of the process shows. Where
   /proc is missing, all stays as it is. */
static inline void watchproto_map_used_code_only(void) {
    enum { limit = 64 };
    const uintptr_t piece = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begins[limit], ends[limit];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) return;
    char line[512], access[8];
    while (count < limit && fgets(line, sizeof line, maps)) {
        const int found = sscanf(line, "%lx-%lx %7s", &begins[count], &ends[count], access);
        if (found == 3 && access[2] == 'x' && access[1] != 'w') count += 1;
    }
    fclose(maps);
    for (int place = 0; place < count; place += 1) {
        const uintptr_t begin = begins[place], end = ends[place];
        for (uintptr_t next = begin; next < end; next += 2 * piece) {
            const uintptr_t length = end - next < piece ? end - next : piece;
            (void)madvise((void *)next, length, MADV_RANDOM);
        }
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
}

#endif
