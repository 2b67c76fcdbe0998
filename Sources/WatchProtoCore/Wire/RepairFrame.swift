/// A forward-error-correction (FEC) repair packet: one combination of the packets of a block. Each
/// combination recovers one lost packet, given the others. A peer may skip the frame.
///
/// The source symbol of a packet is the length of its frames in two bytes, lowest first, and the
/// frames, padded with zeros to the longest of the block. ``ErasureCode`` combines the symbols.
///
/// ```text
/// 0x43 · length · first packet · packets · index · combination
/// ```
public struct RepairFrame: Hashable, Sendable {
    /// The number of the first packet of the block.
    public var first: UInt64
    /// The packets of the block, from the first on without a gap: 1 to ``mostPackets``.
    public var count: Int
    /// Which combination of the block it is, from 0, below ``mostRepairs``.
    public var index: Int
    /// The combination, at least two bytes.
    public var bytes: [UInt8]

    /// The most packets that one block has.
    public static let mostPackets = 128
    /// The most repair packets of one block.
    public static let mostRepairs = 32
    /// Bytes by which a frame is longer than the longest packet of its block at most, the length of
    /// that packet included.
    public static let overheadBytes = 1 + 3 + 9 + 2 + 1 + 2

    /// Makes the frame of combination `index` of `count` packets from `first` on.
    public init(first: UInt64, count: Int, index: Int, bytes: [UInt8]) {
        self.first = first
        self.count = count
        self.index = index
        self.bytes = bytes
    }

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> RepairFrame {
        let end = try reader.frameEnd(limits)
        let first = try reader.varint("first packet of an FEC block", atMost: 1 << 62)
        let countAt = reader.offset
        let count = try reader.varint("packets of an FEC block", atMost: UInt64(mostPackets))
        guard count > 0 else {
            throw WireError(
                .outOfRange, at: countAt, expected: "packets of an FEC block from 1", found: 0)
        }
        let index = try reader.varint("index of a repair packet", atMost: UInt64(mostRepairs - 1))
        let at = reader.offset
        guard end >= at + 2 else {
            throw WireError(
                .outOfRange, at: at, expected: "combination of 2 bytes or more",
                found: UInt64(max(0, end - at)))
        }
        return RepairFrame(
            first: first, count: Int(count), index: Int(index),
            bytes: [UInt8](copying: try reader.bytes(end - at, "combination")))
    }

    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.repair.rawValue)
        let head =
            WireWriter.varintSize(first) + WireWriter.varintSize(UInt64(count))
            + WireWriter.varintSize(UInt64(index))
        writer.varint(UInt64(head + bytes.count))
        writer.varint(first)
        writer.varint(UInt64(count))
        writer.varint(UInt64(index))
        writer.append(bytes)
    }
}
