/// A record of an ordered channel.
///
/// ```text
/// 0x10 · channel | flags << 3 · epoch index · number
/// · [predecessor] · kind · [in reply to] · [expiry: 8 bytes] · [idempotency key: 16 bytes]
/// · length · payload
/// ```
/// Flags: 1 predecessor, 2 expects a reply, 4 in reply to, 8 expiry, 16 idempotency key.
public struct RecordFrame: Hashable, Sendable {
    /// The ordered channel of the record.
    public var channel: Channel
    /// The record's epoch and number.
    public var address: RecordAddress
    /// The live predecessor: the unsettled record that must come before this one; nil where there
    /// is none.
    public var predecessor: RecordAddress?
    /// The kind of the payload.
    public var kind: ContentKind
    /// Whether the sender's application awaits a reply.
    public var expectsReply = false
    /// The number of the counterpart's record that this one answers; nil where it answers none.
    public var inReplyTo: RecordNumber?
    /// The wall-clock time at which the record loses its worth; nil where it never does.
    public var expiresAt: WallTime?
    /// The application's own name for the act; nil where it gave none.
    public var idempotencyKey: UInt128?
    /// The content.
    public var payload: [UInt8]

    private struct Flags: OptionSet {
        var rawValue: UInt8
        static let predecessor = Flags(rawValue: 1)
        static let expectsReply = Flags(rawValue: 2)
        static let inReplyTo = Flags(rawValue: 4)
        static let expiry = Flags(rawValue: 8)
        static let idempotencyKey = Flags(rawValue: 16)
    }

    /// Makes a frame without optional parts.
    public init(
        channel: Channel, address: RecordAddress, predecessor: RecordAddress? = nil,
        kind: ContentKind, payload: [UInt8]
    ) {
        self.channel = channel
        self.address = address
        self.predecessor = predecessor
        self.kind = kind
        self.payload = payload
    }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> RecordFrame {
        let start = reader.offset
        let first = try reader.byte("record channel and flags")
        let flags = Flags(rawValue: first >> 3)
        guard let channel = Channel(rawValue: first & 0x07), channel.traits.order == .ordered,
            channel.traits.needsReachability
                || flags.isDisjoint(with: [.expectsReply, .inReplyTo])
        else {
            throw WireError(
                .unknownCode, at: start, expected: "record channel and flags",
                found: UInt64(first))
        }
        let address = try RecordAddress.read(&reader)
        var predecessor: RecordAddress?
        if flags.contains(.predecessor) {
            predecessor = try RecordAddress.readPredecessor(of: address, &reader)
        }
        var frame = RecordFrame(
            channel: channel, address: address, predecessor: predecessor,
            kind: ContentKind(rawValue: try reader.byte("kind")), payload: [])
        frame.expectsReply = flags.contains(.expectsReply)
        if flags.contains(.inReplyTo) {
            frame.inReplyTo = RecordNumber(try RecordNumber.read(&reader))
        }
        if flags.contains(.expiry) {
            frame.expiresAt = WallTime(
                milliseconds: Int64(bitPattern: try reader.uint64("expiry")))
        }
        if flags.contains(.idempotencyKey) {
            frame.idempotencyKey = try reader.uint128("idempotency key")
        }
        frame.payload = try reader.block("payload", atMost: channel.traits.recordByteLimit)
        return frame
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.record.rawValue)
        writeHead(to: &writer, payloadBytes: payload.count)
        writer.append(payload)
    }

    /// Appends everything between the type byte and a payload of `payloadBytes` bytes.
    func writeHead(to writer: inout WireWriter, payloadBytes: Int) {
        var flags: Flags = []
        if predecessor != nil { flags.insert(.predecessor) }
        if expectsReply { flags.insert(.expectsReply) }
        if inReplyTo != nil { flags.insert(.inReplyTo) }
        if expiresAt != nil { flags.insert(.expiry) }
        if idempotencyKey != nil { flags.insert(.idempotencyKey) }
        writer.byte(channel.rawValue | flags.rawValue << 3)
        address.write(to: &writer)
        predecessor?.write(asPredecessorOf: address, to: &writer)
        writer.byte(kind.rawValue)
        if let inReplyTo { writer.varint(inReplyTo.rawValue) }
        if let expiresAt { writer.uint64(UInt64(bitPattern: expiresAt.milliseconds)) }
        if let idempotencyKey { writer.uint128(idempotencyKey) }
        writer.varint(UInt64(payloadBytes))
    }
}

/// A predecessor travels as 0 and the distance to it, or as the index of its epoch and its number.
extension RecordAddress {
    /// Reads the predecessor of `address`. Throws `outOfRange` for one that does not precede it.
    static func readPredecessor(
        of address: RecordAddress, _ reader: inout WireReader
    ) throws(WireError) -> RecordAddress {
        let start = reader.offset
        let index = Int(try reader.varint("predecessor epoch", atMost: UInt64(largestIndex)))
        let value = try RecordNumber.read(&reader)
        if index == 0, value < address.number {
            return RecordAddress(epochIndex: address.epochIndex, number: address.number - value)
        }
        let predecessor = RecordAddress(epochIndex: index, number: value)
        guard index != 0, index != address.epochIndex, predecessor.precedes(address) else {
            throw WireError(.outOfRange, at: start, expected: "predecessor", found: value)
        }
        return predecessor
    }

    /// Appends this address as the predecessor of `address`, which it precedes.
    func write(asPredecessorOf address: RecordAddress, to writer: inout WireWriter) {
        let isSame = epochIndex == address.epochIndex
        writer.varint(isSame ? 0 : UInt64(epochIndex))
        writer.varint(isSame ? address.number &- number : number)
    }
}
