import Locks
package import WatchProtoTransport

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

/// Pieces of work one after the other, on a thread that lives while there are any, and a moment
/// longer. They may wait for the disk.
package final class SerialWork: LedgerWorker {
    private enum Worker {
        case none
        /// It waits for a piece, which wakes it.
        case waiting
        case busy
    }

    private struct State {
        var pieces: [@Sendable () -> Void] = []
        var worker = Worker.none
        /// Made for the first thread, so that a program has its standard streams before it. Nil if
        /// the system has no descriptor left; the thread does not wait then.
        var wake: WakeDescriptor?
    }

    /// The time after which a thread without a piece ends.
    private static let longestWait = Duration.milliseconds(100)

    private let state = Mutex(State())
    private let clock: any DriverClock

    /// Work whose pauses are of this clock.
    package init(_ clock: any DriverClock = HostClock.shared) { self.clock = clock }

    /// Adds a piece. If the system has no thread left, it is asked again after a second.
    package func add(_ piece: @escaping @Sendable () -> Void) {
        let (former, wake) = state.withLock { state in
            state.pieces.append(piece)
            if state.wake == nil { state.wake = try? WakeDescriptor() }
            defer { state.worker = .busy }
            return (state.worker, state.wake)
        }
        switch former {
        case .busy: return
        case .waiting: wake?.signal()
        case .none:
            do throws(SystemErrorNumber) {
                _ = try SystemThread { [self] in run(wake) }
            } catch {
                state.withLock { $0.worker = .none }
                add({}, after: .seconds(1))
            }
        }
    }

    package func add(_ piece: @escaping @Sendable () -> Void, after pause: Duration) {
        clock.perform(after: pause) { [self] in add(piece) }
    }

    package var isIdle: Bool {
        state.withLock { state in state.worker != .busy && state.pieces.isEmpty }
    }

    private func run(_ wake: WakeDescriptor?) {
        while true {
            let pieces = nextPieces(elseBe: wake == nil ? .none : .waiting)
            for piece in pieces { piece() }
            if !pieces.isEmpty { continue }
            guard let wake else { return }
            wake.wait(atMost: Self.longestWait)
            let further = nextPieces(elseBe: .none)
            if further.isEmpty { return }
            for piece in further { piece() }
        }
    }

    /// Takes the pieces that wait. Without any, notes what the thread does then.
    private func nextPieces(elseBe worker: Worker) -> [@Sendable () -> Void] {
        state.withLock { state in
            if state.pieces.isEmpty { state.worker = worker }
            defer { state.pieces = [] }
            return state.pieces
        }
    }
}
