internal import CPosix
internal import Glibc

/// Lets any thread wake the one that sleeps in `poll` (`eventfd`).
package final class WakeDescriptor: Sendable {
    /// Readable after ``signal()`` until ``clear()``.
    package let number: Int32

    package init() throws(SystemErrorNumber) {
        number = try retryOnInterrupt { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }.get()
    }

    package func signal() {
        _ = eventfd_write(number, 1)
    }

    package func clear() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(number, &count)
    }

    /// Blocks until somebody signals.
    package func wait() {
        var set = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while unsafe watchproto_poll(&set, 1, -1) < 0, errno == EINTR {}
        clear()
    }

    deinit { Descriptor.close(number) }
}
