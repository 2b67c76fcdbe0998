#ifndef WATCHPROTO_CPOSIX_UDP_H
#define WATCHPROTO_CPOSIX_UDP_H

/* UDP on this host, with addresses as plain numbers. */

#include "shim.h"
#include <netinet/in.h>
#include <sys/epoll.h>

/* An address and port: `family` 4 with the address in `low`, or 6 with both halves; host byte order. */
typedef struct {
    unsigned long long high, low;
    unsigned short port;
    unsigned char family;
} watchproto_place;

static inline socklen_t watchproto_place_to_address(
    const watchproto_place *place, struct sockaddr_storage *address) {
    memset(address, 0, sizeof(*address));
    if (place->family == 6) {
        struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(place->port);
        for (int index = 0; index < 8; index++) {
            six->sin6_addr.s6_addr[index] = (unsigned char)(place->high >> (56 - 8 * index));
            six->sin6_addr.s6_addr[8 + index] = (unsigned char)(place->low >> (56 - 8 * index));
        }
        return sizeof(*six);
    }
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    four->sin_family = AF_INET;
    four->sin_port = htons(place->port);
    four->sin_addr.s_addr = htonl((unsigned int)place->low);
    return sizeof(*four);
}

static inline void watchproto_place_from_address(
    const struct sockaddr_storage *address, watchproto_place *place) {
    memset(place, 0, sizeof(*place));
    if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
        place->family = 6;
        place->port = ntohs(six->sin6_port);
        for (int index = 0; index < 8; index++) {
            place->high = place->high << 8 | six->sin6_addr.s6_addr[index];
            place->low = place->low << 8 | six->sin6_addr.s6_addr[8 + index];
        }
    } else if (address->ss_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)address;
        place->family = 4;
        place->port = ntohs(four->sin_port);
        place->low = ntohl(four->sin_addr.s_addr);
    }
}

/* A UDP socket bound to `place`, non-blocking and closed on exec, with as much room as the system
   gives. With `tells_refusals` it hears that nobody has a port it sent to. Gives -1 with errno. */
static inline int watchproto_udp_open(const watchproto_place *place, int tells_refusals) {
    struct sockaddr_storage address;
    socklen_t size = watchproto_place_to_address(place, &address);
    int descriptor = socket(address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    /* Wishes: where the system grants less, less it is. */
    int on = 1, room = 4 << 20;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
    if (tells_refusals) {
        if (place->family == 6) {
            setsockopt(descriptor, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof(on));
        } else {
            setsockopt(descriptor, IPPROTO_IP, IP_RECVERR, &on, sizeof(on));
        }
    }
    if (place->family == 6) {
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    }
    if (bind(descriptor, (struct sockaddr *)&address, size) != 0) {
        int saved = errno;
        close(descriptor);
        errno = saved;
        return -1;
    }
    return descriptor;
}

/* Where the socket is bound. Returns 0, or -1 with errno. */
static inline int watchproto_udp_own_place(int descriptor, watchproto_place *place) {
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return -1;
    watchproto_place_from_address(&address, place);
    return 0;
}

/* Sends `header` and `bytes` as one datagram to `place`. */
static inline ssize_t watchproto_udp_send(
    int descriptor, const unsigned char *header, size_t header_size, const void *bytes,
    size_t count, const watchproto_place *place) {
    struct sockaddr_storage address;
    struct iovec parts[2] = {{(void *)header, header_size}, {(void *)bytes, count}};
    struct msghdr message;
    memset(&message, 0, sizeof(message));
    message.msg_name = &address;
    message.msg_namelen = watchproto_place_to_address(place, &address);
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    return sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Receives one datagram, its first bytes into `header`, the rest into `bytes`; gives its true length,
   which may exceed both, who sent it, and how many nanoseconds ago it came (0 where unknown). */
static inline ssize_t watchproto_udp_receive(
    int descriptor, unsigned char *header, size_t header_size, void *bytes, size_t capacity,
    watchproto_place *source, unsigned long long *age) {
    struct sockaddr_storage address;
    struct iovec parts[2] = {{header, header_size}, {bytes, capacity}};
    union { struct cmsghdr head; char room[256]; } control;
    struct msghdr message;
    memset(&message, 0, sizeof(message));
    message.msg_name = &address;
    message.msg_namelen = sizeof(address);
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    message.msg_control = control.room;
    message.msg_controllen = sizeof(control.room);
    ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT | MSG_TRUNC);
    if (count < 0) return count;
    watchproto_place_from_address(&address, source);
    *age = 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SO_TIMESTAMPNS) continue;
        struct timespec came, now;
        memcpy(&came, CMSG_DATA(part), sizeof(came));
        clock_gettime(CLOCK_REALTIME, &now);
        long long passed = (now.tv_sec - came.tv_sec) * 1000000000ll + (now.tv_nsec - came.tv_nsec);
        /* A wall clock that was set in between says nothing. */
        if (passed > 0 && passed < 1000000000ll) *age = (unsigned long long)passed;
    }
    return count;
}

