package import WatchProtoCore

/// The clock of a driver: the host's, or one that a test moves.
package protocol DriverClock: AnyObject, Sendable {
    /// The present time. It never runs backwards.
    var now: Instant { get }
    /// The wall clock and the time zone.
    var wall: WallClock { get }
    /// How long a driver polls for an answer before it sleeps, at most. A clock that a test moves
    /// has no use for that.
    var busyPollLimit: Duration { get }
    /// Makes the timer's descriptor readable from the deadline on, until another is set. The
    /// distant future is none.
    func set(_ timer: DeadlineTimer, to deadline: Instant)
}

/// The clock of the host.
package final class HostClock: DriverClock {
    /// The only instance.
    package static let shared = HostClock()

    package var now: Instant { SystemClock.now }
    package var wall: WallClock { SystemClock.wall }
    package var busyPollLimit: Duration { .seconds(1) }
    package func set(_ timer: DeadlineTimer, to deadline: Instant) { timer.set(deadline) }
}
