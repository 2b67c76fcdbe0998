/// Records as a journal holds them: identity, kind, flags, what the flags announce, the names and
/// the payload.
extension JournalCoding {
    private struct Flags: OptionSet {
        var rawValue: UInt8
        // In formats 1 and 2 these two announced names that stood there in clear.
        static let key = Flags(rawValue: 1 << 0)
        static let expiry = Flags(rawValue: 1 << 1)
        static let idempotencyKey = Flags(rawValue: 1 << 2)
        static let expectsReply = Flags(rawValue: 1 << 3)
        static let inReplyTo = Flags(rawValue: 1 << 4)
        static let acceptedAt = Flags(rawValue: 1 << 5)

        static func outbound(_ version: UInt8) -> Flags {
            let first: Flags = [.expiry, .expectsReply, .inReplyTo]
            let names: Flags = version < 3 ? [.key, .idempotencyKey] : []
            return first.union(names).union(version < 2 ? [] : .acceptedAt)
        }

        static func inbound(_ version: UInt8) -> Flags {
            let first: Flags = [.expectsReply, .inReplyTo]
            let names: [Flags] = [[.key], [.key, .idempotencyKey], []]
            return first.union(names[min(Int(version), 3) - 1])
        }
    }

    func write(_ record: OutboundRecord, to writer: inout WireWriter) {
        var flags: Flags = []
        if record.expiresAt != nil { flags.insert(.expiry) }
        if record.expectsReply { flags.insert(.expectsReply) }
        if record.inReplyTo != nil { flags.insert(.inReplyTo) }
        if record.acceptedAt != nil { flags.insert(.acceptedAt) }
        Self.write(record.id, to: &writer)
        writer.byte(record.kind.rawValue)
        writer.byte(flags.rawValue)
        if let expiresAt = record.expiresAt {
            writer.uint64(UInt64(bitPattern: expiresAt.milliseconds))
        }
        if let inReplyTo = record.inReplyTo { writer.varint(inReplyTo.rawValue) }
        if let acceptedAt = record.acceptedAt {
            writer.uint64(UInt64(bitPattern: acceptedAt.milliseconds))
        }
        write(
            Content(
                key: record.key, idempotencyKey: record.idempotencyKey, payload: record.payload),
            to: &writer)
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
        if version < 3 {
            draft.payload = try readPayload(&reader, at: .record(pairing, id), in: id.lane)
        } else {
            let content = try readContent(&reader, at: .namedRecord(pairing, id), in: id.lane)
            draft.key = content.key
            draft.idempotencyKey = content.idempotencyKey
            draft.payload = content.payload
        }
        return OutboundRecord(id: id, draft: draft, acceptedAt: acceptedAt)
    }

    func write(_ record: InboundRecord, to writer: inout WireWriter) {
        var flags: Flags = []
        if record.expectsReply { flags.insert(.expectsReply) }
        if record.inReplyTo != nil { flags.insert(.inReplyTo) }
        Self.write(record.id, to: &writer)
        writer.byte(record.kind.rawValue)
        writer.byte(flags.rawValue)
        if let inReplyTo = record.inReplyTo { writer.varint(inReplyTo.rawValue) }
        write(
            Content(
                key: record.key, idempotencyKey: record.idempotencyKey, payload: record.payload),
            to: &writer)
    }

    func readInbound(_ reader: inout WireReader) throws(WireError) -> InboundRecord {
        let id = try Self.readID(&reader)
        let kind = ContentKind(rawValue: try reader.byte("kind"))
        let flags = try readFlags(&reader, allowed: .inbound(version))
        var content = Content()
        if flags.contains(.key) { content.key = RecordKey(rawValue: try reader.uint128("key")) }
        if flags.contains(.idempotencyKey) {
            content.idempotencyKey = try reader.uint128("idempotency key")
        }
        var inReplyTo: RecordNumber?
        if flags.contains(.inReplyTo) {
            inReplyTo = RecordNumber(try reader.varint("in reply to"))
        }
        if version < 3 {
            content.payload = try readPayload(&reader, at: .record(pairing, id), in: id.lane)
        } else {
            content = try readContent(&reader, at: .namedRecord(pairing, id), in: id.lane)
        }
        return InboundRecord(
            id: id, kind: kind, key: content.key, payload: content.payload,
            expectsReply: flags.contains(.expectsReply), inReplyTo: inReplyTo,
            idempotencyKey: content.idempotencyKey)
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
