/// A record, whole or as a delta.
///
/// ```text
/// type · form (lane | form << 4 | mark << 6) · flags · epoch index · number
/// · [predecessor: epochs back, number or distance]   ordered lanes
/// · kind · [key: 16 bytes] [handle]                  newest-per-key lanes
/// · [in reply to] [expiry: 8 bytes] [idempotency key: 16 bytes]
/// · [base number's low byte · low two bytes of the base's fingerprint]   deltas
/// · length · payload or delta
/// ```
public struct RecordHead: Hashable, Sendable {
    /// How the payload is given.
    public enum Form: Hashable, Sendable {
        /// The value itself.
        case whole
        /// Against a base that the receiver is known to have committed.
        case delta(baseNumberLow: UInt8, baseFingerprintLow: UInt16)
    }

    /// The lane the record travels in.
    public var lane: Lane
    /// The record's epoch, by its place in its sender's greeting, and its number.
    public var address: RecordAddress
    /// The live record that must be delivered before this one; ordered lanes only.
    public var predecessor: RecordAddress?
    /// What the payload is.
    public var kind: ContentKind
    /// Whether the payload is given whole or as a delta.
    public var form: Form = .whole
    /// Whether the receiver keeps this value as the next base; newest-per-key lanes only.
    public var marksBase = false
    /// What the record is the newest value of; may be left out once a handle stands for it.
    public var key: RecordKey?
    /// Stands for the key for the rest of the session; newest-per-key lanes only.
    public var handle: UInt64?
    /// Whether the sender's application awaits a reply.
    public var expectsReply = false
    /// The number of the counterpart's record that this one answers; nil when it answers none.
    public var inReplyTo: RecordNumber?
    /// When the record's time runs out, on the wall clock; nil for never.
    public var expiresAt: WallTime?
    /// The application's own name for what the record asks, so that a repetition can be told; nil
    /// for none.
    public var idempotencyKey: UInt128?

    init(lane: Lane, address: RecordAddress, kind: ContentKind) {
        self.lane = lane
        self.address = address
        self.kind = kind
    }

    private struct Flags: OptionSet {
        var rawValue: UInt8
        static let predecessor = Flags(rawValue: 1 << 0)
        static let key = Flags(rawValue: 1 << 1)
        static let handle = Flags(rawValue: 1 << 2)
        static let expectsReply = Flags(rawValue: 1 << 3)
        static let inReplyTo = Flags(rawValue: 1 << 4)
        static let expiry = Flags(rawValue: 1 << 5)
        static let idempotencyKey = Flags(rawValue: 1 << 6)
    }

    /// Bytes a head takes at most, the payload's length included.
    static let largestBytes = 96

