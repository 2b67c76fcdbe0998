/// A value of a latest-value channel, whole or as a delta.
///
/// ```text
/// 0x11 · form · [more] · epoch index · version · kind · [key: 16 bytes] [handle]
/// · [expiry: 8 bytes] · [base version's low byte · low two bytes of the base's fingerprint]
/// · length · payload or delta
/// ```
/// The form holds the channel (3 bits), then 0x08 key, 0x10 handle, 0x20 marks a base, 0x40 delta,
/// 0x80 more. *More* holds 1 for a base that a whole value names, 2 for an expiry.
public struct ValueFrame: Hashable, Sendable {
    /// A value that both sides hold, by the low bits of its version and fingerprint.
    public struct Base: Hashable, Sendable {
        /// The low byte of the version.
        public var versionLow: UInt8
        /// The low two bytes of the payload's fingerprint.
        public var fingerprintLow: UInt16

        /// Names the value of `version` with this payload.
        public init(version: UInt64, payload: [UInt8]) {
            versionLow = UInt8(truncatingIfNeeded: version)
            fingerprintLow = UInt16(truncatingIfNeeded: ContentHash.of(payload))
        }

        init(versionLow: UInt8, fingerprintLow: UInt16) {
            self.versionLow = versionLow
            self.fingerprintLow = fingerprintLow
        }
    }

    /// The latest-value channel.
    public var channel: Channel
    /// The value's epoch, by its place in its sender's hello, and its version.
    public var address: RecordAddress
    /// The kind of the payload.
    public var kind: ContentKind
    /// The key that has this value. It may be left out once a handle stands for it.
    public var key: RecordKey?
    /// Stands for the key for the rest of the session.
    public var handle: UInt64?
    /// Whether the receiver keeps this value as the next base.
    public var marksBase = false
    /// Whether ``body`` is a delta against ``base``.
    public var isDelta = false
    /// The sender's present base; every delta names it, and every value that marks the next one.
    public var base: Base?
    /// The time at which the value loses its worth; nil for never.
    public var expiresAt: WallTime?
    /// The payload or the delta.
    public var body: [UInt8]

    /// Makes a frame that gives the value whole, under its key.
    public init(
        channel: Channel, address: RecordAddress, kind: ContentKind, key: RecordKey?, body: [UInt8]
    ) {
        self.channel = channel
        self.address = address
        self.kind = kind
        self.key = key
        self.body = body
    }

    /// Handles that a session may define, in one direction.
    public static let handles = 8192

    private struct Form: OptionSet {
        var rawValue: UInt8
        static let key = Form(rawValue: 0x08)
        static let handle = Form(rawValue: 0x10)
        static let marks = Form(rawValue: 0x20)
        static let delta = Form(rawValue: 0x40)
        static let more = Form(rawValue: 0x80)
    }

    private static let moreBase: UInt8 = 1
    private static let moreExpiry: UInt8 = 2

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> ValueFrame {
        let start = reader.offset
        let first = try reader.byte("value form")
        let form = Form(rawValue: first & 0xF8)
        guard let channel = Channel(rawValue: first & 0x07), channel.traits.order == .latestValue,
            form.contains(.key) || form.contains(.handle)
        else {
            throw WireError(.unknownCode, at: start, expected: "value form", found: UInt64(first))
        }
        var more: UInt8 = 0
        if form.contains(.more) {
            let at = reader.offset
            more = try reader.byte("more of the value form")
            let isNeedless = more & moreBase != 0 && form.contains(.delta)
            guard more > 0, more < 4, !isNeedless else {
                throw WireError(
                    .notCanonical, at: at, expected: "more of the value form", found: UInt64(more))
            }
        }
        let address = try RecordAddress.read(&reader)
        let kind = ContentKind(rawValue: try reader.byte("kind"))
        let key = form.contains(.key) ? RecordKey(rawValue: try reader.uint128("key")) : nil
        let handle =
            form.contains(.handle)
            ? try reader.varint("handle", atMost: UInt64(handles - 1)) : nil
        var expiresAt: WallTime?
        if more & moreExpiry != 0 {
            expiresAt = WallTime(milliseconds: Int64(bitPattern: try reader.uint64("expiry")))
        }
        var base: Base?
        if form.contains(.delta) || more & moreBase != 0 {
            let low = try reader.byte("base version")
            base = Base(versionLow: low, fingerprintLow: try reader.uint16("base fingerprint"))
        }
        var frame = ValueFrame(
            channel: channel, address: address, kind: kind, key: key,
            body: try reader.block("payload", atMost: channel.traits.recordByteLimit))
        frame.handle = handle
        frame.marksBase = form.contains(.marks)
        frame.isDelta = form.contains(.delta)
        frame.base = base
        frame.expiresAt = expiresAt
        return frame
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.value.rawValue)
        writeHead(to: &writer)
        writer.block(body)
    }

    /// Everything between the type byte and the length of the body.
    func writeHead(to writer: inout WireWriter) {
        var form: Form = []
        var more: UInt8 = 0
        if key != nil { form.insert(.key) }
        if handle != nil { form.insert(.handle) }
        if marksBase { form.insert(.marks) }
        if isDelta { form.insert(.delta) }
        if base != nil, !isDelta { more |= Self.moreBase }
        if expiresAt != nil { more |= Self.moreExpiry }
        if more > 0 { form.insert(.more) }
        writer.byte(channel.rawValue | form.rawValue)
        if more > 0 { writer.byte(more) }
        address.write(to: &writer)
        writer.byte(kind.rawValue)
        if let key { writer.uint128(key.rawValue) }
        if let handle { writer.varint(handle) }
        if let expiresAt { writer.uint64(UInt64(bitPattern: expiresAt.milliseconds)) }
        if let base {
            writer.byte(base.versionLow)
            writer.uint16(base.fingerprintLow)
        }
    }
}

extension Channel {
    /// Reads the code of a latest-value channel. Throws `unknownCode` for any other.
    static func readLatestValue(_ reader: inout WireReader) throws(WireError) -> Channel {
        let start = reader.offset
        let channel = try read(&reader)
        guard channel.traits.order == .latestValue else {
            throw WireError(
                .unknownCode, at: start, expected: "latest-value channel",
                found: UInt64(channel.rawValue))
        }
        return channel
    }
}
