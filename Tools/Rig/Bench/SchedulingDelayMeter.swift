import CommandLine
import Locks
import Reports
import WatchProtoCore
import WatchProtoTransport

/// How late this machine wakes a thread that wants to wake every millisecond, beside a run: no
/// program on it could have avoided that (after a method of Gil Tene).
final class SchedulingDelayMeter: Sendable {
    private let state = Mutex(LatencySeries(LatencySeries.schedulingDelayName))
    private let mayGoOn = Atomic<Bool>(true)
    private let thread = Mutex<SystemThread?>(nil)

    private static let intervalNanoseconds: UInt64 = 1_000_000

    /// Begins at once; moments in the series count from `start`, nanoseconds of CLOCK_MONOTONIC.
    ///
    /// - Throws: exit code 70 where the system refuses a thread.
    init(since start: UInt64) throws(RigFailure) {
        do throws(SystemErrorNumber) {
            let made = try SystemThread { [self] in run(start) }
            thread.withLock { $0 = made }
        } catch {
            throw RigFailure(
                .software,
                "Cannot start the scheduling delay meter: no thread (errno \(error.rawValue)).")
        }
    }

    /// Ends it.
    ///
    /// - Returns: by how much each waking was late.
    func stop() -> LatencySeries {
        mayGoOn.store(false, ordering: .relaxed)
        thread.withLock { $0?.join() }
        return state.withLock { $0 }
    }

    private func run(_ start: UInt64) {
        MonotonicClock.sleepExactly()
        var due = MonotonicClock.nowNanoseconds
        while mayGoOn.load(ordering: .relaxed) {
            due += Self.intervalNanoseconds
            MonotonicClock.sleep(untilNanoseconds: due)
            let now = MonotonicClock.nowNanoseconds
            let late = now - min(now, due)
            state.withLock {
                $0.record(late, message: "waking", atNanoseconds: due - min(start, due))
            }
            // Each waking that a stall swallowed counts too, late by the rest of the stall.
            while due + Self.intervalNanoseconds < now {
                due += Self.intervalNanoseconds
                let rest = now - due
                state.withLock {
                    $0.record(rest, message: "waking", atNanoseconds: due - min(start, due))
                }
            }
        }
    }
}
