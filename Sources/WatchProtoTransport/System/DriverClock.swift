package import WatchProtoCore

/// The clock of a driver: the host's, or one that a test moves.
package protocol DriverClock: AnyObject, Sendable {
    /// The present time. It never runs backwards.
    var now: Instant { get }
    /// The wall clock and the time zone.
    var wall: WallClock { get }
    /// The time since boot, also that in which the host slept.
    var sinceBoot: Instant { get }
    /// A number of this boot, from which ``now`` counts; nil where the host does not say.
    var boot: UInt32? { get }
    /// How long a driver polls for an answer before it sleeps, at most. A clock that a test moves
    /// has no use for that.
    var busyPollLimit: Duration { get }
    /// Makes the timer's descriptor readable from the deadline on, until another is set. The
    /// distant future is none.
    func set(_ timer: DeadlineTimer, to deadline: Instant)
    /// Performs the action after a pause, on any thread.
    func perform(after pause: Duration, _ action: @escaping @Sendable () -> Void)
}

/// The clock of the host.
package final class HostClock: DriverClock {
    /// The only instance.
    package static let shared = HostClock()

    package var now: Instant { SystemClock.now }
    package var wall: WallClock { SystemClock.wall }
    package var sinceBoot: Instant { SystemClock.sinceBoot }
    package var boot: UInt32? { SystemClock.boot }
    package var busyPollLimit: Duration { .seconds(1) }
    package func set(_ timer: DeadlineTimer, to deadline: Instant) { timer.set(deadline) }
    package func perform(after pause: Duration, _ action: @escaping @Sendable () -> Void) {
        Task.detached {
            try? await Task.sleep(for: pause)
            action()
        }
    }
}
