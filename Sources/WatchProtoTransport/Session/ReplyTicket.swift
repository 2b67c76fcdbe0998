internal import Locks
internal import WatchProtoCore

/// One caller's wait. The first result resolves it.
final class ReplyTicket: Sendable {
    typealias Answer = Result<[UInt8], DeliveryFailure>

    private struct State {
        var continuation: CheckedContinuation<Answer, Never>?
        var answer: Answer?
        var id: RecordID?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Waits for the answer.
    func answer() async -> Answer {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> Answer? in
                if state.answer == nil { state.continuation = continuation }
                return state.answer
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Ends the wait; later answers are ignored.
    func resolve(_ answer: Answer) {
        let waiting = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard state.answer == nil else { return nil }
            state.answer = answer
            defer { state.continuation = nil }
            return state.continuation
        }
        waiting?.resume(returning: answer)
    }

    /// Assigns the message's identity; true if the caller has given up meanwhile.
    func assign(_ id: RecordID) -> Bool {
        state.withLock { state in
            state.id = id
            return state.isCancelled
        }
    }

    /// Gives up, and returns the identity if there is one yet.
    func cancel() -> RecordID? {
        state.withLock { state in
            state.isCancelled = true
            return state.id
        }
    }
}
