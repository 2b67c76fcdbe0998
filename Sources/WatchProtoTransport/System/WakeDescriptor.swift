internal import CPosix
internal import Glibc
private import WatchProtoCore

/// Lets any thread wake one that sleeps in `poll` (`eventfd`).
package final class WakeDescriptor: Sendable {
    /// Readable after ``signal()`` until ``clear()``.
    package let number: Int32

    package init() throws(SystemErrorNumber) {
        number = try retryOnInterrupt { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }.get()
    }

    package func signal() {
        _ = eventfd_write(number, 1)
    }

    /// Takes the signal.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func clear() -> Bool {
        var count: eventfd_t = 0
        return unsafe eventfd_read(number, &count) == 0
    }

    /// Blocks until a signal, or until `limit` has passed. An interruption ends a wait only if it
    /// has a limit.
    package func wait(atMost limit: Duration? = nil) {
        var set = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        let nanoseconds = limit.map { max(0, $0.nanosecondsClamped) } ?? -1
        while unsafe watchproto_poll(&set, 1, nanoseconds) < 0, errno == EINTR, limit == nil {}
        clear()
    }

    deinit { DescriptorCall.close(number) }
}
