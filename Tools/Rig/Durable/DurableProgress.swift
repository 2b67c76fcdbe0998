import Locks
import WatchProtoCore
import WatchProtoTransport

/// The moment each record became durable, noted on the journal's own thread.
final class DurableProgress: Sendable {
    private struct State {
        var committed = 0
        var committedAt: UInt64 = 0
        var hasFailed = false
    }

    private let state = Mutex(State())
    /// Signalled whenever records became durable, or nothing more will.
    let wake: WakeDescriptor

    init() throws(SystemErrorNumber) { wake = try WakeDescriptor() }

    /// Records durable so far, and when the last of them became so; nil when the journal failed.
    var current: (count: Int, lastAtNanoseconds: UInt64)? {
        state.withLock { $0.hasFailed ? nil : ($0.committed, $0.committedAt) }
    }

    /// The journal with this progress noted.
    func noted(_ journal: any JournalBackend) -> any JournalBackend {
        ObservedJournal(journal, began: Self.records(in:)) { [self] count, isCommitted in
            note(count ?? 0, isCommitted)
        }
    }

    private static func records(in entries: [JournalEntry]) -> Int? {
        let count = entries.count { entry in
            switch entry {
            case .queued, .received: true
            default: false
            }
        }
        return count > 0 ? count : nil
    }

    private func note(_ count: Int, _ isCommitted: Bool) {
        let now = SystemClock.now.nanoseconds
        guard count > 0 || !isCommitted else { return }
        state.withLock { state in
            guard isCommitted else {
                state.hasFailed = true
                return
            }
            state.committed += count
            state.committedAt = now
        }
        wake.signal()
    }
}
