/// A record that the application asks to have delivered.
package struct RecordDraft: Hashable, Sendable {
    /// The channel that carries it.
    package var channel: Channel
    /// The kind of the payload.
    package var kind: ContentKind
    /// The key whose latest value the record carries. Latest-value channels require it; all others
    /// refuse it.
    package var key: RecordKey?
    /// At most the channel's `recordByteLimit` bytes.
    package var payload: [UInt8]
    /// The time at which the record loses its worth. It then expires explicitly, with an outcome.
    package var expiresAt: WallTime?
    /// The caller's own name for the act within its channel, so that a retry counts once. Refused
    /// in latest-value channels.
    package var idempotencyKey: UInt128?
    /// Whether an answer is awaited (interactive channel only).
    package var expectsReply: Bool
    /// The counterpart's interactive record that this one answers.
    package var inReplyTo: RecordNumber?
    /// The epoch of the record that it answers: in a session with another epoch of the counterpart
    /// the reply is refused. Nil is not compared.
    package var askedIn: EpochID?
    /// Whether it leaves only when the local journal holds it. The records behind it in its channel
    /// wait with it.
    package var waitsForCommit: Bool
    /// Whether somebody waits for it: it is not gathered with later changes.
    package var isUrgent: Bool

    /// Makes a draft of these parts; nothing is checked before it is sent.
    package init(
        channel: Channel, kind: ContentKind, key: RecordKey? = nil, payload: [UInt8],
        expiresAt: WallTime? = nil, idempotencyKey: UInt128? = nil, expectsReply: Bool = false,
        inReplyTo: RecordNumber? = nil, waitsForCommit: Bool = false,
        isUrgent: Bool = false
    ) {
        self.channel = channel
        self.kind = kind
        self.key = key
        self.payload = payload
        self.expiresAt = expiresAt
        self.idempotencyKey = idempotencyKey
        self.expectsReply = expectsReply
        self.inReplyTo = inReplyTo
        self.waitsForCommit = waitsForCommit
        self.isUrgent = isUrgent
    }

    /// Makes the reply to an interactive record of the counterpart.
    package init(replyTo asked: RecordID, kind: ContentKind, payload: [UInt8]) {
        self.init(channel: .interactive, kind: kind, payload: payload, inReplyTo: asked.number)
        askedIn = asked.epoch
    }
}

/// Our caller asked for what cannot be; nothing has changed.
public enum SendRefusal: Error, Hashable, Sendable {
    /// The channel needs a counterpart that is reachable.
    case notReachable
    /// The payload exceeds the limit of the channel or of its kind.
    case tooLarge(bytes: Int, limit: Int)
    /// The channel's queue is full; try again when transfers have settled.
    case queueFull(records: Int)
    /// The latest-value channel has as many keys as it can; try again when transfers have settled.
    case tooManyKeys(limit: Int)
    /// The values of the latest-value channel would take more bytes than a counterpart has to hold:
    /// remove keys first.
    case setTooLarge(limit: Int)
    /// The record has what its channel does not have, or lacks what it needs: a value has a key and
    /// no idempotency key, a record of an ordered channel has no key, and only the interactive
    /// channel has replies.
    case channelMismatch
    /// The record had expired before it was accepted.
    case alreadyExpired
    /// The journal failed; the environment opens it again.
    case journalFailed
}

/// The known status of a record. Never a guess.
package enum RecordStatus: Hashable, Sendable {
    /// Under way, and how far. A stage above *queued* says that the record is durable here;
    /// *queued* says only that it is accepted.
    case underWay(Stage)
    /// Over, and how; durable here.
    case settled(Outcome)
    /// The counterpart had applied it, and has lost state since (Models/IDENTITY.md, section 7).
    case lostSince
    /// Not (or no longer) known here.
    case unknown
}

/// A record as it arrives at the other application. It never changes: rooms and journal share one
/// copy of it. A watch holds thousands, so the parts that few records have are stored apart.
package final class InboundRecord: Hashable, Sendable {
    /// The parts that few records have.
    private final class Details: Sendable {
        let expectsReply: Bool
        let inReplyTo: RecordNumber?
        let expiresAt: WallTime?
        let idempotencyKey: UInt128?

        init(
            _ expectsReply: Bool, _ inReplyTo: RecordNumber?, _ expiresAt: WallTime?,
            _ idempotencyKey: UInt128?
        ) {
            self.expectsReply = expectsReply
            self.inReplyTo = inReplyTo
            self.expiresAt = expiresAt
            self.idempotencyKey = idempotencyKey
        }
    }

    private let storedKey: RecordKey
    private let epoch: EpochID
    private let number: RecordNumber
    /// The content, in full.
    package let payload: [UInt8]
    private let details: Details?
    private let channel: Channel
    private let hasKey: Bool
    /// The kind of the payload.
    package let kind: ContentKind

    /// Its epoch, channel and number, as the sender gave them. In a latest-value channel the number
    /// is the version.
    package var id: RecordID { RecordID(epoch: epoch, channel: channel, number: number) }
    /// The key whose latest value the record carries; nil in ordered channels.
    package var key: RecordKey? { hasKey ? storedKey : nil }
    /// Whether the sender awaits an answer.
    package var expectsReply: Bool { details?.expectsReply ?? false }
    /// This side's interactive record that it answers, if it is an answer.
    package var inReplyTo: RecordNumber? { details?.inReplyTo }
    /// The time at which the record loses its worth, as the sender says.
    package var expiresAt: WallTime? { details?.expiresAt }
    /// The sender's name for the act, if it gave one.
    package var idempotencyKey: UInt128? { details?.idempotencyKey }

    /// Makes a record of these parts.
    package init(
        id: RecordID, kind: ContentKind, key: RecordKey?, payload: [UInt8],
        expectsReply: Bool = false, inReplyTo: RecordNumber? = nil, expiresAt: WallTime? = nil,
        idempotencyKey: UInt128? = nil
    ) {
        (epoch, channel, number) = (id.epoch, id.channel, id.number)
        self.kind = kind
        storedKey = key ?? RecordKey(rawValue: 0)
        hasKey = key != nil
        self.payload = payload
        let isPlain =
            !expectsReply && inReplyTo == nil && expiresAt == nil && idempotencyKey == nil
        details = isPlain ? nil : Details(expectsReply, inReplyTo, expiresAt, idempotencyKey)
    }

    /// The same record with another copy of its payload.
    package func with(_ payload: [UInt8]) -> InboundRecord {
        InboundRecord(
            id: id, kind: kind, key: key, payload: payload, expectsReply: expectsReply,
            inReplyTo: inReplyTo, expiresAt: expiresAt, idempotencyKey: idempotencyKey)
    }

    /// Whether both are the same record with the same content.
    package static func == (left: InboundRecord, right: InboundRecord) -> Bool {
        left === right
            || (left.id == right.id && left.kind == right.kind && left.key == right.key
                && left.payload == right.payload && left.expectsReply == right.expectsReply
                && left.inReplyTo == right.inReplyTo && left.expiresAt == right.expiresAt
                && left.idempotencyKey == right.idempotencyKey)
    }

    /// Hashes the identity; equal records agree in it.
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The answer of the application to a record that it was given.
package enum Disposition: Hashable, Sendable {
    /// Taken over; its writes belong to the journal transaction of the record.
    case applied
    /// Taken note of; the decision follows.
    case pending
    /// Refused for good, with the application's own code. The link lives.
    case rejected(code: UInt16)
}
