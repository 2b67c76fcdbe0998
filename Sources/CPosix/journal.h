#ifndef WATCHPROTO_CPOSIX_JOURNAL_H
#define WATCHPROTO_CPOSIX_JOURNAL_H

/* What opening a journal needs of files. */

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What stands at a path: 0 nothing, 1 a regular file, 2 a directory, 3 something else, or -1 with
   errno. A symbolic link counts as what it leads to. */
static inline int watchproto_file_kind(const char *path, unsigned long long *size) {
    struct stat found;
    if (stat(path, &found) != 0) return errno == ENOENT ? 0 : -1;
    *size = (unsigned long long)found.st_size;
    return S_ISREG(found.st_mode) ? 1 : S_ISDIR(found.st_mode) ? 2 : 3;
}

/* Which file stands at a path, by device and inode. Returns 0, or -1 with errno. */
static inline int watchproto_file_identity(const char *path, uint64_t *device, uint64_t *inode) {
    struct stat found;
    if (stat(path, &found) != 0) return -1;
    *device = (uint64_t)found.st_dev;
    *inode = (uint64_t)found.st_ino;
    return 0;
}

/* How many names a file has. Returns 0 where nothing stands at the path, or -1 with errno. */
static inline long watchproto_file_names(const char *path) {
    struct stat found;
    if (stat(path, &found) != 0) return errno == ENOENT ? 0 : -1;
    return (long)found.st_nlink;
}

/* Whether a symbolic link stands at a path. */
static inline int watchproto_is_link(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
}

/* Whether what is written below a directory goes to memory (tmpfs, ramfs) and to no disk. */
static inline int watchproto_is_in_memory(const char *path) {
    struct statfs found;
    if (statfs(path, &found) != 0) return 0;
    return found.f_type == 0x01021994 || found.f_type == (__fsword_t)0x858458f6;
}

/* Opens a file to read it, without waiting where it is none. Returns the descriptor, or -1 with errno. */
static inline int watchproto_open_to_read(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Opens a lock file, made if need be, for its owner only. Returns the descriptor, or -1 with errno. */
static inline int watchproto_open_lock(const char *path) {
    struct stat found;
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (descriptor < 0) return -1;
    if (fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink == 1)
        return descriptor;
    close(descriptor);
    errno = ELOOP;
    return -1;
}

/* Claims an open file until the descriptor is closed. Returns 0, or -1 with errno. */
static inline int watchproto_claim(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

/* Gives the claim up, also where a child of a fork still has the descriptor. */
static inline int watchproto_unclaim(int descriptor) { return flock(descriptor, LOCK_UN); }

/* Gives a file another name, where nothing has that name yet. Returns 0, or -1 with errno, EEXIST when
   something has. A file system that cannot be asked so is given the name as a second one first. */
static inline int watchproto_rename_new(const char *from, const char *to) {
    const unsigned int no_replace = 1;
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, no_replace) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    if (link(from, to) != 0) return -1;
    return unlink(from);
}

/* Makes the names in a directory durable. Returns 0, or -1 with errno. */
static inline int watchproto_sync_directory(const char *path) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    int result = fsync(descriptor);
    int saved = errno;
    close(descriptor);
    errno = saved;
    return result;
}

#endif
