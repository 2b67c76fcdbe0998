import Locks
import WatchProto

/// Performs the work of a simulated ledger when the simulation says so.
final class PieceQueue: LedgerWorker {
    private struct State {
        var pieces: [@Sendable () -> Void] = []
        var paused: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    func add(_ piece: @escaping @Sendable () -> Void) {
        state.withLock { $0.pieces.append(piece) }
    }

    func add(_ piece: @escaping @Sendable () -> Void, after pause: Duration) {
        state.withLock { $0.paused.append(piece) }
    }

    var isIdle: Bool { state.withLock { $0.pieces.isEmpty } }
    var isPausing: Bool { state.withLock { !$0.paused.isEmpty } }

    /// Performs the first piece; false if there is none.
    @discardableResult
    func performOne() -> Bool {
        let piece = state.withLock { $0.pieces.isEmpty ? nil : $0.pieces.removeFirst() }
        piece?()
        return piece != nil
    }

    /// Drops all pieces.
    func removeAll() { state.withLock { $0 = State() } }

    /// All pauses are over.
    func endPauses() {
        state.withLock { state in
            state.pieces += state.paused
            state.paused = []
        }
    }
}
