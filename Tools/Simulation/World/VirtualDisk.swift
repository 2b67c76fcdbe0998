import WatchProtoCore
import WatchProtoRecords

/// One side's disk: a journal's image and the application's own state, changed by one transaction
/// at a time, in the order given. A batch without a receipt is lost in a crash.
struct VirtualDisk: Sendable {
    /// The durable content.
    private(set) var content: Content
    /// The copy put aside last.
    private(set) var backup: Content?
    /// Batches under way, oldest first.
    private(set) var pending: [Batch] = []
    /// Counts the crashes, so that a commit of an earlier process is not taken for one of this.
    private(set) var generation = 0
    /// How many commits fail from now on; nil for all.
    private(set) var failures: Int? = 0
    /// How many commits still succeed before the first of them.
    private(set) var commitsBeforeFailure = 0
    private let mutant: Mutant?
    private let empty: Content
    private var lastDueAt = Instant.zero
    /// The content on the platters, where a mutant says "durable" too early.
    private var synced: Content
    private var unsyncedCommits = 0
    /// The entries that a mutant writes in a transaction of its own.
    private var unwritten: [JournalEntry] = []

    /// The content of a disk.
    struct Content: Sendable {
        /// The journal.
        var image: JournalImage
        /// The application's own state.
        var application = ApplicationState()
    }

    struct Batch: Sendable {
        var receipt: JournalReceipt
        var entries: [JournalEntry]
        var writes: [ApplicationWrite]
    }

    /// The durable image of the journal.
    var image: JournalImage { content.image }
    /// The durable state of the application.
    var application: ApplicationState { content.application }

    /// A disk whose journal begins with `pairing`.
    init(limits: Limits, pairing: [JournalEntry], mutant: Mutant?) {
        self.mutant = mutant
        empty = Content(image: JournalImage(kinds: .product, limits: limits, mutants: mutant))
        content = empty
        content.image.apply(pairing)
        synced = content
    }

    /// Takes a batch and says when it is durable, given how long the disk takes for it.
    mutating func write(_ batch: Batch, taking latency: Duration, at now: Instant) -> Instant {
        pending.append(batch)
        lastDueAt = max(lastDueAt, now).advanced(by: latency)
        return lastDueAt
    }

    /// How long the batches under way still take.
    func backlog(at now: Instant) -> Duration {
        pending.isEmpty || lastDueAt <= now ? .zero : now.duration(to: lastDueAt)
    }

    /// Makes the oldest pending batch durable.
    mutating func commitFirst() -> Batch? {
        guard !pending.isEmpty else { return nil }
        let batch = pending.removeFirst()
        var entries = batch.entries
        if mutant == .dedupeOutsideTransaction {
            entries = unwritten + entries.filter { !$0.isDeduplication }
            unwritten = batch.entries.filter { $0.isDeduplication }
        }
        content.image.apply(entries)
        for write in batch.writes { content.application.apply(write) }
        if mutant == .synchronousNormal {
            unsyncedCommits += 1
            if unsyncedCommits >= 4 { sync() }
        }
        return batch
    }

    /// Forgets what has no receipt: a batch is a transaction, and one that was being written is
    /// there or not, as a whole.
    mutating func crash() {
        if mutant == .tornBatch, let entries = pending.first?.entries {
            content.image.apply(Array(entries.prefix(entries.count / 2)))
        }
        pending = []
        generation += 1
        lastDueAt = .zero
        unwritten = []
        if mutant == .synchronousNormal { content = synced }
        unsyncedCommits = 0
    }

    private mutating func sync() {
        synced = content
        unsyncedCommits = 0
    }

    // MARK: Faults

    /// Lets `count` commits fail (nil: every one), after `before` more that succeed.
    mutating func fail(_ count: Int?, after before: Int) {
        failures = count
        commitsBeforeFailure = before
    }

    /// Whether the commit that is due now fails.
    mutating func nextCommitFails() -> Bool {
        guard failures != 0, !pending.isEmpty else { return false }
        guard commitsBeforeFailure == 0 else {
            commitsBeforeFailure -= 1
            return false
        }
        failures = failures.map { $0 - 1 }
        return true
    }

    /// Forgets everything, the pairing's ticket with it. A backup from before a wipe looks like a
    /// clone (Models/README.md, *Limits*), so it goes, too.
    mutating func wipe() {
        crash()
        content = empty
        backup = nil
        sync()
    }

    /// Puts a copy aside; it replaces the one before.
    mutating func backUp() { backup = content }

    /// The device and the one with the copy change places; says whether there is a copy.
    mutating func exchange() -> Bool {
        guard let other = backup else { return false }
        crash()
        backup = content
        content = other
        sync()
        return true
    }

    /// Goes back to the copy put aside last; says whether there is one.
    mutating func restore() -> Bool {
        guard let backup else { return false }
        crash()
        content = backup
        sync()
        return true
    }
}

extension JournalEntry {
    /// Whether the entry is what a receiver knows repetitions by.
    fileprivate var isDeduplication: Bool {
        switch self {
        case .received, .decided, .repeated, .watermark: true
        default: false
        }
    }
}

/// The state that one application keeps on its disk.
struct ApplicationState: Sendable {
    /// Records it took note of and has not decided on.
    private(set) var undecided: [Note] = []

    /// A record to be decided on, and the value that it will show.
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
        case .queued, .settled:
            break
        }
    }
}
