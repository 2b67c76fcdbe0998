internal import Synchronization
internal import WatchProto
internal import WatchTransport

/// Tells the trace when each record became durable here, at that very moment on the journal's own
/// thread.
final class TracedJournal: JournalHost {
    private struct Noted {
        var sent: [RecordID] = []
        var received: [RecordID] = []
        var isEmpty: Bool { sent.isEmpty && received.isEmpty }
    }

    private struct State {
        var noted: [JournalReceipt: Noted] = [:]
        var answering: JournalMailbox?
    }

    private let inner: any JournalHost
    private let trace: Trace
    private let state = Mutex(State())
    /// A mailbox needs one; nobody waits for this one.
    private let unused: WakeDescriptor

    init(_ inner: any JournalHost, trace: Trace) throws(JournalFailure) {
        self.inner = inner
        self.trace = trace
        do throws(SystemErrorNumber) { unused = try WakeDescriptor() } catch {
            throw JournalFailure("no descriptor: error \(error.rawValue)")
        }
    }

    var isDurable: Bool { inner.isDurable }
    func restore() throws(JournalFailure) -> JournalImage { try inner.restore() }

    func persist(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        mailbox: JournalMailbox
    ) -> JournalAnswer {
        var noted = Noted()
        for entry in entries {
            switch entry {
            case .queued(let record): noted.sent.append(record.id)
            case .received(let record, _): noted.received.append(record.id)
            default: break
            }
        }
        if !noted.sent.isEmpty { trace.began(noted.sent, at: SystemClock.now) }
        let answering = state.withLock { state -> JournalMailbox in
            if !noted.isEmpty { state.noted[receipt] = noted }
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
        guard let noted = state.withLock({ $0.noted.removeValue(forKey: receipt) }), isCommitted
        else { return }
        trace.durable(sent: noted.sent, received: noted.received, at: SystemClock.now)
    }
}
