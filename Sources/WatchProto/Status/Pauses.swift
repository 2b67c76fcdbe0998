import Locks
import WatchProtoCore

/// Tasks that wait for a moment of the driver's clock, which a test may move.
final class Pauses: Sendable {
    private struct State {
        var pauses: [(until: Instant, end: ElementBuffer<Void>)] = []
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Waits until a moment, the end of the session, or the cancellation of the task.
    ///
    /// - Parameters:
    ///   - moment: the end of the pause.
    ///   - wake: tells the driver that its next deadline may be another one.
    func wait(until moment: Instant, _ wake: () -> Void) async {
        let end = ElementBuffer<Void>()
        let isOver = state.withLock { state in
            if !state.isFinished { state.pauses.append((moment, end)) }
            return state.isFinished
        }
        guard !isOver else { return }
        wake()
        _ = await end.next()
        // The pause of a cancelled task still stands there.
        state.withLock { $0.pauses.removeAll { $0.end === end } }
    }

    /// The moment at which ``expire(at:)`` has something to do.
    var nextDeadline: Instant? { state.withLock { $0.pauses.map(\.until).min() } }

    /// Ends the pauses whose moment has come.
    func expire(at now: Instant) { end { $0 <= now } }

    /// Ends all pauses: the driver ends, which would do so.
    func expireAll() { end { _ in true } }

    /// Ends all pauses, and those that come.
    func finish() {
        state.withLock { $0.isFinished = true }
        expireAll()
    }

    private func end(_ isOver: (Instant) -> Bool) {
        let over = state.withLock { state in
            defer { state.pauses.removeAll { isOver($0.until) } }
            return state.pauses.filter { isOver($0.until) }
        }
        for pause in over { pause.end.finish() }
    }
}
