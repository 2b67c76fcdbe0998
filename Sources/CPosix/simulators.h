#ifndef WATCHPROTO_CPOSIX_SIMULATORS_H
#define WATCHPROTO_CPOSIX_SIMULATORS_H

/* What the two simulators need of the system besides the carriers. */

#include "shim.h"
#include <sys/prctl.h>
#include <sys/signalfd.h>

/* Blocks SIGTERM and SIGINT (and SIGHUP) in the calling thread and those it starts, and gives a
   descriptor that becomes readable when one comes; -1 with errno. SIGPIPE and SIGXFSZ are
   ignored: a reader that has gone and a file that has grown too large are errors of a write. */
static inline int watchproto_open_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -1;
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* The number of the signal that made the descriptor readable, or -1. */
static inline int watchproto_take_signal(int descriptor) {
    struct signalfd_siginfo info;
    return read(descriptor, &info, sizeof(info)) == (ssize_t)sizeof(info) ? (int)info.ssi_signo : -1;
}

/* A descriptor that becomes readable when the parent process ends; -1 when there is none to follow
   (started by the system, or gone already: then *is_gone is 1). A descriptor of the process, not a
   death signal, which would follow the thread that forked. */
static inline int watchproto_open_parent(int *is_gone) {
    pid_t parent = getppid();
    *is_gone = 0;
    if (parent <= 1) return -1;
    int descriptor = (int)syscall(SYS_pidfd_open, parent, 0);
    if (getppid() != parent) {
        *is_gone = 1;
        if (descriptor >= 0) close(descriptor);
        return -1;
    }
    return descriptor;
}

/* Sleeps until the moment of CLOCK_MONOTONIC. */
static inline void watchproto_sleep_until(unsigned long long nanoseconds) {
    struct timespec moment;
    moment.tv_sec = (time_t)(nanoseconds / 1000000000ull);
    moment.tv_nsec = (long)(nanoseconds % 1000000000ull);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) == EINTR) {}
}

/* Lets the calling thread's sleeps end on time: by default the kernel may add 50 microseconds. */
static inline void watchproto_sleep_exactly(void) { prctl(PR_SET_TIMERSLACK, 1ul, 0, 0, 0); }

/* A blocking Unix stream socket that listens at `path`, for its owner alone; -1 with errno. A socket
   file that nobody listens at any more is replaced, one that somebody does is left alone (EADDRINUSE),
   and so is what is no socket (ENOTSOCK):
   the directory is locked meanwhile against others who look and replace, too. */
static inline int watchproto_listen_for_control(const unsigned char *path, size_t length) {
    char name[108], directory[108];
    if (length == 0 || length >= sizeof(name)) { errno = ENAMETOOLONG; return -1; }
    memcpy(name, path, length);
    name[length] = 0;
    memcpy(directory, name, length + 1);
    char *slash = strrchr(directory, '/');
    if (slash == NULL) memcpy(directory, ".", 2);
    else slash[slash == directory] = 0;
    int lock = watchproto_lock_directory(directory, 400);
    if (lock < 0) return -1;
    int listener = -1, failure = 0;
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0 || watchproto_unix_connect(probe, path, length) == 0) {
        failure = probe < 0 ? errno : EADDRINUSE;
    } else {
        int refused = errno == ECONNREFUSED;
        struct stat found;
        int stands = lstat(name, &found) == 0;
        if (refused && stands && S_ISSOCK(found.st_mode)) unlink(name);
        listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (stands && !S_ISSOCK(found.st_mode)) {
            failure = ENOTSOCK;
            if (listener >= 0) close(listener);
            listener = -1;
        } else if (listener < 0 || watchproto_unix_bind(listener, path, length) != 0
            || listen(listener, 4) != 0) {
            failure = errno;
            if (listener >= 0) close(listener);
            listener = -1;
        }
    }
    if (probe >= 0) close(probe);
    watchproto_unlock_directory(lock);
    errno = failure;
    return listener;
}

/* Accepts a connection whose reads and writes block, closed on exec; -1 with errno. */
static inline int watchproto_accept_blocking(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

/* Opens a file for reading, closed on exec, without waiting for another side where it is a pipe or a
   device; -1 with errno. */
static inline int watchproto_open_file(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

/* What an open file is in place of a regular one, in words: empty for a regular one; NULL with errno
   when that is unknown. */
static inline const char *watchproto_special_kind(int descriptor) {
    struct stat found;
    if (fstat(descriptor, &found) != 0) return NULL;
    if (S_ISREG(found.st_mode)) return "";
    if (S_ISDIR(found.st_mode)) return "a directory";
    if (S_ISFIFO(found.st_mode)) return "a pipe";
    if (S_ISCHR(found.st_mode) || S_ISBLK(found.st_mode)) return "a device";
    return "no file";
}

/* The bytes of the open file, -1 with errno when that is unknown. */
static inline long long watchproto_file_bytes(int descriptor) {
    struct stat found;
    return fstat(descriptor, &found) == 0 ? (long long)found.st_size : -1;
}

#endif
