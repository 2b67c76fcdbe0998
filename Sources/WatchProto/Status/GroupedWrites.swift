import Locks
import WatchProtoJournal

/// Writes of callers that wait until these are durable. Those that come during one commit go into
/// the next one together, on one thread.
final class GroupedWrites: Sendable {
    private typealias Continuation = CheckedContinuation<JournalError?, Never>

    private struct State {
        var waiting: [(writes: [SQLWrite], continuation: Continuation)] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Makes writes durable in a file.
    ///
    /// - Throws: `JournalError`; the disk failed, perhaps for the writes of another caller.
    func persist(_ writes: [SQLWrite], in file: JournalFile) async throws(JournalError) {
        let failure: JournalError? = await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append((writes, continuation))
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if isFirst { Offload.start { [self] in run(file) } }
        }
        if let failure { throw failure }
    }

    private func run(_ file: JournalFile) {
        while true {
            let group = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isRunning = false }
                return state.waiting
            }
            if group.isEmpty { return }
            var failure: JournalError?
            do throws(JournalError) {
                try file.write(group.flatMap(\.writes))
            } catch {
                failure = error
            }
            for one in group { one.continuation.resume(returning: failure) }
        }
    }
}
