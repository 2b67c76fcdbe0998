import Locks
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// A pairing under way.
final class PairingProcess: Sendable {
    private struct State {
        var driver: PairingDriver?
        var isCancelled = false
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

    /// The user confirms, and says whether the doses on this watch stay.
    func confirm(keepingDoses: Bool) {
        let driver = state.withLock { state in
            state.keepsDoses = keepingDoses
            return state.driver
        }
        _ = driver?.act { link, now in link.confirm(at: now) }
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