    static func read(_ reader: inout WireReader) throws(WireError) -> RecordHead {
        let start = reader.offset
        let first = try reader.byte("record form")
        guard let lane = Lane(rawValue: first & 0x0F), first & 0x80 == 0 else {
            throw WireError(
                .unknownCode, at: start, expected: "record form", found: UInt64(first))
        }
        let isNewest = lane.traits.order == .newestPerKey
        let formCode = (first >> 4) & 0x03
        let marks = first & 0x40 != 0
        guard formCode <= 1, isNewest || (formCode == 0 && !marks) else {
            throw WireError(.unknownCode, at: start, expected: "record form", found: UInt64(first))
        }
        let flagsAt = reader.offset
        let flags = Flags(rawValue: try reader.byte("record flags"))
        let forbidden: Flags =
            isNewest
            ? [.predecessor, .expectsReply, .inReplyTo]
            : lane == .interactive ? [.key, .handle] : [.key, .handle, .expectsReply, .inReplyTo]
        guard flags.rawValue & 0x80 == 0, flags.isDisjoint(with: forbidden),
            !isNewest || flags.contains(.key) || flags.contains(.handle)
        else {
            throw WireError(
                .unknownCode, at: flagsAt, expected: "record flags", found: UInt64(flags.rawValue))
        }
        let address = try RecordAddress.read(&reader)
        var predecessor: RecordAddress?
        if flags.contains(.predecessor) {
            let at = reader.offset
            let back = try reader.varint("predecessor epochs back", atMost: 255)
            let value = try reader.varint("predecessor")
            guard value > 0, value <= RecordNumber.largest, back <= UInt64(address.epochIndex),
                back > 0 || value < address.number
            else {
                throw WireError(.outOfRange, at: at, expected: "predecessor", found: value)
            }
            predecessor = RecordAddress(
                epochIndex: address.epochIndex - Int(back),
                number: back == 0 ? address.number - value : value)
        }
        var head = RecordHead(
            lane: lane, address: address, kind: ContentKind(rawValue: try reader.byte("kind")))
        head.predecessor = predecessor
        head.marksBase = marks
        if flags.contains(.key) { head.key = RecordKey(rawValue: try reader.uint128("key")) }
        if flags.contains(.handle) { head.handle = try reader.varint("handle", atMost: 1 << 20) }
        head.expectsReply = flags.contains(.expectsReply)
        if flags.contains(.inReplyTo) {
            head.inReplyTo = RecordNumber(try RecordNumber.read(&reader))
        }
        if flags.contains(.expiry) {
            head.expiresAt = WallTime(
                milliseconds: Int64(bitPattern: try reader.uint64("expiry")))
        }
        if flags.contains(.idempotencyKey) {
            head.idempotencyKey = try reader.uint128("idempotency key")
        }
        if formCode == 1 {
            let low = try reader.byte("base number")
            head.form = .delta(
                baseNumberLow: low, baseFingerprintLow: try reader.uint16("base fingerprint"))
        }
        return head
    }

    /// Everything between the frame type and the payload's length.
    func write(to writer: inout WireWriter) {
        var flags: Flags = []
        if predecessor != nil { flags.insert(.predecessor) }
        if key != nil { flags.insert(.key) }
        if handle != nil { flags.insert(.handle) }
        if expectsReply { flags.insert(.expectsReply) }
        if inReplyTo != nil { flags.insert(.inReplyTo) }
        if expiresAt != nil { flags.insert(.expiry) }
        if idempotencyKey != nil { flags.insert(.idempotencyKey) }
        var first = lane.rawValue
        if case .delta = form { first |= 1 << 4 }
        if marksBase { first |= 0x40 }
        writer.byte(first)
        writer.byte(flags.rawValue)
        address.write(to: &writer)
        if let predecessor {
            let back = address.epochIndex - predecessor.epochIndex
            writer.varint(UInt64(back))
            writer.varint(back == 0 ? address.number - predecessor.number : predecessor.number)
        }
        writer.byte(kind.rawValue)
        if let key { writer.uint128(key.rawValue) }
        if let handle { writer.varint(handle) }
        if let inReplyTo { writer.varint(inReplyTo.rawValue) }
        if let expiresAt { writer.uint64(UInt64(bitPattern: expiresAt.milliseconds)) }
        if let idempotencyKey { writer.uint128(idempotencyKey) }
        if case .delta(let low, let fingerprint) = form {
            writer.byte(low)
            writer.uint16(fingerprint)
        }
    }
}

/// A record frame as it arrived: its head and the bytes it carries.
public struct RecordFrame: Hashable, Sendable {
    /// What the record is, in front of its bytes.
    public var head: RecordHead
    /// The payload, or the delta when the head says so.
    public var body: [UInt8]

    static func read(_ reader: inout WireReader) throws(WireError) -> RecordFrame {
        let head = try RecordHead.read(&reader)
        return RecordFrame(
            head: head,
            body: try reader.block("payload", atMost: head.lane.traits.recordByteLimit))
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.record.rawValue)
        head.write(to: &writer)
        writer.block(body)
    }
}
