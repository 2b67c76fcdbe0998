import WatchProto

/// One side's disk: a journal's image and the application's own state, changed by one transaction
/// at a time, in the order given. What has no receipt yet is lost in a crash.
struct VirtualDisk: Sendable {
    /// What is durable of the journal.
    private(set) var image = JournalImage()
    /// What is durable of the application.
    private(set) var application = ApplicationState()
    /// What is under way, oldest first.
    private(set) var pending: [Batch] = []
    /// Counts the crashes, so that a commit of a life before is not taken for one of this.
    private(set) var generation = 0
    private var lastDueAt = Instant.zero

    struct Batch: Sendable {
        var receipt: JournalReceipt
        var entries: [JournalEntry]
        var writes: [ApplicationWrite]
    }

    /// Takes a batch and says when it is durable, given how long the disk takes for it.
    mutating func write(_ batch: Batch, taking latency: Duration, at now: Instant) -> Instant {
        pending.append(batch)
        lastDueAt = max(lastDueAt, now).advanced(by: latency)
        return lastDueAt
    }

    /// Makes the oldest pending batch durable.
    mutating func commitFirst() -> Batch? {
        guard !pending.isEmpty else { return nil }
        let batch = pending.removeFirst()
        for entry in batch.entries { image.apply(entry) }
        for write in batch.writes { application.apply(write) }
        return batch
    }

    /// Forgets what has no receipt.
    mutating func crash() {
        pending = []
        generation += 1
        lastDueAt = .zero
    }

    /// Forgets everything.
    mutating func wipe() {
        crash()
        image = JournalImage()
        application = ApplicationState()
    }
}

/// What one application keeps on its disk.
struct ApplicationState: Sendable {
    /// Records it took note of and has not decided on.
    private(set) var undecided: [Note] = []
    /// Fingerprints of its own complications' states, to be shown again after a restart.
    private(set) var complications = OrderedTable<RecordKey, UInt64>()

    /// A record to be decided on, and what its effect will be.
    struct Note: Sendable {
        var id: RecordID
        var key: RecordKey?
        var value: UInt64
    }

    mutating func apply(_ write: ApplicationWrite) {
        switch write {
        case .effect(let id, _, _), .refusal(let id, _):
            if !undecided.isEmpty { undecided.removeAll { $0.id == id } }
        case .noted(let id, let key, let value):
            undecided.append(Note(id: id, key: key, value: value))
        case .own(.complication, let key, let value):
            complications[key] = value
        case .own:
            break
        }
    }
}
