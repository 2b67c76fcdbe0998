internal import WatchProto
internal import WatchProtoTransport

extension Trace {
    private struct Batch {
        var sent: [RecordID] = []
        var received: [RecordID] = []
    }

    /// The journal, which reports to this trace when each record became durable, at that very
    /// moment on the journal's own thread.
    func following(_ journal: any JournalBackend) -> any JournalBackend {
        ObservedJournal<Batch>(journal) { entries in
            var batch = Batch()
            for entry in entries {
                switch entry {
                case .queued(let record): batch.sent.append(record.id)
                case .received(let record, _, _): batch.received.append(record.id)
                default: break
                }
            }
            return batch.sent.isEmpty && batch.received.isEmpty ? nil : batch
        } ended: { [self] batch, isCommitted in
            guard let batch, isCommitted else { return }
            durable(sent: batch.sent, received: batch.received, at: SystemClock.now)
        }
    }
}
