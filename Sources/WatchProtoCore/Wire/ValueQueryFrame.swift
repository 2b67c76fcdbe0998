/// Asks for the value that the counterpart holds of a key of this side, from some byte on.
///
/// ```text
/// 0x1A · channel · key: 16 bytes · offset
/// ```
public struct ValueQueryFrame: Hashable, Sendable {
    /// The channel and key asked about.
    public var name: ValueName
    /// The first byte of the value that is wanted.
    public var offset: Int

    /// Asks for the value of `name` from byte `offset` on.
    public init(_ name: ValueName, offset: Int) {
        self.name = name
        self.offset = offset
    }

    /// Bytes a frame takes at most.
    static let largestBytes = 22

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> ValueQueryFrame {
        let channel = try Channel.readLatestValue(&reader)
        let key = RecordKey(rawValue: try reader.uint128("key"))
        let limit = UInt64(channel.traits.recordByteLimit)
        let offset = Int(try reader.varint("offset", atMost: limit))
        return ValueQueryFrame(ValueName(channel: channel, key: key), offset: offset)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.valueQuery.rawValue)
        writer.byte(name.channel.rawValue)
        writer.uint128(name.key.rawValue)
        writer.varint(UInt64(offset))
    }
}
