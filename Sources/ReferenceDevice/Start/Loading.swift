internal import Locks
internal import WatchProtoTransport

/// The rest of a start, on a thread of its own.
final class Loading: Sendable {
    private struct State {
        var hasBegun = false
        var thread: SystemThread?
        var result: Result<Void, StartRefusal>?
    }

    private let state = Mutex(State())
    private let isDone = Atomic(false)

    /// Whether the work was begun.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Whether it has ended, and ``wait()`` does not wait.
    var hasEnded: Bool { state.withLock { $0.result != nil } }

    /// Whether it has ended well, as ``wait()`` has said.
    var isComplete: Bool { isDone.load(ordering: .acquiring) }

    /// Begins the work.
    ///
    /// - Parameters:
    ///   - apart: whether a thread of its own does it. Without one left in the system, this does.
    ///   - ended: called when it has ended, on that thread.
    ///   - body: the work.
    func begin(
        apart: Bool = true, ended: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable () throws(StartRefusal) -> Void
    ) {
        state.withLock { $0.hasBegun = true }
        let work: @Sendable () -> Void = { [self] in
            let result: Result<Void, StartRefusal>
            do throws(StartRefusal) {
                try body()
                result = .success(())
            } catch {
                result = .failure(error)
            }
            state.withLock { $0.result = result }
            ended()
        }
        guard apart, let thread = try? SystemThread(work) else { return work() }
        state.withLock { $0.thread = thread }
    }

    /// Waits for the end of the work.
    ///
    /// - Throws: the refusal.
    func wait() throws(StartRefusal) {
        state.withLock { $0.thread }?.join()
        guard let result = state.withLock({ $0.result }) else { return }
        try result.get()
        isDone.store(true, ordering: .releasing)
    }
}
