/// Records as a journal holds them: identity, kind, flags, what the flags announce, payload.
extension JournalCoding {
    private struct Flags: OptionSet {
        var rawValue: UInt8
        static let key = Flags(rawValue: 1 << 0)
        static let expiry = Flags(rawValue: 1 << 1)
        static let idempotencyKey = Flags(rawValue: 1 << 2)
        static let expectsReply = Flags(rawValue: 1 << 3)
        static let inReplyTo = Flags(rawValue: 1 << 4)
        static let acceptedAt = Flags(rawValue: 1 << 5)

        static func outbound(_ version: UInt8) -> Flags {
            let first: Flags = [.key, .expiry, .idempotencyKey, .expectsReply, .inReplyTo]
            return version < 2 ? first : first.union(.acceptedAt)
        }

        static func inbound(_ version: UInt8) -> Flags {
            let first: Flags = [.key, .expectsReply, .inReplyTo]
            return version < 2 ? first : first.union(.idempotencyKey)
        }
    }

    func write(_ record: OutboundRecord, to writer: inout WireWriter) {
        var flags: Flags = []
        if record.key != nil { flags.insert(.key) }
        if record.expiresAt != nil { flags.insert(.expiry) }
        if record.idempotencyKey != nil { flags.insert(.idempotencyKey) }
        if record.expectsReply { flags.insert(.expectsReply) }
        if record.inReplyTo != nil { flags.insert(.inReplyTo) }
        if record.acceptedAt != nil { flags.insert(.acceptedAt) }
        Self.write(record.id, to: &writer)
        writer.byte(record.kind.rawValue)
        writer.byte(flags.rawValue)
        if let key = record.key { writer.uint128(key.rawValue) }
        if let expiresAt = record.expiresAt {
            writer.uint64(UInt64(bitPattern: expiresAt.milliseconds))
        }
        if let idempotencyKey = record.idempotencyKey { writer.uint128(idempotencyKey) }
        if let inReplyTo = record.inReplyTo { writer.varint(inReplyTo.rawValue) }
        if let acceptedAt = record.acceptedAt {
            writer.uint64(UInt64(bitPattern: acceptedAt.milliseconds))
        }
        write(record.payload, at: .record(pairing, record.id), to: &writer)
    }

    func readOutbound(_ reader: inout WireReader) throws(WireError) -> OutboundRecord {
        let id = try Self.readID(&reader)
        let kind = ContentKind(rawValue: try reader.byte("kind"))
        let flags = try readFlags(&reader, allowed: .outbound(version))
        var draft = RecordDraft(lane: id.lane, kind: kind, payload: [])
        if flags.contains(.key) { draft.key = RecordKey(rawValue: try reader.uint128("key")) }
        if flags.contains(.expiry) {
            draft.expiresAt = WallTime(milliseconds: Int64(bitPattern: try reader.uint64("expiry")))
        }
        if flags.contains(.idempotencyKey) {
            draft.idempotencyKey = try reader.uint128("idempotency key")
        }
        draft.expectsReply = flags.contains(.expectsReply)
        if flags.contains(.inReplyTo) {
            draft.inReplyTo = RecordNumber(try reader.varint("in reply to"))
        }
        var acceptedAt: WallTime?
        if flags.contains(.acceptedAt) {
            acceptedAt = WallTime(
                milliseconds: Int64(bitPattern: try reader.uint64("moment of acceptance")))
        }
        draft.payload = try readPayload(&reader, at: .record(pairing, id), in: id.lane)
        return OutboundRecord(id: id, draft: draft, acceptedAt: acceptedAt)
    }

    func write(_ record: InboundRecord, to writer: inout WireWriter) {
        var flags: Flags = []
        if record.key != nil { flags.insert(.key) }
        if record.idempotencyKey != nil { flags.insert(.idempotencyKey) }
        if record.expectsReply { flags.insert(.expectsReply) }
        if record.inReplyTo != nil { flags.insert(.inReplyTo) }
        Self.write(record.id, to: &writer)
        writer.byte(record.kind.rawValue)
        writer.byte(flags.rawValue)
        if let key = record.key { writer.uint128(key.rawValue) }
        if let idempotencyKey = record.idempotencyKey { writer.uint128(idempotencyKey) }
        if let inReplyTo = record.inReplyTo { writer.varint(inReplyTo.rawValue) }
        write(record.payload, at: .record(pairing, record.id), to: &writer)
    }

    func readInbound(_ reader: inout WireReader) throws(WireError) -> InboundRecord {
        let id = try Self.readID(&reader)
        let kind = ContentKind(rawValue: try reader.byte("kind"))
        let flags = try readFlags(&reader, allowed: .inbound(version))
        var key: RecordKey?
        if flags.contains(.key) { key = RecordKey(rawValue: try reader.uint128("key")) }
        var idempotencyKey: UInt128?
        if flags.contains(.idempotencyKey) {
            idempotencyKey = try reader.uint128("idempotency key")
        }
        var inReplyTo: RecordNumber?
        if flags.contains(.inReplyTo) {
            inReplyTo = RecordNumber(try reader.varint("in reply to"))
        }
        return InboundRecord(
            id: id, kind: kind, key: key,
            payload: try readPayload(&reader, at: .record(pairing, id), in: id.lane),
            expectsReply: flags.contains(.expectsReply), inReplyTo: inReplyTo,
            idempotencyKey: idempotencyKey)
    }

    private func readFlags(
        _ reader: inout WireReader, allowed: Flags
    ) throws(WireError) -> Flags {
        let start = reader.offset
        let flags = Flags(rawValue: try reader.byte("record flags"))
        guard flags.isSubset(of: allowed) else {
            throw WireError(
                .unknownCode, at: start, expected: "record flags", found: UInt64(flags.rawValue))
        }
        return flags
    }
}
