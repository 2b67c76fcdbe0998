/// A piece of a record frame too long for one packet. The pieces of one record, joined, are its
/// record frame without the type byte.
public struct PartFrame: Hashable, Sendable {
    /// The lane of the record.
    public var lane: Lane
    /// The record the piece belongs to.
    public var address: RecordAddress
    /// Bytes of all pieces together.
    public var totalBytes: Int
    /// Where this piece begins.
    public var offset: Int
    /// The bytes of this piece, at least one.
    public var bytes: [UInt8]

    /// Bytes a part takes beside its piece, at most.
    static let overheadBytes = 32

    /// Bytes a part takes beside its piece, which has at most `room` bytes.
    static func overhead(
        _ address: RecordAddress, totalBytes: Int, offset: Int, room: Int
    ) -> Int {
        var writer = WireWriter()
        address.write(to: &writer)
        return 2 + writer.count + WireWriter.varintSize(UInt64(totalBytes))
            + WireWriter.varintSize(UInt64(offset)) + WireWriter.varintSize(UInt64(max(0, room)))
    }

    /// Bytes the pieces of a record in `lane` can have together, at most.
    static func largestTotalBytes(_ lane: Lane) -> Int {
        lane.traits.recordByteLimit + RecordHead.largestBytes
    }

    static func read(_ reader: inout WireReader) throws(WireError) -> PartFrame {
        let lane = try Lane.read(&reader)
        let address = try RecordAddress.read(&reader)
        let total = try reader.varint(
            "total length", atMost: UInt64(Self.largestTotalBytes(lane)))
        let offset = try reader.varint("part offset", atMost: total)
        let at = reader.offset
        let count = try reader.count("part length", atMost: Int(total - offset))
        guard count > 0 else {
            throw WireError(.outOfRange, at: at, expected: "part length from 1", found: 0)
        }
        return PartFrame(
            lane: lane, address: address, totalBytes: Int(total), offset: Int(offset),
            bytes: [UInt8](copying: try reader.bytes(count, "part")))
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.part.rawValue)
        writer.byte(lane.rawValue)
        address.write(to: &writer)
        writer.varint(UInt64(totalBytes))
        writer.varint(UInt64(offset))
        writer.block(bytes)
    }
}
