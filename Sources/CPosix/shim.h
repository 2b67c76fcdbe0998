#ifndef WATCHPROTO_CPOSIX_SHIM_H
#define WATCHPROTO_CPOSIX_SHIM_H

/* Swift cannot call variadic functions or expand function-like macros: each gets a plain name here.
   So do calls whose arguments Swift can only spell by hand (sockaddr_un, timespec).

   _GNU_SOURCE must not be defined here: it changes definitions (fd_set, rusage) that Swift's Glibc
   module holds without it, and the two could not be imported together. The declarations that
   it would have given stand below. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pipe2(int[2], int);
extern int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

/* Pins the calling thread to one CPU. Returns 0, or -1 with errno. */
static inline int watchproto_pin_to_cpu(int cpu) {
    unsigned long set[16];
    const int bits = 8 * (int)sizeof(set[0]);
    if (cpu < 0 || cpu >= 16 * bits) { errno = EINVAL; return -1; }
    memset(set, 0, sizeof(set));
    set[cpu / bits] = 1ul << (cpu % bits);
    return (int)syscall(SYS_sched_setaffinity, 0, sizeof(set), set);
}

/* Nanoseconds of CLOCK_MONOTONIC, one clock for every process of the host. */
static inline unsigned long long watchproto_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

/* Nanoseconds since boot, also those in which the host slept (CLOCK_BOOTTIME). */
static inline unsigned long long watchproto_boot_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

/* Nanoseconds that the calling thread has computed (CLOCK_THREAD_CPUTIME_ID). */
static inline unsigned long long watchproto_thread_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

/* Milliseconds of CLOCK_REALTIME since 1970-01-01T00:00Z. */
static inline long long watchproto_wall_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A number of this boot of the host: another one after each boot; 0 where the host does not say. */
static inline unsigned int watchproto_boot_number(void) {
    unsigned char id[64];
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t length = read(file, id, sizeof id);
    close(file);
    unsigned int number = 2166136261u; /* FNV-1a */
    for (ssize_t place = 0; place < length; place++) number = (number ^ id[place]) * 16777619u;
    return length > 0 ? number : 0;
}

/* Local time minus UTC at `milliseconds`, in minutes. */
static inline int watchproto_zone_offset_minutes(long long milliseconds) {
    time_t seconds = (time_t)(milliseconds / 1000);
    struct tm local;
    tzset();
    if (localtime_r(&seconds, &local) == NULL) return 0;
    return (int)(local.tm_gmtoff / 60);
}

/* A descriptor that becomes readable when the wall clock is set. Returns it, or -1 with errno. */
static inline int watchproto_open_clock_watch(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (descriptor < 0) return -1;
    struct itimerspec far;
    memset(&far, 0, sizeof(far));
    far.it_value.tv_sec = ((time_t)1 << 40);
    if (timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &far, NULL) < 0) {
        int saved = errno;
        close(descriptor);
        errno = saved;
        return -1;
    }
    return descriptor;
}

/* Reading tells of the change, and waits for the next one. */
static inline void watchproto_clear_clock_watch(int descriptor) {
    unsigned long long expirations;
    if (read(descriptor, &expirations, sizeof(expirations)) < 0) return;
}

/* A descriptor that becomes readable when the moment set for it has come. Returns it, or -1 with
   errno. */
static inline int watchproto_open_timer(void) {
    return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

/* Sets the moment, in nanoseconds of CLOCK_MONOTONIC; 0 for none. An earlier expiry is forgotten. */
static inline int watchproto_set_timer(int descriptor, unsigned long long nanoseconds) {
    struct itimerspec moment;
    memset(&moment, 0, sizeof(moment));
    moment.it_value.tv_sec = (time_t)(nanoseconds / 1000000000ull);
    moment.it_value.tv_nsec = (long)(nanoseconds % 1000000000ull);
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &moment, NULL);
}

