#ifndef WATCHPROTO_CPOSIX_TUNNEL_H
#define WATCHPROTO_CPOSIX_TUNNEL_H

/* A file that the kernel sends; a network of one's own with one device, whose packets a program passes on, and TCP in it. */

#include "udp.h"
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

/* Sends up to `count` bytes of a file from where its descriptor stands. */
static inline long watchproto_send_file(int socket, int file, long count) {
    return sendfile(socket, file, 0, (size_t)count);
}

/* Gives the calling thread an empty network, with one device in it that has the address `own` of a
   net of 24 bits; both are gone when everything opened in it is closed. The thread should end soon:
   it never comes back. Gives the descriptor that the device's packets are read from and written to,
   and in *space one of the network itself; or -1 with errno, and in *step the call that failed:
   0 unshare, 1 open, 2 TUNSETIFF, 3 the address, 4 the network's own file. */
static inline int watchproto_tunnel_open(unsigned int own, int packet_bytes, int *space, int *step) {
    const int new_network = 0x40000000; /* CLONE_NEWNET */
    struct ifreq request;
    struct sockaddr_in *address = (struct sockaddr_in *)&request.ifr_addr;
    int tunnel = -1, control = -1, failure = 0;
    *space = -1;
    *step = 0;
    if (syscall(SYS_unshare, new_network) != 0) return -1;
    *step = 1;
    tunnel = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (tunnel < 0) return -1;
    *step = 2;
    memset(&request, 0, sizeof(request));
    memcpy(request.ifr_name, "link0", 6);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    if (ioctl(tunnel, TUNSETIFF, &request) == 0) {
        *step = 3;
        control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        memset(&request.ifr_ifru, 0, sizeof(request.ifr_ifru));
        address->sin_family = AF_INET;
        address->sin_addr.s_addr = htonl(own);
        int is_set = control >= 0 && ioctl(control, SIOCSIFADDR, &request) == 0;
        address->sin_addr.s_addr = htonl(0xFFFFFF00u);
        is_set = is_set && ioctl(control, SIOCSIFNETMASK, &request) == 0;
        memset(&request.ifr_ifru, 0, sizeof(request.ifr_ifru));
        request.ifr_mtu = packet_bytes;
        is_set = is_set && ioctl(control, SIOCSIFMTU, &request) == 0;
        memset(&request.ifr_ifru, 0, sizeof(request.ifr_ifru));
        request.ifr_flags = IFF_UP | IFF_RUNNING;
        is_set = is_set && ioctl(control, SIOCSIFFLAGS, &request) == 0;
        if (is_set) {
            *step = 4;
            *space = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
        }
    }
    failure = errno;
    if (control >= 0) close(control);
    if (*space >= 0) return tunnel;
    close(tunnel);
    errno = failure;
    return -1;
}

/* Moves the calling thread into a network, for good. Returns 0, or -1 with errno. */
static inline int watchproto_enter_network(int space) {
    return (int)syscall(SYS_setns, space, 0x40000000);
}

/* A TCP socket that sends at once what it is given, non-blocking, closed on exec; -1 with errno. */
static inline int watchproto_tcp_open(void) {
    int on = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor >= 0) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return descriptor;
}

/* Binds a TCP socket and listens. Returns 0, or -1 with errno. */
static inline int watchproto_tcp_listen(int descriptor, const watchproto_place *place) {
    struct sockaddr_storage address;
    socklen_t size = watchproto_place_to_address(place, &address);
    if (bind(descriptor, (struct sockaddr *)&address, size) != 0) return -1;
    return listen(descriptor, 8);
}

/* Begins to connect. Returns 0 also where that goes on, or -1 with errno. */
static inline int watchproto_tcp_connect(int descriptor, const watchproto_place *place) {
    struct sockaddr_storage address;
    socklen_t size = watchproto_place_to_address(place, &address);
    if (connect(descriptor, (struct sockaddr *)&address, size) == 0) return 0;
    return errno == EINPROGRESS ? 0 : -1;
}

/* Accepts a connection, non-blocking and closed on exec; -1 with errno. */
static inline int watchproto_tcp_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Bytes that the other side has not acknowledged; -1 with errno. */
static inline int watchproto_tcp_unacknowledged(int descriptor) {
    int count = 0;
    return ioctl(descriptor, TIOCOUTQ, &count) == 0 ? count : -1;
}

/* The name of the congestion control in use, ended by a zero. Returns 0, or -1 with errno. */
static inline int watchproto_tcp_congestion(int descriptor, char *name, size_t size) {
    socklen_t length = (socklen_t)size - 1;
    memset(name, 0, size);
    return getsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, name, &length);
}

#endif
