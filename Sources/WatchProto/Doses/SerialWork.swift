import Locks

/// Pieces of work one after the other, on a thread that lives while there are any. They may wait
/// for the disk.
final class SerialWork: Sendable {
    private struct State {
        var pieces: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Adds a piece.
    func add(_ piece: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.pieces.append(piece)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { Offload.start { [self] in run() } }
    }

    /// Whether there is nothing to do.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    private func run() {
        while true {
            let pieces = state.withLock { state in
                defer { state.pieces = [] }
                if state.pieces.isEmpty { state.isRunning = false }
                return state.pieces
            }
            if pieces.isEmpty { return }
            for piece in pieces { piece() }
        }
    }
}
