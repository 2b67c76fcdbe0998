import Locks
import WatchProtoCore

/// Tasks that wait for a moment of the driver's clock, which a test may move.
final class Pauses: Sendable {
    private struct State {
        var waiting: [Int: (until: Instant, continuation: CheckedContinuation<Void, Never>)] = [:]
        /// Tasks that were cancelled before they waited.
        var cancelled: Set<Int> = []
        var next = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Waits until a moment, the end of the session, or the cancellation of the task.
    ///
    /// - Parameter wake: tells the driver that its next deadline may be another one.
    func wait(until moment: Instant, _ wake: () -> Void) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let isCancelled = state.cancelled.remove(number) != nil
                    guard !state.isFinished, !isCancelled else { return true }
                    state.waiting[number] = (moment, continuation)
                    return false
                }
                if isOver { continuation.resume() } else { wake() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                let waiting = state.waiting.removeValue(forKey: number)
                if waiting == nil { state.cancelled.insert(number) }
                return waiting
            }
            waiting?.continuation.resume()
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    /// The moment at which ``expire(at:)`` has something to do.
    var nextDeadline: Instant? { state.withLock { $0.waiting.values.map(\.until).min() } }

    /// Ends the waits whose moment has come.
    func expire(at now: Instant) { end { $0 <= now } }

    /// Ends all waits: the driver ends, which would wake them.
    func expireAll() { end { _ in true } }

    private func end(_ isOver: (Instant) -> Bool) {
        let over = state.withLock { state in
            let over = state.waiting.filter { isOver($0.value.until) }
            for number in over.keys { state.waiting[number] = nil }
            return over.values.map(\.continuation)
        }
        for continuation in over { continuation.resume() }
    }

    /// Ends all waits, and those that come.
    func finish() {
        state.withLock { $0.isFinished = true }
        expireAll()
    }
}
