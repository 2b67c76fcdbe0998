/// A record that this side has accepted for delivery, with its full value.
///
/// A record never changes and is handed on many times between its acceptance and its end: all that
/// hold it share it.
public final class OutboundRecord: Hashable, Sendable {
    /// Its epoch, channel and number. In a latest-value channel the number is the version.
    public let id: RecordID
    /// The kind of the payload.
    public let kind: ContentKind
    /// The key whose latest value the record carries; nil in ordered channels.
    public let key: RecordKey?
    /// The content, in full.
    public let payload: [UInt8]
    /// The time at which the record loses its worth; nil when it never does.
    public let expiresAt: WallTime?
    /// The caller's own name for the act, if it gave one.
    public let idempotencyKey: UInt128?
    /// The wall-clock time at which the record was accepted.
    public let acceptedAt: WallTime
    /// Whether an answer is awaited.
    public let expectsReply: Bool
    /// The counterpart's interactive record that this one answers, if it is an answer.
    public let inReplyTo: RecordNumber?

    /// Makes the record that `draft` became when it was accepted as `id`.
    public init(id: RecordID, draft: RecordDraft, acceptedAt: WallTime) {
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

    /// Whether both are the same record with the same content.
    public static func == (left: OutboundRecord, right: OutboundRecord) -> Bool {
        left.id == right.id && left.kind == right.kind && left.key == right.key
            && left.payload == right.payload && left.expiresAt == right.expiresAt
            && left.idempotencyKey == right.idempotencyKey
            && left.acceptedAt == right.acceptedAt && left.expectsReply == right.expectsReply
            && left.inReplyTo == right.inReplyTo
    }

    /// Hashes the identity; equal records agree in it.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
