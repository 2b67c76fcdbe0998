#ifndef WATCHPROTO_CPOSIX_SHIM_H
#define WATCHPROTO_CPOSIX_SHIM_H

/* Swift cannot call variadic functions or expand function-like macros: each gets a plain name here. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Pins the calling thread to one CPU. Returns 0, or -1 with errno. */
static inline int watchproto_pin_to_cpu(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof(set), &set);
}

/* Nanoseconds of CLOCK_MONOTONIC, one clock for every process of the host. */
static inline unsigned long long watchproto_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

#endif