/* Takes the news that nobody has a port that was sent to. Gives 1 with the place, 0 when there is
   none. */
static inline int watchproto_udp_take_refusal(int descriptor, watchproto_place *place) {
    struct sockaddr_storage address;
    char byte;
    struct iovec part = {&byte, 1};
    union { struct cmsghdr head; char room[512]; } control;
    struct msghdr message;
    memset(&message, 0, sizeof(message));
    message.msg_name = &address;
    message.msg_namelen = sizeof(address);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.room;
    message.msg_controllen = sizeof(control.room);
    if (recvmsg(descriptor, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return 0;
    watchproto_place_from_address(&address, place);
    return 1;
}

/* Lets the calling thread run as soon as it is awake, where the system allows that (root). Returns 0,
   or an error number. */
static inline int watchproto_run_first(void) {
    struct sched_param wish;
    memset(&wish, 0, sizeof(wish));
    wish.sched_priority = 1;
    return pthread_setschedparam(pthread_self(), SCHED_RR, &wish);
}

/* A set of descriptors, itself readable while one of them is. Returns it, or -1 with errno. */
static inline int watchproto_epoll_open(void) {
    int set = epoll_create1(EPOLL_CLOEXEC);
    /* Nobody reads it: that it does not block is what every descriptor here promises. */
    if (set >= 0) fcntl(set, F_SETFL, O_NONBLOCK);
    return set;
}

/* Puts a descriptor into the set under a name. Returns 0, or -1 with errno. */
static inline int watchproto_epoll_add(int set, int descriptor, unsigned long long name) {
    struct epoll_event event;
    memset(&event, 0, sizeof(event));
    event.events = EPOLLIN;
    event.data.u64 = name;
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

/* Takes it out again. Returns 0, or -1 with errno. */
static inline int watchproto_epoll_remove(int set, int descriptor) {
    struct epoll_event event;
    memset(&event, 0, sizeof(event));
    return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, &event);
}

/* The names of those that are readable now, `limit` of 64 at most. Returns how many. */
static inline int watchproto_epoll_ready(int set, unsigned long long *names, int limit) {
    struct epoll_event events[64];
    int count = epoll_wait(set, events, limit < 64 ? limit : 64, 0);
    for (int index = 0; index < count; index++) names[index] = events[index].data.u64;
    return count;
}

/* A descriptor that is readable while one of the two is. Returns it, or -1 with errno. */
static inline int watchproto_either_readable(int first, int second) {
    int both = epoll_create1(EPOLL_CLOEXEC);
    if (both < 0) return -1;
    struct epoll_event event;
    memset(&event, 0, sizeof(event));
    event.events = EPOLLIN;
    /* Nobody reads it: that it does not block is what every descriptor here promises. */
    if (fcntl(both, F_SETFL, O_NONBLOCK) != 0
        || epoll_ctl(both, EPOLL_CTL_ADD, first, &event) != 0
        || epoll_ctl(both, EPOLL_CTL_ADD, second, &event) != 0) {
        int saved = errno;
        close(both);
        errno = saved;
        return -1;
    }
    return both;
}

#endif
