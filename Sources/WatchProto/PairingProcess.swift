import Locks
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// A pairing under way.
final class PairingProcess: Sendable {
    private struct State {
        var driver: PairingDriver?
        var isCancelled = false
        /// Counts the questions: an answer to an earlier one is of no effect.
        var question = 0
        var keepsDoses = false
    }

    let feed = ElementBuffer<Result<PairingStep, PairingError>>()
    private let state = Mutex(State())

    /// Takes the driver over. Throws where the pairing was given up before.
    func begin(_ driver: PairingDriver) throws(PairingError) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.driver = driver }
            return state.isCancelled
        }
        if isCancelled { throw .cancelled }
    }

    /// The user gives up.
    func cancel() {
        let driver = state.withLock { state in
            state.isCancelled = true
            return state.driver
        }
        _ = driver?.act { link, now in link.cancel(at: now) }
    }

    /// A question to the user begins, or the last one is of no worth any more.
    @discardableResult
    func nextQuestion() -> Int {
        state.withLock { state in
            state.question += 1
            return state.question
        }
    }

    /// The user confirms, and says whether the doses on this watch stay. Only the first answer to
    /// the newest question counts.
    func confirm(_ question: Int, keepingDoses: Bool) {
        _ = state.withLock { $0.driver }?.act { link, now in
            guard state.withLock({ $0.question }) == question, link.confirm(at: now) else {
                return
            }
            state.withLock { $0.keepsDoses = keepingDoses }
        }
    }

    /// Whether the doses on this watch stay though it pairs with another phone.
    var keepsDoses: Bool { state.withLock { $0.keepsDoses } }

    /// Gives the link back; waits for the driver's thread.
    func giveLinkBack() {
        let driver = state.withLock { state in
            state.isCancelled = true
            defer { state.driver = nil }
            return state.driver
        }
        driver?.close()
    }

    /// Ends the pairing and its steps.
    func close() {
        giveLinkBack()
        fail(.cancelled)
    }

    func fail(_ error: PairingError) {
        feed.add(.failure(error))
        feed.finish()
    }
}
