/// The register of the counterpart's epochs that this side has written down.
package protocol KnownEpochs {
    /// Whether values of the epoch are taken.
    func isKnown(_ epoch: EpochID) -> Bool
    /// Writes the epoch down, with an entry of the batch that is formed next.
    mutating func markKnown(_ epoch: EpochID)
}

extension CounterpartEpochs: KnownEpochs {}

/// The counterpart's values on their way in: one machine for both latest-value channels.
/// (Models/IDENTITY.md, section 6; the article *Latest-value channels* numbers the rules.)
package struct LatestValueReceiver: Sendable {
    let limits: Limits
    let kinds: RecordKinds
    let mutants: LatestMutants
    /// The values as this process holds them, and as the journal holds them.
    var values: ReceivedValues
    private(set) var journaled: DurableValues
    var entries: [JournalEntry] = []
    /// The newest value of each key for the application to take.
    var deliveries: WaitingValues
    /// Values of before the start wait among them, which do not wait for the journal.
    private var isFresh = false
    /// The newest value of each key that the application was given and has not answered.
    var delivering = OrderedTable<ValueName, RecordID>()
    /// Values that a delta may name beside those held, of ``basesKept`` keys at most.
    var bases = OrderedTable<ValueName, Bases>()
    /// The place from which a key's bases went last, to make room. It is never the last place,
    /// where the newest key stands.
    var nextToGo = 0
    static let basesKept = 256
    var session: Session?

    /// Values of a key that the sender may take for its base.
    struct Bases: Sendable {
        /// The one that it named last.
        var base: InboundRecord?
        /// The one that it has marked as the next.
        var marked: InboundRecord?
    }

    /// Makes the receiver of an opening. Values on which the application has not decided are given
    /// to it again.
    package init(limits: Limits, restoring image: Image) {
        self.limits = limits
        mutants = image.values.mutants
        kinds = image.values.kinds
        values = image.values
        journaled = DurableValues(marks: image.values.marks)
        deliveries = WaitingValues(charging: values)
        for name in values.candidates.values { deliveries[name] = values[name]?.candidate }
        isFresh = !deliveries.isEmpty
    }

    // MARK: Questions

    /// The summary of the counterpart's values, as this process holds them, for this side's hello.
    package var presentation: HeldPresentation {
        let isOfJournal = mutants.contains(.presentDurable)
        var top = isOfJournal ? journaled.marks.top : values.top
        for id in delivering.values where id.number.rawValue > top?.version ?? 0 {
            top = VersionMark(epoch: id.epoch, version: id.number.rawValue)
        }
        return HeldPresentation(
            top: top, digest: isOfJournal ? durableDigest : values.digest)
    }

    /// The value that the application has applied of a key.
    package func held(_ name: ValueName) -> InboundRecord? { values[name]?.held }

    /// Whether the application was given a value and left it pending.
    package func isPending(_ id: RecordID) -> Bool { values.candidates[id] != nil }

    /// Whether the application was given any value and left it pending.
    package var hasPending: Bool { !values.candidates.isEmpty }

    /// The most entries that may wait for the journal before values that are not urgent wait, too.
    /// It keeps a large set from standing in memory twice.
    static let entriesUnderWay = 512

    /// Values that are not urgent and may go to the application now; at a start all may.
    private var room: Int {
        isFresh ? .max : max(0, Self.entriesUnderWay - journaled.entryCount)
    }

    /// Whether there are values for the application now.
    package var hasDeliveries: Bool {
        !deliveries.isEmpty && (room > 0 || deliveries.urgentCount > 0)
    }

    /// Takes values for the application; each is answered with ``disposed(_:_:clock:)``.
    package mutating func takeDeliveries() -> [InboundRecord] {
        guard hasDeliveries else { return [] }
        let records = deliveries.take(upTo: room)
        isFresh = false
        for record in records {
            guard let key = record.key else { continue }
            let name = ValueName(channel: record.id.channel, key: key)
            if record.id.number > delivering[name]?.number ?? RecordNumber(0) {
                delivering[name] = record.id
            }
        }
        return records
    }

    // MARK: The application's word

    /// The application's word on a value that it was given.
    package mutating func disposed(
        _ record: InboundRecord, _ disposition: Disposition, clock: WallTime
    ) {
        guard let key = record.key, record.id.channel.traits.order == .latestValue else { return }
        let name = ValueName(channel: record.id.channel, key: key)
        if delivering[name] == record.id { delivering.remove(name) }
        defer { wordCame(on: record.id) }
        guard values.candidates[record.id] == nil else {
            decide(record.id, disposition)
            return
        }
        guard record.id.number.rawValue > values.version(of: name) else { return }
        emit(.received(record, disposition, at: clock))
    }

    /// The application has answered a value that it was given before the session. The next batch
    /// writes that down.
    private mutating func wordCame(on id: RecordID) {
        guard let words = session?.wordsAwaited, words.contains(id) else { return }
        session?.wordsAwaited.removeAll { $0 == id }
        if words.count == 1, hasEntries { session?.cleanAfter = .max }
    }

    /// The application's later word on a value that it had left pending. Nothing happens where a
    /// newer value has taken its place.
    package mutating func decide(_ id: RecordID, _ disposition: Disposition) {
        guard disposition != .pending, values.candidates[id] != nil else { return }
        emit(.decided(id, disposition))
    }

    // MARK: Journal

    /// The journal's state of the counterpart's values.
    package struct Image: Sendable {
        var values: ReceivedValues

        /// Makes the image of an empty journal. `kinds` tells which values are removals.
        package init(kinds: RecordKinds, mutants: LatestMutants = []) {
            values = ReceivedValues(kinds: kinds, mutants: mutants)
        }

        /// Takes in one entry; those of other rooms change nothing.
        package mutating func apply(_ entry: JournalEntry) { values.apply(entry) }
    }

    mutating func emit(_ entry: JournalEntry) {
        let changed = values.apply(entry)
        entries.append(entry)
        journaled.append(entry, changing: changed, marks: values.marks)
    }

    /// The value that the journal holds of a key.
    func durable(_ name: ValueName) -> ReceivedValue? {
        journaled.value(of: name, now: values[name])
    }

    /// The digest of the values that the journal holds.
    var durableDigest: UInt64 {
        ReceivedValues.digest(journaled.names(values)) { durable($0)?.version }
    }

    /// Takes the entries since the last call; ``batchFormed(_:)`` follows.
    package mutating func takeEntries() -> [JournalEntry] {
        defer { entries.removeAll() }
        return entries
    }

    /// Whether entries wait to be taken.
    package var hasEntries: Bool { !entries.isEmpty }

    /// The entries that were taken belong to batch `batch`.
    package mutating func batchFormed(_ batch: UInt64) {
        journaled.batchFormed(batch)
        if session?.cleanAfter == .max { session?.cleanAfter = batch }
    }

    /// The journal holds the batches up to `batch`.
    package mutating func committed(through batch: UInt64) {
        for entry in journaled.takeCommitted(through: batch) {
            switch entry {
            case .received(let record, let disposition, _): stateIsDue(record.id, disposition)
            case .decided(let id, let disposition): stateIsDue(id, disposition)
            default: break
            }
        }
        if let cleanAfter = session?.cleanAfter, batch >= cleanAfter { session?.cleanAfter = nil }
    }

    /// The state of a value that the journal holds may be told: this queues the answer.
    mutating func stateIsDue(_ id: RecordID, _ disposition: Disposition) {
        switch disposition {
        case .applied: session?.applied.insert(id.number.rawValue)
        case .pending: session?.pending.insert(id.number.rawValue)
        case .rejected(let code): outcomeIsDue(id.number.rawValue, code)
        }
    }

    mutating func outcomeIsDue(_ version: UInt64, _ rejection: UInt16?) {
        let frame = ValueOutcomeFrame(version: version, rejection: rejection)
        if session?.outcomes.last != frame { session?.outcomes.append(frame) }
    }
}
