import Synchronization
import WatchProto
import WatchTransport

/// A journal that notes the moment each record became durable, on the journal's own thread.
final class StampedJournal: JournalHost {
    private struct State {
        /// Batches under way that hold records, by receipt.
        var records: [JournalReceipt: Int] = [:]
        var answering: JournalMailbox?
        var committed = 0
        var committedAt: UInt64 = 0
        var hasFailed = false
    }

    private let inner: any JournalHost
    private let state = Mutex(State())
    private let unused: WakeDescriptor
    /// Signalled whenever records became durable, or nothing more will.
    let wake: WakeDescriptor

    init(_ inner: any JournalHost) throws(SystemErrorNumber) {
        self.inner = inner
        unused = try WakeDescriptor()
        wake = try WakeDescriptor()
    }

    var isDurable: Bool { inner.isDurable }
    func restore() throws(JournalFailure) -> JournalImage { try inner.restore() }

    /// Records durable so far, and when the last of them became so; nil when the journal failed.
    var progress: (count: Int, lastAtNanoseconds: UInt64)? {
        state.withLock { $0.hasFailed ? nil : ($0.committed, $0.committedAt) }
    }

    func persist(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        mailbox: JournalMailbox
    ) -> JournalAnswer {
        let count = entries.count { entry in
            switch entry {
            case .queued, .received: true
            default: false
            }
        }
        let answering = state.withLock { state -> JournalMailbox in
            if count > 0 { state.records[receipt] = count }
            if let made = state.answering { return made }
            let made = JournalMailbox(wake: unused) { [weak self] receipt, isCommitted in
                self?.note(receipt, isCommitted)
                if isCommitted { mailbox.committed(receipt) } else { mailbox.failed(receipt) }
            }
            state.answering = made
            return made
        }
        return inner.persist(entries, writes: writes, receipt: receipt, mailbox: answering)
    }

    private func note(_ receipt: JournalReceipt, _ isCommitted: Bool) {
        let now = SystemClock.now.nanoseconds
        let matters = state.withLock { state -> Bool in
            guard isCommitted else {
                state.hasFailed = true
                return true
            }
            guard let count = state.records.removeValue(forKey: receipt) else { return false }
            state.committed += count
            state.committedAt = now
            return true
        }
        if matters { wake.signal() }
    }
}
