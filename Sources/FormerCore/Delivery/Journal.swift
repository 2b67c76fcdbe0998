/// Names one batch of journal entries; the host hands it back once the batch is durable.
public struct JournalReceipt: Hashable, Comparable, Sendable {
    /// The batch's number; a later batch has a higher one.
    public var rawValue: UInt64
    /// Makes the receipt of the batch with this number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Whether `left` names the earlier batch.
    public static func < (left: JournalReceipt, right: JournalReceipt) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A record this side has accepted for delivery, with its full value.
public struct OutboundRecord: Hashable, Sendable {
    /// A record never changes, and is handed on many times between its acceptance and its end: all
    /// who have it share it.
    private final class Contents: Hashable, Sendable {
        let id: RecordID
        let kind: ContentKind
        let key: RecordKey?
        let payload: [UInt8]
        let expiresAt: WallTime?
        let idempotencyKey: UInt128?
        let acceptedAt: WallTime?
        let expectsReply: Bool
        let inReplyTo: RecordNumber?

        init(_ id: RecordID, _ draft: RecordDraft, _ acceptedAt: WallTime?) {
            self.id = id
            kind = draft.kind
            key = draft.key
            payload = draft.payload
            expiresAt = draft.expiresAt
            idempotencyKey = draft.idempotencyKey
            self.acceptedAt = acceptedAt
            expectsReply = draft.expectsReply
            inReplyTo = draft.inReplyTo
        }

        static func == (left: Contents, right: Contents) -> Bool {
            left.id == right.id && left.kind == right.kind && left.key == right.key
                && left.payload == right.payload && left.expiresAt == right.expiresAt
                && left.idempotencyKey == right.idempotencyKey
                && left.acceptedAt == right.acceptedAt && left.expectsReply == right.expectsReply
                && left.inReplyTo == right.inReplyTo
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(id)
            hasher.combine(payload)
        }
    }

    private let contents: Contents

    /// Its epoch, lane and number.
    public var id: RecordID { contents.id }
    /// What the payload is.
    public var kind: ContentKind { contents.kind }
    /// What the record is the newest value of; nil outside newest-per-key lanes.
    public var key: RecordKey? { contents.key }
    /// The content, in full.
    public var payload: [UInt8] { contents.payload }
    /// When the record loses its worth; nil when it never does.
    public var expiresAt: WallTime? { contents.expiresAt }
    /// The caller's own name for the act, if it gave one.
    public var idempotencyKey: UInt128? { contents.idempotencyKey }
    /// When it was accepted, on the wall clock; nil where a journal of format 1 does not say.
    public var acceptedAt: WallTime? { contents.acceptedAt }
    /// Whether an answer is awaited.
    public var expectsReply: Bool { contents.expectsReply }
    /// The counterpart's interactive record that this one answers, if it is an answer.
    public var inReplyTo: RecordNumber? { contents.inReplyTo }

    /// Makes the record that `draft` became when it was accepted as `id`.
    public init(id: RecordID, draft: RecordDraft, acceptedAt: WallTime? = nil) {
        contents = Contents(id, draft, acceptedAt)
    }
}

extension OutboundRecord {
    /// What the act is known by, if its caller named it.
    var idempotencyName: IdempotencyName? {
        idempotencyKey.map { IdempotencyName(lane: id.lane, key: $0) }
    }
}

/// One fact that must outlive the process. Entries become durable in the order given.
public enum JournalEntry: Hashable, Sendable {
    /// This opening drew its epoch, with its first record. `parentHighest` holds, per lane, the
    /// highest number used in the epoch before it.
    case epochOpened(EpochID, parent: EpochID?, parentHighest: [RecordNumber])
    /// A record was accepted.
    case queued(OutboundRecord)
    /// The counterpart reported that a record of ours came this far.
    case reached(RecordID, Stage)
    /// A record of ours that may have left is to be taken back: as cancelled, or as expired. It is
    /// over when the counterpart has said so.
    case withdrawalAsked(RecordID, Outcome)
    /// A record of ours is over; its payload may go, except where it is the newest of its key.
    case settled(RecordID, Outcome)
    /// Nothing is remembered any more of a key of ours whose removal the counterpart has applied.
    case ownKeyForgotten(Lane, RecordKey)
    /// An epoch of ours is settled through; nothing of it will be offered again.
    case epochRetired(EpochID)
    /// The counterpart knows an epoch of this side that the journal does not: it belongs to a past
    /// that a crash or a restored backup undid. It ranks right after `after`; first when nil.
    case epochLost(EpochID, after: EpochID?)
    /// The counterpart handed back the value it holds of one of this side's keys.
    indirect case adopted(JournalImage.OwnValue)
    /// Something arrived in an epoch of the counterpart for the first time. It gets this rank, and
    /// every epoch of this rank or a higher one moves up by one; an epoch that had a rank before
    /// it was retired keeps that. `parent` is its epoch before, as the counterpart says.
    case counterpartEpoch(EpochID, rank: UInt64, parent: EpochID?)
    /// The counterpart will offer nothing more of this epoch.
    case counterpartEpochRetired(EpochID)
    /// The counterpart went on from before this epoch of its own, as one restored from a backup or
    /// wiped does: whoever speaks of the epoch again is another device.
    case counterpartEpochAbandoned(EpochID)
    /// A record of the counterpart arrived and was given to the application.
    indirect case received(InboundRecord, Disposition)
    /// The application's later word on a record it had left pending.
    case disposed(RecordID, Disposition)
    /// The counterpart took a record back before it was delivered here.
    case withdrawn(RecordID, Outcome)
    /// Nothing is remembered any more of a key of the counterpart whose value was removed.
    case counterpartKeyForgotten(Lane, RecordKey)
    /// The first record of the counterpart under this idempotency key was given to the application,
    /// which said this of it; entries of kind ``disposed(_:_:)`` say what it said later.
    case keyRemembered(UInt128, RecordID, Disposition, at: WallTime)
    /// A record of the counterpart came under the idempotency key of an earlier one and was
    /// answered as that one; when that is still pending, it waits for the word on it.
    case repeated(RecordID, of: RecordID, Disposition)
    /// The counterpart says: every record of this epoch and lane below `floor` is settled.
    case counterpartFloor(EpochID, Lane, floor: RecordNumber)
    /// First flights of this side may bear numbers below this one.
    case handshakesReserved(UInt64)
    /// Early data came behind a first flight of the counterpart that bore this number.
    case handshakeTaken(UInt64)
    /// What was measured of the path to the counterpart. Nothing depends on its being durable: it
    /// goes with the next batch that something does depend on.
    case pathMeasured(PathMemory)
    /// This opening had a session: whatever this side opens later names it.
    case openingMet(EpochID)
    /// An opening of the counterpart had a session, which had sessions before in the `former` ones.
    case counterpartMet(EpochID, former: [EpochID])
    /// An opening of the counterpart was found to be of a copied device.
    case counterpartRefused(EpochID)
}
