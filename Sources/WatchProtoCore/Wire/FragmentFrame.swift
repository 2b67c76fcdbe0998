/// A piece of a record or value frame that is too long for one packet. The pieces, joined, are that
/// frame without the type byte. In latest-value channels the number is the version.
///
/// ```text
/// 0x12 · channel · epoch index · number · total length · offset · length · bytes
/// 0x20 | channel | 8 if an epoch index follows · [epoch index] · number · offset · bytes
/// ```
/// The second form is one that ends with its packet. It leaves out the total length, which the
/// first and the last piece tell, and an epoch index of 0.
public struct FragmentFrame: Hashable, Sendable {
    /// The channel of the record.
    public var channel: Channel
    /// The record the piece belongs to.
    public var address: RecordAddress
    /// Bytes of all pieces together; nil where other pieces tell.
    public var totalBytes: Int?
    /// The offset of the first byte of this piece.
    public var offset: Int
    /// The bytes of this piece, at least one.
    public var bytes: [UInt8]

    /// Bytes that the head of a record or value takes, at most.
    public static let headBytes = 96
    /// Bytes a fragment takes beside its piece, at most.
    static let overheadBytes = 32

    /// Bytes a fragment takes beside its piece, which has at most `room` bytes.
    static func overhead(
        _ address: RecordAddress, totalBytes: Int?, offset: Int, room: Int
    ) -> Int {
        let number = WireWriter.varintSize(address.number)
        let epoch = WireWriter.varintSize(UInt64(address.epochIndex))
        let place = WireWriter.varintSize(UInt64(offset))
        guard let totalBytes else {
            return 1 + (address.epochIndex > 0 ? epoch : 0) + number + place
        }
        return 2 + epoch + number + WireWriter.varintSize(UInt64(totalBytes)) + place
            + WireWriter.varintSize(UInt64(max(0, room)))
    }

    /// Bytes the pieces of a record in `channel` can have together, at most.
    static func largestTotalBytes(_ channel: Channel) -> Int {
        channel.traits.recordByteLimit + Self.headBytes
    }

    /// The type byte of its form.
    var type: FrameType { totalBytes == nil ? .furtherFragment : .fragment }

    public static func read(_ reader: inout WireReader) throws(WireError) -> FragmentFrame {
        let channel = try Channel.read(&reader)
        let address = try RecordAddress.read(&reader)
        let total = try reader.varint(
            "total length", atMost: UInt64(Self.largestTotalBytes(channel)))
        let offset = try reader.varint("fragment offset", atMost: total)
        let at = reader.offset
        let count = try reader.count("fragment length", atMost: Int(total - offset))
        guard count > 0 else {
            throw WireError(.outOfRange, at: at, expected: "fragment length from 1", found: 0)
        }
        return FragmentFrame(
            channel: channel, address: address, totalBytes: Int(total), offset: Int(offset),
            bytes: [UInt8](copying: try reader.bytes(count, "fragment")))
    }

    /// Reads what follows `code`, the type byte that was just read. The packet's author is at fault
    /// for every error.
    public static func readFurther(
        _ code: UInt8, _ reader: inout WireReader
    ) throws(WireError) -> FragmentFrame {
        guard let channel = Channel(rawValue: code & 0x07) else {
            throw WireError(
                .unknownCode, at: reader.offset - 1, expected: "further fragment in channel 0 to 4",
                found: UInt64(code))
        }
        let epochAt = reader.offset
        let hasEpoch = code & Self.epochFollows != 0
        let epochLimit = UInt64(RecordAddress.largestIndex)
        let epoch = hasEpoch ? Int(try reader.varint("epoch index", atMost: epochLimit)) : 0
        guard epoch > 0 || !hasEpoch else {
            throw WireError(.notCanonical, at: epochAt, expected: "epoch index from 1", found: 0)
        }
        let number = try RecordNumber.read(&reader)
        let largest = UInt64(Self.largestTotalBytes(channel))
        let offsetAt = reader.offset
        let offset = try reader.varint("fragment offset", atMost: largest)
        let count = reader.remaining
        // The first piece tells the length, and so does the last.
        guard offset > 0, count > 0, UInt64(count) < largest - offset else {
            throw WireError(
                .outOfRange, at: offsetAt, expected: "a fragment between the first and the last",
                found: offset)
        }
        return FragmentFrame(
            channel: channel, address: RecordAddress(epochIndex: epoch, number: number),
            totalBytes: nil, offset: Int(offset),
            bytes: [UInt8](copying: try reader.bytes(count, "fragment")))
    }

    public func write(to writer: inout WireWriter) {
        guard let totalBytes else {
            let hasEpoch = address.epochIndex > 0
            writer.byte(type.rawValue | channel.rawValue | (hasEpoch ? Self.epochFollows : 0))
            if hasEpoch { writer.varint(UInt64(address.epochIndex)) }
            writer.varint(address.number)
            writer.varint(UInt64(offset))
            writer.append(bytes)
            return
        }
        writer.byte(type.rawValue)
        writer.byte(channel.rawValue)
        address.write(to: &writer)
        writer.varint(UInt64(totalBytes))
        writer.varint(UInt64(offset))
        writer.block(bytes)
    }

    private static let epochFollows: UInt8 = 0x08
}
