import Locks
import WatchProtoCore
import WatchProtoRecords

/// The wall clock of a device of the simulation of doses: the true time, of which a minute passes
/// with each step, and an error.
final class DoseClock: Sendable {
    /// The date of the first doses, two hours before one is due.
    private static let start = WallMinute(minutes: 2_200 * 1_440 + 360).wallTime.milliseconds

    private let state = Mutex<(step: Int64, error: Int64)>((0, 0))

    var now: WallTime {
        let (step, error) = state.withLock { $0 }
        return WallTime(milliseconds: Self.start + step * 60_000 + error)
    }

    /// The time that runs evenly.
    var uptime: Instant {
        Instant(nanoseconds: UInt64(max(0, state.withLock { $0.step })) * 60_000_000_000)
    }

    /// The minute of the clock, `seconds` ago by this clock.
    func minute(before seconds: Int64 = 0) -> WallMinute {
        WallMinute(WallTime(milliseconds: now.milliseconds - seconds * 1_000))
    }

    func set(step: Int) { state.withLock { $0.step = Int64(step) } }

    /// Makes the clock wrong by so many milliseconds.
    func set(error: Int64) { state.withLock { $0.error = error } }

    /// Sets the clock to a minute.
    func set(_ minute: WallMinute) {
        state.withLock { state in
            state.error = minute.wallTime.milliseconds - Self.start - state.step * 60_000
        }
    }
}
