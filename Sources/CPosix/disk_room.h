#ifndef WATCHPROTO_CPOSIX_DISK_ROOM_H
#define WATCHPROTO_CPOSIX_DISK_ROOM_H

/* How a rig takes the room from the disk of a program it runs, and looks at what that costs it. */

#include "shim.h"
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Limits how long files the process writes may become, in bytes; all bits set for no limit. Its
   hard limit stays. Returns 0, or -1 with errno. */
static inline int watchproto_limit_files(pid_t process, unsigned long long bytes) {
    struct { unsigned long long soft, hard; } limit;
    if (syscall(SYS_prlimit64, process, RLIMIT_FSIZE, NULL, &limit) != 0) return -1;
    limit.soft = bytes < limit.hard ? bytes : limit.hard;
    return (int)syscall(SYS_prlimit64, process, RLIMIT_FSIZE, &limit, NULL);
}

/* Gives the calling thread, and the programs it starts from now on, mounts of their own, which
   nobody else sees and which go with them. Returns 0, or -1 with errno. */
static inline int watchproto_own_mounts(void) {
    const int new_mounts = 0x00020000; /* CLONE_NEWNS */
    if (syscall(SYS_unshare, new_mounts) != 0) return -1;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* Mounts a file system in memory of so many bytes at the directory. Returns 0, or -1 with errno. */
static inline int watchproto_mount_memory(const char *directory, const char *size_option) {
    return mount("tmpfs", directory, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, size_option);
}

/* Takes it away again, with what it holds. Returns 0, or -1 with errno. */
static inline int watchproto_unmount(const char *directory) {
    return umount2(directory, MNT_DETACH);
}

/* Fills the file system that holds the directory, but for so many bytes, with the new file `path`.
   Somebody may write there meanwhile, and the file itself may cost a page: it is tried again then,
   each time a page shorter. Returns 0, or -1 with errno. */
static inline int watchproto_fill(
    const char *directory, const char *path, unsigned long long left) {
    int failure = ENOSPC;
    for (int turn = 0; turn < 100 && failure == ENOSPC; turn++) {
        struct statvfs room;
        if (statvfs(directory, &room) != 0) return -1;
        unsigned long long bytes = (unsigned long long)room.f_bavail * room.f_frsize;
        int file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
        if (file < 0) return -1;
        failure = bytes > left ? posix_fallocate(file, 0, (off_t)(bytes - left)) : 0;
        close(file);
        left += 4096;
    }
    if (failure != 0) { errno = failure; return -1; }
    return 0;
}

/* When the content of `path` was last changed, in nanoseconds since 1970-01-01T00:00Z; -1 with errno. */
static inline long long watchproto_modification_nanoseconds(const char *path) {
    struct stat found;
    if (stat(path, &found) != 0) return -1;
    return (long long)found.st_mtim.tv_sec * 1000000000ll + found.st_mtim.tv_nsec;
}

/* The processor time the process has had, all its threads together, in nanoseconds; -1 when it
   cannot be told. */
static inline long long watchproto_processor_nanoseconds(pid_t process) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
    return (long long)time.tv_sec * 1000000000ll + time.tv_nsec;
}

#endif
