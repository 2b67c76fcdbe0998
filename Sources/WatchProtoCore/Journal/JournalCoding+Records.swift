/// Records as a journal holds them: identity, kind, flags, what the flags announce, payload.
extension JournalCoding {
    private enum Flag {
        static let key: UInt8 = 1 << 0
        static let expiry: UInt8 = 1 << 1
        static let idempotencyKey: UInt8 = 1 << 2
        static let expectsReply: UInt8 = 1 << 3
        static let inReplyTo: UInt8 = 1 << 4
        static let all: UInt8 = 0x1F
    }

    static func write(_ record: OutboundRecord, to writer: inout WireWriter) {
        write(
            record.id, record.kind, record.key, record.expiresAt, record.idempotencyKey,
            record.expectsReply, record.inReplyTo, record.payload, to: &writer)
        writer.uint64(UInt64(bitPattern: record.acceptedAt.milliseconds))
    }

    static func write(_ record: InboundRecord, to writer: inout WireWriter) {
        write(
            record.id, record.kind, record.key, record.expiresAt, record.idempotencyKey,
            record.expectsReply, record.inReplyTo, record.payload, to: &writer)
    }

    private static func write(
        _ id: RecordID, _ kind: ContentKind, _ key: RecordKey?, _ expiresAt: WallTime?,
        _ idempotencyKey: UInt128?, _ expectsReply: Bool, _ inReplyTo: RecordNumber?,
        _ payload: [UInt8], to writer: inout WireWriter
    ) {
        var flags: UInt8 = expectsReply ? Flag.expectsReply : 0
        if key != nil { flags |= Flag.key }
        if expiresAt != nil { flags |= Flag.expiry }
        if idempotencyKey != nil { flags |= Flag.idempotencyKey }
        if inReplyTo != nil { flags |= Flag.inReplyTo }
        write(id, to: &writer)
        writer.byte(kind.rawValue)
        writer.byte(flags)
        if let key { writer.uint128(key.rawValue) }
        if let expiresAt { writer.uint64(UInt64(bitPattern: expiresAt.milliseconds)) }
        if let idempotencyKey { writer.uint128(idempotencyKey) }
        if let inReplyTo { writer.varint(inReplyTo.rawValue) }
        writer.block(payload)
    }

    static func readOutbound(_ reader: inout WireReader) throws(WireError) -> OutboundRecord {
        let record = try readInbound(&reader)
        let acceptedAt = try readTime(&reader)
        let draft = RecordDraft(
            channel: record.id.channel, kind: record.kind, key: record.key,
            payload: record.payload, expiresAt: record.expiresAt,
            idempotencyKey: record.idempotencyKey, expectsReply: record.expectsReply,
            inReplyTo: record.inReplyTo)
        return OutboundRecord(id: record.id, draft: draft, acceptedAt: acceptedAt)
    }

    static func readInbound(_ reader: inout WireReader) throws(WireError) -> InboundRecord {
        let id = try readID(&reader)
        let kind = ContentKind(rawValue: try reader.byte("kind"))
        let start = reader.offset
        let flags = try reader.byte("record flags")
        guard flags & ~Flag.all == 0 else {
            throw WireError(
                .unknownCode, at: start, expected: "record flags", found: UInt64(flags))
        }
        var record = InboundRecord(id: id, kind: kind, key: nil, payload: [])
        if flags & Flag.key != 0 { record.key = RecordKey(rawValue: try reader.uint128("key")) }
        if flags & Flag.expiry != 0 { record.expiresAt = try readTime(&reader) }
        if flags & Flag.idempotencyKey != 0 {
            record.idempotencyKey = try reader.uint128("idempotency key")
        }
        record.expectsReply = flags & Flag.expectsReply != 0
        if flags & Flag.inReplyTo != 0 {
            record.inReplyTo = RecordNumber(try reader.number())
        }
        record.payload = try reader.block("payload", atMost: id.channel.traits.recordByteLimit)
        return record
    }

    // MARK: Parts

    static func write(_ id: RecordID, to writer: inout WireWriter) {
        writer.byte(id.channel.rawValue)
        writer.uint64(id.epoch.rawValue)
        writer.varint(id.number.rawValue)
    }

    static func readID(_ reader: inout WireReader) throws(WireError) -> RecordID {
        let channel = try reader.channel()
        let epoch = try readEpoch(&reader)
        return RecordID(
            epoch: epoch, channel: channel, number: RecordNumber(try reader.number()))
    }

    static func readEpoch(_ reader: inout WireReader) throws(WireError) -> EpochID {
        let start = reader.offset
        let value = try reader.uint64("epoch")
        guard value != 0 else {
            throw WireError(.outOfRange, at: start, expected: "epoch, not zero", found: 0)
        }
        return EpochID(rawValue: value)
    }

    static func readTime(_ reader: inout WireReader) throws(WireError) -> WallTime {
        WallTime(milliseconds: Int64(bitPattern: try reader.uint64("moment")))
    }

    /// A version, or a number that may be 0.
    static func readVersionNumber(_ reader: inout WireReader) throws(WireError) -> UInt64 {
        try reader.varint("version or number", atMost: RecordNumber.largest)
    }

    static func write(_ outcome: Outcome, to writer: inout WireWriter) {
        switch outcome {
        case .applied: writer.byte(0)
        case .superseded: writer.byte(1)
        case .cancelled: writer.byte(2)
        case .expired: writer.byte(3)
        case .rejected(let code):
            writer.byte(4)
            writer.uint16(code)
        case .unknown: writer.byte(5)
        case .outcomeUnknown: writer.byte(6)
        case .notDelivered: writer.byte(7)
        }
    }

    static func readOutcome(_ reader: inout WireReader) throws(WireError) -> Outcome {
        let start = reader.offset
        let code = try reader.byte("outcome")
        switch code {
        case 0: return .applied
        case 1: return .superseded
        case 2: return .cancelled
        case 3: return .expired
        case 4: return .rejected(code: try reader.uint16("rejection code"))
        case 5: return .unknown
        case 6: return .outcomeUnknown
        case 7: return .notDelivered
        default:
            throw WireError(
                .unknownCode, at: start, expected: "outcome 0 to 7", found: UInt64(code))
        }
    }

    static func write(_ disposition: Disposition, to writer: inout WireWriter) {
        switch disposition {
        case .applied: writer.byte(0)
        case .pending: writer.byte(1)
        case .rejected(let code):
            writer.byte(2)
            writer.uint16(code)
        }
    }

    static func readDisposition(_ reader: inout WireReader) throws(WireError) -> Disposition {
        let start = reader.offset
        let code = try reader.byte("disposition")
        switch code {
        case 0: return .applied
        case 1: return .pending
        case 2: return .rejected(code: try reader.uint16("rejection code"))
        default:
            throw WireError(
                .unknownCode, at: start, expected: "disposition 0 to 2", found: UInt64(code))
        }
    }
}
