/// The values of this side on their way out: one machine for both latest-value channels.
///
/// It keeps per key the newest value, the base that the counterpart is known to have committed, and
/// one candidate for the next base. A value that a newer one replaces costs nothing any more.
/// (Models/IDENTITY.md, section 6; the article *Latest-value channels* numbers the rules.)
package struct LatestValueSender: Sendable {
    /// An event in the life of a value, for the application.
    package enum Event: Hashable, Sendable {
        /// A value came this far.
        case progress(RecordID, Stage)
        /// A value was put into a packet before the journal held it.
        case departed(RecordID)
        /// A value is over.
        case settled(RecordID, Outcome)
        /// A value goes on under a new name; the one before is superseded.
        case renumbered(RecordID, as: RecordID)
        /// The counterpart's value of a key is this side's again; nil where it had removed the key
        /// and no kind of removal is known.
        case recovered(OutboundRecord)
        /// This side's journal had lost a value that the counterpart holds, and holds another one,
        /// which goes on.
        case conflict(ours: OutboundRecord, theirs: RecoveredValue)
    }

    /// A value of an own key as the counterpart holds it.
    package struct RecoveredValue: Hashable, Sendable {
        /// The channel and key.
        package var name: ValueName
        /// The highest version of the key there.
        package var version: UInt64
        /// The content kind of the value.
        package var kind: ContentKind
        /// The content, in full.
        package var payload: [UInt8]
    }

    /// A fact that takes effect when the journal commits.
    enum Action: Sendable {
        case accepted(RecordID, ValueName, replaces: RecordID?, isRenewal: Bool)
        case settled(RecordID, Outcome)
        case reserved(UInt64)
        case adopted(replaces: RecordID?)
        case mended(conflicts: [Event])
        case watermark
        case none
    }

    let limits: Limits
    let kinds: RecordKinds
    let mutants: LatestMutants
    /// The epoch of this opening.
    package let present: EpochID
    var values: OwnValues
    /// The highest version given out, or that this side may not give out.
    var lastVersion: UInt64
    /// The end of the reservation that was given to the journal.
    package internal(set) var reservationEnd: UInt64
    /// The end of the reservation that the journal holds.
    var durableReservationEnd: UInt64
    var entries: [JournalEntry] = []
    var commits = CommitQueue<Action>()
    var events: [Event] = []
    /// The outcomes of recently settled values.
    var outcomes: RecordRuns<Outcome>
    /// Values that gave way to a newer one that the journal does not hold yet, and how far they
    /// came.
    var replaced = OrderedTable<RecordID, Stage>()
    /// The state of each key that only this process holds; the journal does not.
    var transmissions = OrderedTable<ValueName, Transmission>()
    /// The key of each marked value that is not the newest any more, by version.
    var markedNames = OrderedTable<UInt64, ValueName>()
    var queues = Array(repeating: DueQueue(), count: Channel.count)
    /// Values in fragments, by the code of their channel.
    var fragmented: [[FragmentedValue]] = Array(repeating: [], count: Channel.count)
    /// Batches that mend and are not durable; a session that ends may leave one.
    var mendsUnderWay = 0
    var session: Session?
    /// The summary of the receiver's values that the next session between the same openings goes
    /// by: the last one left a verdict or a comparison open.
    package internal(set) var unfinished: HeldPresentation?
    /// The keys whose lost value was still to come when the last session ended; nil where no
    /// comparison was open.
    var interrupted: OrderedTable<ValueName, Bool>?
    var resumesComparison: Bool { interrupted != nil }
    /// Values that left as a delta, again or not.
    package internal(set) var deltasSent: UInt64 = 0
    /// Values that were not accepted anew, as they were equal to the newest of their key.
    package internal(set) var equalSkipped: UInt64 = 0
    /// Values that a newer one replaced before they left.
    package internal(set) var replacedUnsent: UInt64 = 0

    /// Outcomes that ``status(of:)`` remembers.
    static let outcomeLimit = 4096
    /// Versions reserved at a time; more are reserved when a quarter is left.
    let reservationBlock: UInt64
    /// The highest version that the counterpart may name: from there on this side can still give
    /// out versions for ever.
    static let highestToldVersion = RecordNumber.largest >> 1

    /// Makes the sender of an opening.
    ///
    /// - Parameters:
    ///   - limits: the bounds of the peer.
    ///   - present: the epoch of the opening.
    ///   - versionsAbove: the end of the reservation before; versions go on above it.
    ///   - reservationEnd: the end of the reservation that the first batch of the opening made.
    ///   - image: what the journal holds of earlier openings.
    ///   - reservationBlock: versions reserved at a time.
    ///   - mutants: planted bugs, for tests.
    package init(
        limits: Limits, present: EpochID, versionsAbove: UInt64, reservationEnd: UInt64,
        restoring image: Image, reservationBlock: UInt64 = 1024, mutants: LatestMutants = []
    ) {
        self.limits = limits
        self.reservationBlock = reservationBlock
        kinds = image.values.kinds
        self.mutants = mutants
        self.present = present
        values = image.values
        outcomes = image.outcomes
        let noReservation = mutants.contains(.noReservation)
        lastVersion =
            noReservation ? image.values.highest : max(versionsAbove, image.values.highest)
        self.reservationEnd = reservationEnd
        durableReservationEnd = reservationEnd
    }

    // MARK: Acceptance

    /// Accepts a value. A refusal says why not; nothing has changed then. A value equal to the
    /// newest one of its key is that one.
    package mutating func accept(
        _ draft: RecordDraft, clock: WallTime
    ) throws(SendRefusal) -> RecordID {
        guard let key = draft.key, draft.channel.traits.order == .latestValue else {
            throw .channelMismatch
        }
        let name = ValueName(channel: draft.channel, key: key)
        if let refusal = refusal(of: draft, name, clock) { throw refusal }
        if let value = values[name], isSame(value, draft) {
            equalSkipped += 1
            return value.newest.id
        }
        let isGrowth = values.charge(draft.kind, draft.payload.count) - values.charge(of: name)
        let limit = draft.channel.traits.setByteLimit
        guard isGrowth <= 0 || values.bytes[Int(draft.channel.rawValue)] + isGrowth <= limit else {
            throw .setTooLarge(limit: limit)
        }
        guard values[name] != nil || values.table.count < limits.keys else {
            throw .tooManyKeys(limit: limits.keys)
        }
        return enqueue(draft, name, clock)
    }

    /// The reason to refuse a draft whatever the set is; nil for none.
    func refusal(of draft: RecordDraft, _ name: ValueName, _ clock: WallTime) -> SendRefusal? {
        let limit = min(
            draft.channel.traits.recordByteLimit, kinds[draft.kind]?.byteLimit ?? .max)
        if draft.payload.count > limit {
            return .tooLarge(bytes: draft.payload.count, limit: limit)
        }
        if draft.expectsReply || draft.inReplyTo != nil || draft.idempotencyKey != nil
            || kinds.coded(as: draft.kind) != nil
        {
            return .channelMismatch
        }
        if let expiresAt = draft.expiresAt, expiresAt <= clock { return .alreadyExpired }
        return nil
    }

    /// Whether the value says what the draft would, and was not refused.
    func isSame(_ value: OwnValue, _ draft: RecordDraft) -> Bool {
        !value.isEnded && value.newest.kind == draft.kind && value.newest.payload == draft.payload
            && value.newest.expiresAt == draft.expiresAt
    }

    /// Gives a draft a new name. The value that it replaces is over once the journal holds the new
    /// one.
    @discardableResult
    mutating func enqueue(
        _ draft: RecordDraft, _ name: ValueName, _ clock: WallTime, isRenewal: Bool = false
    ) -> RecordID {
        let id = newName(name.channel)
        var former: RecordID?
        // An ended value whose outcome was forgotten is not settled twice.
        if let value = values[name], value.progress.isUnsettled, outcomes[value.newest.id] == nil {
            former = value.newest.id
            replaced[value.newest.id] = stage(of: value, name)
            if (transmissions[name]?.leftVersion ?? 0) < value.version { replacedUnsent += 1 }
        }
        let record = OutboundRecord(id: id, draft: draft, acceptedAt: clock)
        // Makes the state of the key from the former value, while that is still the newest.
        change(name) { _ in }
        emit(
            .queued(record), .accepted(id, name, replaces: former, isRenewal: isRenewal))
        let waits = draft.waitsForCommit || !draft.channel.traits.overlapsCommit
        change(name) { transmission in
            transmission.isDurable = false
            transmission.waitsForCommit = waits
            transmission.reached = .queued
            transmission.reported = nil
        }
        session?.isMatched = false
        makeDue(name)
        return id
    }

    /// The one way in which a value gets a name: the present epoch and a new version.
    mutating func newName(_ channel: Channel) -> RecordID {
        lastVersion += 1
        reserve(through: lastVersion)
        return RecordID(epoch: present, channel: channel, number: RecordNumber(lastVersion))
    }

    /// Makes the reservation reach `version`, with some to spare.
    mutating func reserve(through version: UInt64) {
        guard version + reservationBlock / 4 > reservationEnd else { return }
        reservationEnd = version + reservationBlock
        emit(.opened(present, reservationEnd: reservationEnd), .reserved(reservationEnd))
    }

    mutating func emit(_ entry: JournalEntry, _ action: Action) {
        values.apply(entry)
        entries.append(entry)
        commits.append(action)
    }

    /// Changes what this process knows of a key. Where it knew nothing, a value that the
    /// counterpart holds is the base.
    mutating func change(_ name: ValueName, _ change: (inout Transmission) -> Void) {
        transmissions.update(name, default: Transmission(values[name]), change)
    }

    // MARK: Cancelling

    /// Ends a value that has not left: it is not offered any more, and the counterpart keeps the
    /// one before. False where it may have left, or is not the newest of its key: a newer value is
    /// the way to undo one.
    package mutating func cancel(_ id: RecordID, as outcome: Outcome = .cancelled) -> Bool {
        guard let name = values.name(of: id), id.epoch == present,
            values[name]?.progress == .queued,
            (transmissions[name]?.leftVersion ?? 0) < id.number.rawValue
        else { return false }
        change(name) { $0.isDue = false }
        emit(.settled(id, outcome), .settled(id, outcome))
        return true
    }
}