/* Waits for the descriptors. `nanoseconds` below zero waits without end. */
static inline int watchproto_poll(struct pollfd *set, unsigned long count, long long nanoseconds) {
    if (nanoseconds < 0) return ppoll(set, count, NULL, NULL);
    struct timespec wait;
    wait.tv_sec = (time_t)(nanoseconds / 1000000000);
    wait.tv_nsec = (long)(nanoseconds % 1000000000);
    return ppoll(set, count, &wait, NULL);
}

/* A new file of the caller's own to append to, closed on exec, or -1 with errno. */
static inline int watchproto_create_file(const char *path) {
    return open(path, O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
}

/* Makes a descriptor non-blocking and closed on exec. Returns 0, or -1 with errno. */
static inline int watchproto_prepare_descriptor(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return -1;
    flags = fcntl(descriptor, F_GETFD);
    if (flags < 0 || fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) < 0) return -1;
    return 0;
}

/* The access mode of a descriptor (O_RDONLY, O_WRONLY, O_RDWR), or -1 with errno. */
static inline int watchproto_access_mode(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -1 : flags & O_ACCMODE;
}

/* A copy of a descriptor, at 10 or above and closed on exec, or -1 with errno. */
static inline int watchproto_duplicate(int descriptor) {
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
}

/* Fills `address` with `path` of `length` bytes and gives the address's size, 0 when too long. */
static inline socklen_t watchproto_unix_address(
    struct sockaddr_un *address, const unsigned char *path, size_t length) {
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    if (length >= sizeof(address->sun_path)) return 0;
    memcpy(address->sun_path, path, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
}

static inline int watchproto_unix_bind(int descriptor, const unsigned char *path, size_t length) {
    struct sockaddr_un address;
    socklen_t size = watchproto_unix_address(&address, path, length);
    if (size == 0) { errno = ENAMETOOLONG; return -1; }
    /* Before it is there for anybody: the file takes the socket's mode, less the umask. */
    if (fchmod(descriptor, 0600) != 0) return -1;
    return bind(descriptor, (struct sockaddr *)&address, size);
}

static inline int watchproto_unix_connect(int descriptor, const unsigned char *path, size_t length) {
    struct sockaddr_un address;
    socklen_t size = watchproto_unix_address(&address, path, length);
    if (size == 0) { errno = ENAMETOOLONG; return -1; }
    return connect(descriptor, (struct sockaddr *)&address, size);
}

/* Sends `header` and `bytes` as one datagram to the socket bound to `path`. */
static inline ssize_t watchproto_unix_send(
    int descriptor, const unsigned char *header, size_t header_size, const void *bytes,
    size_t count, const unsigned char *path, size_t length) {
    struct sockaddr_un address;
    struct iovec parts[2] = {{(void *)header, header_size}, {(void *)bytes, count}};
    struct msghdr message;
    memset(&message, 0, sizeof(message));
    message.msg_name = &address;
    message.msg_namelen = watchproto_unix_address(&address, path, length);
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    if (message.msg_namelen == 0) { errno = ENAMETOOLONG; return -1; }
    return sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Accepts a connection, non-blocking and closed on exec. Returns it, or -1 with errno. */
static inline int watchproto_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Makes a pipe whose ends are closed on exec. Returns 0, or -1 with errno. */
static inline int watchproto_pipe(int *reading, int *writing) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    *reading = ends[0];
    *writing = ends[1];
    return 0;
}

/* Makes two connected Unix stream sockets, blocking, closed on exec. Returns 0, or -1 with errno. */
static inline int watchproto_socket_pair(int *left, int *right) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    *left = ends[0];
    *right = ends[1];
    return 0;
}

/* The system's text for an error number. */
static inline void watchproto_error_text(int number, char *text, size_t size) {
    if (strerror_r(number, text, size) != 0 && size > 0) text[0] = 0;
}

