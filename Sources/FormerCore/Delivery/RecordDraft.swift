/// What the application asks to have delivered.
public struct RecordDraft: Hashable, Sendable {
    /// The lane that is to carry it.
    public var lane: Lane
    /// What the payload is.
    public var kind: ContentKind
    /// What the record is the newest value of; required in newest-per-key lanes, refused elsewhere.
    public var key: RecordKey?
    /// At most the lane's `recordByteLimit` bytes.
    public var payload: [UInt8]
    /// When the record loses its worth; the record then expires explicitly, with a receipt.
    public var expiresAt: WallTime?
    /// The caller's own name for the act within its lane, so that its retry after a crash counts
    /// once: while a record of that name is under way it stands for the retry, and the receiver
    /// answers a later one as it answered the first (``IdempotencyWindow`` says for how long). What
    /// the retry holds is not compared. Refused in newest-per-key lanes, whose values count however
    /// often they come.
    public var idempotencyKey: UInt128?
    /// Whether an answer is awaited (interactive lane only).
    public var expectsReply: Bool
    /// The counterpart's interactive record this one answers.
    public var inReplyTo: RecordNumber?
    /// Whether it leaves only when the local journal holds it. What leaves before and is undone by
    /// a crash is known to the counterpart alone: faster, but nothing for a dose taken. Those
    /// behind it in its lane wait with it.
    public var waitsForCommit: Bool

    /// Makes a draft of these parts; nothing is checked before it is sent.
    public init(
        lane: Lane, kind: ContentKind, key: RecordKey? = nil, payload: [UInt8],
        expiresAt: WallTime? = nil, idempotencyKey: UInt128? = nil, expectsReply: Bool = false,
        inReplyTo: RecordNumber? = nil, waitsForCommit: Bool = false
    ) {
        self.lane = lane
        self.kind = kind
        self.key = key
        self.payload = payload
        self.expiresAt = expiresAt
        self.idempotencyKey = idempotencyKey
        self.expectsReply = expectsReply
        self.inReplyTo = inReplyTo
        self.waitsForCommit = waitsForCommit
    }
}

/// Our caller asked for what cannot be; nothing has changed.
public enum SendRefusal: Error, Hashable, Sendable {
    /// The lane needs a counterpart that can answer now.
    case notReachable
    /// The payload exceeds the lane's limit.
    case tooLarge(bytes: Int, limit: Int)
    /// The lane's queue is full; try again when transfers have settled.
    case queueFull(records: Int)
    /// The newest-per-key lane has as many keys as it can, removed ones left out of which the
    /// counterpart has applied the removal; try again when transfers have settled.
    case tooManyKeys(limit: Int)
    /// With this value all values of the newest-per-key lane would take more bytes than a
    /// counterpart has to hold: remove keys first.
    case setTooLarge(limit: Int)
    /// A newest-per-key lane got no key, or an ordered lane got one.
    case keyMismatch
    /// A reply was asked for, or given, outside the interactive lane.
    case replyOutsideInteractiveLane
    /// A newest-per-key lane got an idempotency key: its values need none.
    case idempotencyKeyInNewestLane
    /// The record has expired before it was accepted.
    case alreadyExpired
    /// The journal failed; it must be opened again.
    case journalFailed
}

/// What is known of a record, as ``Peer/status(of:)`` answers in this process and after any number
/// of restarts.
///
/// - A record is ``underWay(_:)`` from its acceptance until the local journal holds how it ended;
///   after a restart it is, if the journal holds it.
/// - ``settled(_:)`` is durable here, and stays known for the newest
///   ``OutcomeLog/capacity`` records that ended, also when their epoch is retired.
/// - ``unknown`` is everything else: a record that a crash undid before its commit (the counterpart
///   may hold it all the same), one whose outcome was forgotten for newer ones, one of a wiped
///   journal, one of another device.
public enum RecordStatus: Hashable, Sendable {
    /// Under way, and how far.
    case underWay(Stage)
    /// Over, and how.
    case settled(Outcome)
    /// Not (or no longer) known here. Never a guess.
    case unknown

    /// Whether the counterpart's application took the record over: yes; no, and it never will; or
    /// nil, which is unknown: not yet, not any more, or to nobody.
    public var wasApplied: Bool? {
        switch self {
        case .underWay(.applied), .settled(.applied): true
        case .settled(.cancelled), .settled(.expired), .settled(.rejected),
            .settled(.notDelivered):
            false
        // Of a superseded one the counterpart may have taken over the value and not said so.
        case .settled(.superseded), .settled(.unknown), .settled(.outcomeUnknown), .underWay,
            .unknown:
            nil
        }
    }
}

/// A record as it arrives at the other application.
public struct InboundRecord: Hashable, Sendable {
    /// Its epoch, lane and number, as the sender gave them.
    public var id: RecordID
    /// What the payload is.
    public var kind: ContentKind
    /// What the record is the newest value of; nil outside newest-per-key lanes.
    public var key: RecordKey?
    /// The content, in full.
    public var payload: [UInt8]
    /// Whether the sender awaits an answer.
    public var expectsReply: Bool
    /// This side's interactive record that it answers, if it is an answer.
    public var inReplyTo: RecordNumber?
    /// The sender's name for the act, if it gave one.
    public var idempotencyKey: UInt128?

    /// Makes a record of these parts.
    public init(
        id: RecordID, kind: ContentKind, key: RecordKey?, payload: [UInt8],
        expectsReply: Bool = false, inReplyTo: RecordNumber? = nil, idempotencyKey: UInt128? = nil
    ) {
        self.id = id
        self.kind = kind
        self.key = key
        self.payload = payload
        self.expectsReply = expectsReply
        self.inReplyTo = inReplyTo
        self.idempotencyKey = idempotencyKey
    }
}

/// What the application says of a record it was given.
public enum Disposition: Hashable, Sendable {
    /// Taken over; its writes belong to the same journal transaction as the record.
    case applied
    /// Taken note of; ``Peer/applied(_:at:)`` will follow.
    case pending
    /// Refused for good, with the application's own code. The link lives.
    case rejected(code: UInt16)
}
