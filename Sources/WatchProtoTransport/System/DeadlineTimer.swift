internal import CPosix
package import WatchProtoCore

/// Wakes a thread that sleeps in `poll` at a deadline that any thread may set (`timerfd`). No
/// thread has to wake up only because the deadline is now earlier.
package final class DeadlineTimer: Sendable {
    /// Readable from the deadline on, until another is set.
    package let number: Int32

    package init() throws(SystemErrorNumber) {
        number = try retryOnInterrupt { watchproto_open_timer() }.get()
    }

    /// Sets the deadline; the distant future is none.
    package func set(_ deadline: Instant) {
        let isNone = deadline == .distantFuture
        // A moment of 0 would be none; the clock is beyond 1 at any rate.
        let seconds = UInt64(1 << 33)
        let nanoseconds = min(max(1, deadline.nanoseconds), seconds * 1_000_000_000)
        _ = watchproto_set_timer(number, isNone ? 0 : nanoseconds)
    }

    deinit { DescriptorCall.close(number) }
}
