internal import CPosix
internal import ControlProtocol
internal import Locks
package import WatchProto
internal import WatchProtoTransport

/// Sends what a plan says, when it says so, on one thread that sleeps in between. A moment that has
/// passed is made up for at once and keeps its intended time: slowness is measured, never hidden.
final class LoadRunner: Sendable {
    private struct State {
        var isRunning = false
        var mustStop = false
    }

    private let state = Mutex(State())

    /// Whether a load is being sent.
    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Starts sending; `done` is called on the load's thread at the end.
    ///
    /// - Returns: false when a load is being sent already.
    func start(
        _ plan: LoadPlan, fire: @escaping @Sendable (LoadShot) throws(SendRefusal) -> Void,
        done: @escaping @Sendable (LoadOutcome) -> Void
    ) -> Bool {
        let isFree = state.withLock { state in
            guard !state.isRunning else { return false }
            state = State(isRunning: true)
            return true
        }
        guard isFree else { return false }
        do throws(SystemErrorNumber) {
            _ = try SystemThread { [self] in
                let outcome = run(plan, fire)
                state.withLock { $0.isRunning = false }
                done(outcome)
            }
        } catch {
            preconditionFailure("pthread_create: \(SystemErrorText.of(error.rawValue))")
        }
        return true
    }

    /// Ends the load before its time.
    func stop() { state.withLock { $0.mustStop = true } }

    private func run(
        _ plan: LoadPlan, _ fire: @Sendable (LoadShot) throws(SendRefusal) -> Void
    ) -> LoadOutcome {
        watchproto_sleep_exactly()
        var outcome = LoadOutcome()
        // A little ahead, so that the first moment is not late already.
        let start = SystemClock.now.advanced(by: .milliseconds(2))
        for moment in plan.makeMoments() {
            let intended = Instant(nanoseconds: start.nanoseconds + moment.offsetNanoseconds)
            var now = SystemClock.now
            while now < intended {
                // Long sleeps are cut, so that a stop is noticed.
                let next = min(intended, now.advanced(by: .milliseconds(200)))
                watchproto_sleep_until(next.nanoseconds)
                if state.withLock({ $0.mustStop }) { return outcome.stopped() }
                now = SystemClock.now
            }
            if state.withLock({ $0.mustStop }) { return outcome.stopped() }
            outcome.latestNanoseconds = max(
                outcome.latestNanoseconds, now.nanoseconds - intended.nanoseconds)
            do throws(SendRefusal) {
                try fire(
                    LoadShot(
                        kind: plan.streams[moment.stream].kind, sequence: moment.sequence,
                        intended: intended, isWarmUp: moment.isWarmUp))
                outcome.sent += 1
                if moment.isWarmUp { outcome.warmUp += 1 }
            } catch {
                outcome.refuse(error.controlName)
            }
        }
        return outcome
    }
}

/// One record that a load wants sent now.
package struct LoadShot: Sendable {
    /// The kind, as the plan names it.
    package var kind: String
    /// Counts the records of the stream, from 0.
    package var sequence: UInt64
    /// When it was to be sent.
    package var intended: Instant
    /// Whether it belongs to the time before measuring.
    package var isWarmUp: Bool
    /// When the ledger held it; nil for what is no dose.
    package var recorded: Instant?
}

/// The outcome of a load.
struct LoadOutcome: Sendable {
    /// Records accepted, those of the warm-up among them.
    var sent: UInt64 = 0
    var warmUp: UInt64 = 0
    var refused: [(reason: String, count: UInt64)] = []
    /// By how much the thread was late at worst.
    var latestNanoseconds: UInt64 = 0
    var isComplete = true

    mutating func refuse(_ reason: String) {
        if let place = refused.firstIndex(where: { $0.reason == reason }) {
            refused[place].count += 1
        } else {
            refused.append((reason, 1))
        }
    }

    func stopped() -> LoadOutcome {
        var copy = self
        copy.isComplete = false
        return copy
    }

    /// The members of the event `load.done`.
    var value: JSONValue {
        var reasons = JSONObject()
        for (reason, count) in refused { reasons[reason] = .whole(count) }
        return [
            "sent": .whole(sent), "warmup": .whole(warmUp), "refused": .object(reasons),
            "late_max_ns": .whole(latestNanoseconds), "complete": .bool(isComplete),
        ]
    }
}
