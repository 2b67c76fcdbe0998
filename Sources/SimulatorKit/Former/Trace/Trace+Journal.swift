internal import WatchProto
internal import WatchTransport

extension Trace {
    private struct Batch {
        var sent: [RecordID] = []
        var received: [RecordID] = []
        var isEmpty: Bool { sent.isEmpty && received.isEmpty }
    }

    /// The journal, which tells this trace when each record became durable, at that very moment on
    /// the journal's own thread. Throws when the system has no descriptor left.
    func following(_ journal: any JournalHost) -> any JournalHost {
        ObservedJournal<Batch>(journal) { [self] entries in
            var batch = Batch()
            for entry in entries {
                switch entry {
                case .queued(let record): batch.sent.append(record.id)
                case .received(let record, _): batch.received.append(record.id)
                default: break
                }
            }
            if !batch.sent.isEmpty { began(batch.sent, at: SystemClock.now) }
            return batch.isEmpty ? nil : batch
        } ended: { [self] batch, isCommitted in
            guard let batch, isCommitted else { return }
            durable(sent: batch.sent, received: batch.received, at: SystemClock.now)
        }
    }
}
