import Locks
import WatchProtoTransport

/// Performs the work of a ledger, piece by piece. A piece may wait for the disk, so no piece is
/// performed on the caller's thread, which may hold a lock.
package protocol LedgerWorker: Sendable {
    /// Performs a piece after all earlier ones.
    func add(_ piece: @escaping @Sendable () -> Void)

    /// Adds a piece after a pause.
    func add(_ piece: @escaping @Sendable () -> Void, after pause: Duration)

    /// Whether there is nothing to do; a piece that waits for its pause does not count.
    var isIdle: Bool { get }
}

/// Pieces of work one after the other, on a thread that lives while there are any. They may wait
/// for the disk.
package final class SerialWork: LedgerWorker {
    private struct State {
        var pieces: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Adds a piece. If the system has no thread left, it is asked again after a second.
    package func add(_ piece: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.pieces.append(piece)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        do throws(SystemErrorNumber) {
            _ = try SystemThread { [self] in run() }
        } catch {
            state.withLock { $0.isRunning = false }
            add({}, after: .seconds(1))
        }
    }

    package func add(_ piece: @escaping @Sendable () -> Void, after pause: Duration) {
        Task.detached { [self] in
            try? await Task.sleep(for: pause)
            add(piece)
        }
    }

    package var isIdle: Bool { state.withLock { !$0.isRunning && $0.pieces.isEmpty } }

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
