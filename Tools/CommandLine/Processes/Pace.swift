import Locks
import WatchProtoCore

/// Says when something that could be told all the time is to be told again. Any thread may ask;
/// each turn is given to one of them.
package final class Pace: Sendable {
    private let intervalNanoseconds: UInt64
    private let next: Atomic<UInt64>

    /// Makes a pace whose first turn comes one `interval` from now.
    package init(_ interval: Duration, from now: UInt64 = MonotonicClock.nowNanoseconds) {
        intervalNanoseconds = UInt64(max(0, interval.nanosecondsClamped))
        next = Atomic(now + intervalNanoseconds)
    }

    /// Whether it is time again, in nanoseconds of CLOCK_MONOTONIC.
    package func isDue(at now: UInt64 = MonotonicClock.nowNanoseconds) -> Bool {
        let due = next.load(ordering: .relaxed)
        guard now >= due else { return false }
        return next.compareExchange(
            expected: due, desired: now + intervalNanoseconds, ordering: .relaxed
        ).exchanged
    }
}
