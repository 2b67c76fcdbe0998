extension RecordFrame {
    /// Frames `record`.
    package init(
        _ record: OutboundRecord, address: RecordAddress, predecessor: RecordAddress?,
        payload: [UInt8]
    ) {
        self.init(
            channel: record.id.channel, address: address, kind: record.kind, payload: payload)
        self.predecessor = predecessor
        expectsReply = record.expectsReply
        inReplyTo = record.inReplyTo
        expiresAt = record.expiresAt
        idempotencyKey = record.idempotencyKey
    }
}
