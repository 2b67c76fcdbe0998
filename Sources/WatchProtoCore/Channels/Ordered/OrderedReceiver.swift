/// One ordered channel on its way in: order, deduplication, dispositions, answers, credit
/// (Models/IDENTITY.md, section 7; the article *Ordered channels* numbers its rules).
///
/// Its statements rest on `durable`, which follows the journal's receipts entry by entry.
package struct OrderedReceiver: Sendable {
    /// A frame that is kept with its packet on a carrier that can lose; it holds for one session.
    enum Reference: Hashable, Sendable {
        /// Answers about records of an epoch, between these numbers.
        case answers(epochIndex: Int, ClosedRange<UInt64>)
        /// A raise of credit.
        case credit
        /// A record was turned away at this limit.
        case tryLater(RecordAddress, records: UInt64)
        /// A hint *received* about an epoch.
        case received(epochIndex: Int)
    }

    /// An epoch of the counterpart as its hello lists it.
    package struct SessionEpoch: Hashable, Sendable {
        /// Which epoch it is.
        package var id: EpochID
        /// The highest number that the sender has used; 0 where none.
        package var last: UInt64
        /// The sender's watermark, a hint.
        package var watermark: UInt64
        /// This side has closed the epoch.
        package var isClosed: Bool
        /// This side may have forgotten the epoch: its records are settled as unknown.
        package var answersUnknown: Bool

        /// Lists an epoch.
        package init(
            id: EpochID, last: UInt64, watermark: UInt64, isClosed: Bool = false,
            answersUnknown: Bool = false
        ) {
            self.id = id
            self.last = last
            self.watermark = watermark
            self.isClosed = isClosed
            self.answersUnknown = answersUnknown
        }
    }

    /// This process's progress in an epoch, durable or not.
    struct Taken: Hashable, Sendable {
        /// Every record up to this number was taken, or skipped.
        var through: UInt64 = 0
        /// The watermark that the sender stated.
        var watermark: UInt64 = 0
    }

    /// A record on its way to the application, or to its end.
    enum Delivery: Sendable {
        case first(InboundRecord, at: Instant)
        /// Given to the application once more: it left the record pending before a restart.
        case again(InboundRecord)
        case ending(RecordID, Outcome)
    }

    /// The state that lasts as long as a session.
    struct Session: Sendable {
        /// The counterpart's epochs as the frames of the session index them.
        var epochs: [SessionEpoch]
        /// Of each of them, the numbers about which an answer is owed and can be given.
        var due: [NumberRanges]
        var buffer = ReorderBuffer()
        /// Records that are not whole, lowest first.
        var assemblies: [FragmentAssembly] = []
        /// Records that were turned away, with the limit that stood then, to be told.
        var turnedAway: [(address: RecordAddress, records: UInt64)] = []
        /// Records that were turned away since the last raise. Their late fragments take no place.
        var mustTryLater = OrderedTable<RecordAddress, Bool>()
        /// Epochs about which a hint *received* is owed, and up to where each of all was told.
        var receivedDue: [Int] = []
        var receivedTold: [UInt64] = []
        /// Records that were taken since the session began.
        var taken = 0
    }

    /// The channel.
    package let channel: Channel
    let traits: ChannelTraits
    let limits: Limits
    /// This process's progress, by epoch.
    var taken = OrderedTable<EpochID, Taken>()
    /// The state that the journal holds. Statements rest on it alone.
    var durable: ReceivedEpochs
    /// Records that the application left pending, with their idempotency keys.
    var pending = OrderedTable<RecordID, PendingRecord>()
    var keys: IdempotencyWindow
    /// Records that wait for the word on the first one under their key, by that one.
    var followers: OrderedTable<RecordID, [RecordID]>
    /// In the order in which they were taken; those before ``delivered`` are gone.
    var deliveries: [Delivery] = []
    var delivered = 0
    var credit: ReceiveCredit
    var entries: [JournalEntry] = []
    var commits = CommitQueue<ReceivedEpochs.Change>()
    /// When the records were taken whose entries are not durable, oldest first from the head on.
    var takenAt: [Instant] = []
    var takenAtHead = 0
    /// The place in ``takenAt`` behind those of which the sender is told that they have come.
    var untoldHead = 0
    var session: Session?
    /// Records that were answered as an earlier one under their idempotency key.
    package internal(set) var repetitions: UInt64 = 0
    /// Mistakes that are planted by tests.
    package var mutants: OrderedMutants = []

    /// The part of a pending record that is kept: its idempotency key.
    struct PendingRecord: Hashable, Sendable {
        var key: UInt128?
    }

    /// Opens the channel on a journal that holds `image`. Records that were left pending are given
    /// to the application once more.
    package init(channel: Channel, limits: Limits, restoring image: Image) {
        self.channel = channel
        self.limits = limits
        traits = channel.traits
        durable = image.numbers
        keys = image.keys
        followers = image.followers
        credit = ReceiveCredit(channel.traits, limits: limits)
        for (id, numbers) in zip(durable.ids, durable.numbers) {
            taken[id] = Taken(through: numbers.through, watermark: numbers.watermark)
        }
        for record in image.pendingInOrder {
            pending[record.id] = PendingRecord(key: record.idempotencyKey)
            deliveries.append(.again(record))
        }
    }

    // MARK: Questions

    /// Up to which number the records of the counterpart's epochs were taken, for a hello: only
    /// those where that is above the watermark. It rests on memory, and is a hint.
    package var takenAboveWatermark: [(epoch: EpochID, through: UInt64)] {
        var list: [(epoch: EpochID, through: UInt64)] = []
        for (id, taken) in zip(taken.keys, taken.values)
        where taken.through > (durable[id]?.watermark ?? 0) {
            list.append((id, taken.through))
        }
        return list
    }

    /// Progress of catching up: records taken since the session began, and how many the
    /// counterpart's hello says are still to come, at most.
    package var progress: (taken: Int, left: UInt64) {
        guard let session else { return (0, 0) }
        var left: UInt64 = 0
        for epoch in session.epochs where !epoch.isClosed {
            let from = max(epoch.watermark, taken[epoch.id]?.through ?? 0)
            left += epoch.last - min(epoch.last, from)
        }
        return (session.taken, left)
    }

    /// When the oldest record was taken whose entry is not durable, and whose sender is not told in
    /// this session that it has come; nil if there is none.
    package var oldestUntold: Instant? { untoldHead < takenAt.count ? takenAt[untoldHead] : nil }

    /// Records that the application left pending.
    package var pendingCount: Int { pending.count }

    /// Whether the application left a record pending.
    package func isPending(_ id: RecordID) -> Bool { pending[id] != nil }

    /// Whether the application left any record pending.
    package var hasPending: Bool { !pending.isEmpty }

    // MARK: Batches

    /// Whether entries wait for a batch.
    package var hasEntries: Bool { !entries.isEmpty }

    /// The entries for the batch that is formed now.
    package mutating func takeEntries() -> [JournalEntry] {
        var taken: [JournalEntry] = []
        swap(&taken, &entries)
        return taken
    }

    /// The entries that were taken belong to this batch.
    package mutating func batchFormed(_ batch: UInt64) { commits.batchFormed(batch) }

    /// Batches up to this one are durable.
    package mutating func committed(through batch: UInt64) {
        for change in commits.takeCommitted(through: batch) { becomes(change) }
    }

    /// Writes an entry; the change holds when that is durable, or at once where nothing is written.
    mutating func write(_ entry: JournalEntry, _ change: ReceivedEpochs.Change) {
        if case .took(_, _, _, let at) = change, traits.isDurable { takenAt.append(at) }
        guard traits.isDurable else { return becomes(change) }
        entries.append(entry)
        commits.append(change)
        if mutants.contains(.acknowledgeBeforeCommit) {
            apply(change)
        }
    }

    private mutating func becomes(_ change: ReceivedEpochs.Change) {
        apply(change)
        guard case .took(_, _, let held, _) = change else { return }
        if traits.isDurable { forgetOldest() }
        if let held { credit.release(bytes: held) }
        updateCredit()
    }

    /// The journal holds a change: its answer is owed.
    private mutating func apply(_ change: ReceivedEpochs.Change) {
        switch change {
        case .took(let id, _, _, _):
            let former = durable.through(id.epoch)
            durable.apply(change)
            owe(id, after: former)
        case .decided(let id, _):
            durable.apply(change)
            owe(id, after: id.number.rawValue - 1)
        case .settled, .closed: durable.apply(change)
        }
    }

    private mutating func forgetOldest() {
        takenAtHead += 1
        untoldHead = max(untoldHead, takenAtHead)
        if takenAtHead > 64, takenAtHead * 2 > takenAt.count {
            takenAt.removeFirst(takenAtHead)
            untoldHead -= takenAtHead
            takenAtHead = 0
        }
    }
}