/* Makes a Unix socket of a kind: 1 stream, 2 datagram, 3 seqpacket; non-blocking, closed on exec. */
static inline int watchproto_socket(int kind) {
    static const int types[4] = {0, SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    return socket(AF_UNIX, types[kind & 3] | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Receives one datagram, its first bytes into `header`, the rest into `bytes`; gives its true length,
   which may exceed both. `*from_expected` says whether the socket bound to `path` sent it. */
static inline ssize_t watchproto_unix_receive(
    int descriptor, unsigned char *header, size_t header_size, void *bytes, size_t capacity,
    const unsigned char *path, size_t length, int *from_expected) {
    struct sockaddr_un source;
    struct iovec parts[2] = {{header, header_size}, {bytes, capacity}};
    struct msghdr message;
    memset(&message, 0, sizeof(message));
    message.msg_name = &source;
    message.msg_namelen = sizeof(source);
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT | MSG_TRUNC);
    if (count < 0) return count;
    size_t head = offsetof(struct sockaddr_un, sun_path);
    size_t size = message.msg_namelen;
    size_t named = size > head ? strnlen(source.sun_path, size - head) : 0;
    *from_expected = named == length && memcmp(source.sun_path, path, length) == 0;
    return count;
}

/* Claims the directory for a moment against others who would replace a socket in it. Gives a
   descriptor to let go with, or -1 with errno; after `tries` waits of 5 ms it goes on without. */
static inline int watchproto_lock_directory(const char *path, int tries) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && tries-- > 0) {
        struct timespec wait = {0, 5000000};
        nanosleep(&wait, NULL);
    }
    return descriptor;
}

/* Lets go of a directory. Closing alone would not while a program being started has a copy. */
static inline void watchproto_unlock_directory(int descriptor) {
    flock(descriptor, LOCK_UN);
    close(descriptor);
}

/* The status flags of a descriptor, or -1 with errno; and setting them. */
static inline int watchproto_status_flags(int descriptor) { return fcntl(descriptor, F_GETFL); }
static inline int watchproto_set_status_flags(int descriptor, int flags) {
    return fcntl(descriptor, F_SETFL, flags);
}

/* Moves standard input and output to descriptors of their own, closed on exec, and leaves the null
   device and standard error in their place, so that a stray print cannot get into the link. */
static inline int watchproto_take_standard_io(int *input, int *output) {
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0) return -1;
    *input = fcntl(0, F_DUPFD_CLOEXEC, 10);
    *output = fcntl(1, F_DUPFD_CLOEXEC, 10);
    int failed = *input < 0 || *output < 0 || dup2(null, 0) < 0 || dup2(2, 1) < 0;
    int saved = errno;
    close(null);
    if (failed) {
        if (*input >= 0) close(*input);
        if (*output >= 0) close(*output);
        errno = saved;
        return -1;
    }
    return 0;
}

/* Makes writes to a pipe without a reader fail with EPIPE instead of ending the process, unless the
   program has chosen a disposition of its own. */
static inline void watchproto_ignore_broken_pipes(void) {
    struct sigaction current;
    if (sigaction(SIGPIPE, NULL, &current) == 0 && current.sa_handler == SIG_DFL) {
        signal(SIGPIPE, SIG_IGN);
    }
}

/* Blocks every signal in the calling thread: signals belong to the program's own threads. */
static inline void watchproto_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

/* Starts `arguments[0]`, found through PATH, with `input` and `output` as its standard input and
   output and default signals. Gives 0 and the process, or an error number. */
static inline int watchproto_spawn(
    pid_t *process, char *const *arguments, char *const *environment, int input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0) return failure;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    failure = posix_spawnp(process, arguments[0], &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

/* A descriptor that becomes readable when the process ends, or -1 with errno. */
static inline int watchproto_open_process(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

/* The environment, which Swift 6 does not let one read as a global. */
static inline char **watchproto_environment(void) {
    return environ;
}

#endif
