/// One ordered channel on its way out: acceptance, offers, answers, settlement (Models/IDENTITY.md,
/// section 7; the article *Ordered channels* numbers its rules).
///
/// The row of the channel steers it. Where the row says that records are not durable, nothing is
/// written, and a record ends with the session.
package struct OrderedSender: Sendable {
    /// An event for the application, or for a room above.
    package enum Event: Hashable, Sendable {
        /// A record came this far. Each stage is reported once, and none before the local commit.
        case reached(RecordID, Stage)
        /// A record was put into a packet before its local commit.
        case departed(RecordID)
        /// A record is over; the journal holds that.
        case settled(RecordID, Outcome)
        /// The counterpart holds these records of an own epoch, which a crash, a restore or a wipe
        /// took from this journal. The journal holds that they were returned.
        case tailLost(EpochID, Channel, numbers: ClosedRange<UInt64>)
    }

    /// A frame that is kept with its packet on a carrier that can lose; it holds for one session.
    enum Reference: Hashable, Sendable {
        /// A whole record, with its payload bytes.
        case record(RecordAddress, bytes: Int)
        /// A fragment of a record, in this round of its fragments.
        case fragment(RecordAddress, round: Int, offset: Int, length: Int)
        /// A request to cancel a record.
        case cancel(RecordAddress)
        /// A watermark.
        case watermark(RecordAddress)
    }

    /// A fact that takes effect when a batch of the journal is durable.
    enum Commit: Sendable {
        case accepted(RecordID)
        case settled(RecordID)
        case tailLost(EpochID, numbers: ClosedRange<UInt64>)
    }

    /// The state that lasts as long as a session.
    struct Session: Sendable {
        /// The own epochs as the frames of the session index them; the present one is the first.
        var listing: [EpochID]
        /// The same with those of which the counterpart may have heard: it may answer about them
        /// before its acknowledgement of the list.
        var told: [EpochID]
        var credit: SendCredit
        /// Records from here on were not yet offered in this session.
        var cursor = RecordPlace(epoch: 0, number: 0)
        /// Records to leave again, lowest first.
        var resend: [RecordPlace] = []
        /// The record whose fragments are leaving.
        var inFragments: RecordPlace?
        /// Requests to cancel that are to leave, lowest first.
        var cancels: [RecordPlace] = []
        /// Requests that have left and are not answered.
        var cancelsUnderWay = 0
        /// A watermark is worth a packet of its own.
        var watermarkIsUrgent = false
        /// Records that were settled since the session began.
        var settled = 0

        /// The counterpart knows these epochs; they have new places, by their former ones.
        mutating func arrange(_ listing: [EpochID], _ places: [Int]) {
            self.listing = listing
            cursor = RecordPlace(epoch: 0, number: 0)
            resend = resend.map { $0.moved(places) }.sorted()
            inFragments = inFragments?.moved(places)
            cancels = cancels.map { $0.moved(places) }.sorted()
            credit.arrange(places)
        }
    }

    /// The channel.
    package let channel: Channel
    let traits: ChannelTraits
    let limits: Limits
    /// Own epochs with records of the channel, oldest first; the last one is the present one.
    var epochs: [OutboundEpoch]
    /// Lost tails of epochs that this journal does not know: the highest number returned.
    var lostTails: OrderedTable<EpochID, UInt64>
    /// Own epochs with lost tails whose entries are not durable, and how many entries.
    var tailsUnderWay = OrderedTable<EpochID, Int>()
    /// Records that are not durably settled, and their payload bytes.
    var queuedRecords = 0
    var queuedBytes = 0
    /// Records that the counterpart has committed and on which its application decides later.
    var pendingThere = 0
    /// Records under way that have an idempotency key and are not being cancelled.
    var named = OrderedTable<UInt128, RecordID>()
    var expiries = ExpiryQueue()
    var outcomes: OutcomeLog
    var waiting = WaitingRecords()
    var entries: [JournalEntry] = []
    var events: [Event] = []
    var commits = CommitQueue<Commit>()
    var session: Session?
    /// The opening of the counterpart whose process took what stage *received* stands for.
    var counterpartOpening: EpochID?
    /// Mistakes that are planted by tests.
    package var mutants: OrderedMutants = []

    /// Opens the channel on a journal that holds `image`, in the opening `presentEpoch`.
    package init(
        channel: Channel, limits: Limits, presentEpoch: EpochID, restoring image: Image,
        clock: WallTime, at now: Instant
    ) {
        self.channel = channel
        self.limits = limits
        traits = channel.traits
        epochs = []
        outcomes = image.outcomes
        lostTails = image.lostTails
        restore(image, clock: clock, at: now)
        epochs.append(OutboundEpoch(id: presentEpoch))
    }

    // MARK: Questions

    /// The known status of a record. Before its own commit it is *queued*, also if it has left.
    package func status(of id: RecordID) -> RecordStatus {
        if let place = place(of: id), let item = epochs[place.epoch].items[place.number] {
            return .underWay(item.isDurable ? item.stage : .queued)
        }
        return outcomes[id] ?? .unknown
    }

    /// Records that are accepted and not durably settled.
    package var unsettledCount: Int { queuedRecords }

    /// The same records by name, oldest first.
    package var outstanding: [RecordID] {
        var ids: [RecordID] = []
        for epoch in epochs { epoch.items.visit { _, item in ids.append(item.record.id) } }
        return ids
    }

    /// Progress of catching up: records settled since the session began.
    package var settledInSession: Int { session?.settled ?? 0 }

    /// The durable record that has waited longest for the counterpart's commit, and for how long.
    package mutating func oldestUncommitted(at now: Instant) -> (id: RecordID, age: Duration)? {
        let epochs = epochs
        guard
            let oldest = waiting.oldest({ Self.waits($0, epochs) })
        else { return nil }
        let age = Int64(clamping: now.nanoseconds) - oldest.since
        return (oldest.id, .nanoseconds(max(0, age)))
    }

    /// When the next record loses its worth; nil where none does.
    package var nextExpiry: WallTime? { expiries.first?.moment }

    /// The highest number used in an own epoch and its watermark, for a hello.
    package func state(of epoch: EpochID) -> (last: UInt64, watermark: UInt64) {
        guard let place = epochs.lastIndex(where: { $0.id == epoch }) else { return (0, 0) }
        return (epochs[place].last, epochs[place].watermark)
    }

    /// Whether every record of an own epoch, or of a lost tail, is durably settled.
    package func isSettled(_ epoch: EpochID) -> Bool {
        tailsUnderWay[epoch] == nil && epochs.last { $0.id == epoch }?.items.isEmpty ?? true
    }

    static func waits(_ id: RecordID, _ epochs: [OutboundEpoch]) -> Bool {
        guard let epoch = epochs.last(where: { $0.id == id.epoch }),
            let item = epoch.items[id.number.rawValue]
        else { return false }
        return item.isLive && item.stage < .committed
    }

    // MARK: Places

    /// The place of a record; nil where its epoch is no longer kept.
    func place(of id: RecordID) -> RecordPlace? {
        guard let epoch = epochs.lastIndex(where: { $0.id == id.epoch }) else { return nil }
        return RecordPlace(epoch: epoch, number: id.number.rawValue)
    }

    /// The identity of the record at a place.
    func id(of place: RecordPlace) -> RecordID {
        RecordID(
            epoch: epochs[place.epoch].id, channel: channel, number: RecordNumber(place.number))
    }

    /// The address of a place in the session's frames; nil where its epoch is not listed.
    func address(of place: RecordPlace) -> RecordAddress? {
        guard let listing = session?.listing else { return nil }
        if place.epoch == epochs.count - 1 {
            return RecordAddress(epochIndex: 0, number: place.number)
        }
        let id = epochs[place.epoch].id
        return listing.firstIndex(of: id).map {
            RecordAddress(epochIndex: $0, number: place.number)
        }
    }

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

    /// The events since the last call, in order.
    package mutating func takeEvents() -> [Event] {
        var taken: [Event] = []
        swap(&taken, &events)
        return taken
    }
}
