/// A record that this side has accepted for delivery, with its full value.
///
/// A record never changes and is handed on many times between its acceptance and its end: all that
/// hold it share it.
package final class OutboundRecord: Hashable, Sendable {
    /// Its epoch, channel and number. In a latest-value channel the number is the version.
    package let id: RecordID
    /// The kind of the payload.
    package let kind: ContentKind
    /// The key whose latest value the record carries; nil in ordered channels.
    package let key: RecordKey?
    /// The content, in full.
    package let payload: [UInt8]
    /// The time at which the record loses its worth; nil when it never does.
    package let expiresAt: WallTime?
    /// The caller's own name for the act, if it gave one.
    package let idempotencyKey: UInt128?
    /// The wall-clock time at which the record was accepted.
    package let acceptedAt: WallTime
    /// Whether an answer is awaited.
    package let expectsReply: Bool
    /// The counterpart's interactive record that this one answers, if it is an answer.
    package let inReplyTo: RecordNumber?

    /// Makes the record that `draft` became when it was accepted as `id`.
    package init(id: RecordID, draft: RecordDraft, acceptedAt: WallTime) {
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
    package static func == (left: OutboundRecord, right: OutboundRecord) -> Bool {
        left.id == right.id && left.kind == right.kind && left.key == right.key
            && left.payload == right.payload && left.expiresAt == right.expiresAt
            && left.idempotencyKey == right.idempotencyKey
            && left.acceptedAt == right.acceptedAt && left.expectsReply == right.expectsReply
            && left.inReplyTo == right.inReplyTo
    }

    /// Hashes the identity; equal records agree in it.
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
