/// A combination of packets, from which any one of them can be put together that was lost, given
/// the others; with several such frames, as many. May be skipped.
///
/// What is combined is of each packet the length of its frames, in two bytes, and the frames,
/// filled up with zeros to the longest. How: `ParityCode`.
public struct ParityFrame: Hashable, Sendable {
    /// The number of the first packet.
    public var first: UInt64
    /// How many packets, from the first on without a gap: 1 ... ``largestCount``.
    public var count: Int
    /// Which combination it is, from 0: below ``largestRows``.
    public var row: Int
    /// The combination.
    public var bytes: [UInt8]

    /// The most packets that one frame combines.
    public static let largestCount = 128
    /// The most combinations of the same packets.
    public static let largestRows = 32
    /// Bytes a frame is longer than what its packets have at most, the length included.
    static let overheadBytes = 1 + 3 + 9 + 2 + 1 + 2

    static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> ParityFrame {
        let end = try ValueQueryFrame.readEnd(&reader, limits)
        let first = try reader.varint("first packet of a parity", atMost: 1 << 62)
        let countAt = reader.offset
        let count = try reader.varint("packets of a parity", atMost: UInt64(Self.largestCount))
        guard count > 0 else {
            throw WireError(
                .outOfRange, at: countAt, expected: "packets of a parity from 1", found: 0)
        }
        let row = try reader.varint("row of a parity", atMost: UInt64(Self.largestRows - 1))
        let at = reader.offset
        guard end >= at + 2 else {
            throw WireError(
                .outOfRange, at: at, expected: "parity of 2 bytes or more",
                found: UInt64(max(0, end - at)))
        }
        return ParityFrame(
            first: first, count: Int(count), row: Int(row),
            bytes: [UInt8](copying: try reader.bytes(end - at, "parity")))
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.parity.rawValue)
        let head =
            WireWriter.varintSize(first) + WireWriter.varintSize(UInt64(count))
            + WireWriter.varintSize(UInt64(row))
        writer.varint(UInt64(head + bytes.count))
        writer.varint(first)
        writer.varint(UInt64(count))
        writer.varint(UInt64(row))
        writer.append(bytes)
    }
}
