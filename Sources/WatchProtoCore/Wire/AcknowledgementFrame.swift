/// Statement of a receiver: these records of an ordered channel are committed, or applied.
///
/// ```text
/// 0x30 · channel | 8 if applied · epoch index · first number · further numbers of its range
/// · count of further ranges · (gap, further numbers) …
/// ```
/// A gap is how many numbers lie between two ranges, less one.
public struct AcknowledgementFrame: Hashable, Sendable {
    /// The ordered channel of the records.
    public var channel: Channel
    /// Whether the application took the records over; otherwise they are committed, and the
    /// application decides later.
    public var isApplied: Bool
    /// The place of the epoch in the hello of the sender of the records.
    public var epochIndex: Int
    /// The numbers of the records, at least one.
    public var numbers: NumberRanges

    private static let appliedBit: UInt8 = 8

    /// Makes the frame.
    public init(channel: Channel, isApplied: Bool, epochIndex: Int, numbers: NumberRanges) {
        self.channel = channel
        self.isApplied = isApplied
        self.epochIndex = epochIndex
        self.numbers = numbers
    }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> AcknowledgementFrame {
        let start = reader.offset
        let code = try reader.byte("acknowledged channel and level")
        guard let channel = Channel(rawValue: code & ~appliedBit), channel.traits.order == .ordered
        else {
            throw WireError(
                .unknownCode, at: start, expected: "acknowledged channel and level",
                found: UInt64(code))
        }
        let index = Int(
            try reader.varint("epoch index", atMost: UInt64(RecordAddress.largestIndex)))
        var first = try RecordNumber.read(&reader)
        var last = try readLast(&reader, of: first)
        var numbers = NumberRanges()
        numbers.insert(first...last)
        let count = try reader.count(
            "further ranges", atMost: limits.acknowledgementRanges - 1, size: 2)
        for _ in 0..<count {
            let at = reader.offset
            let gap = try reader.varint("acknowledged gap", atMost: RecordNumber.largest)
            guard last + 2 + gap <= RecordNumber.largest else {
                throw WireError(.outOfRange, at: at, expected: "acknowledged gap", found: gap)
            }
            first = last + 2 + gap
            last = try readLast(&reader, of: first)
            numbers.insert(first...last)
        }
        return AcknowledgementFrame(
            channel: channel, isApplied: code & appliedBit != 0, epochIndex: index,
            numbers: numbers)
    }

    private static func readLast(
        _ reader: inout WireReader, of first: UInt64
    ) throws(WireError) -> UInt64 {
        first + (try reader.varint("further numbers", atMost: RecordNumber.largest - first))
    }

    /// Appends the frame with its type byte. The numbers are within ``RecordNumber/largest``, and
    /// their ranges within ``Limits/acknowledgementRanges``.
    public func write(to writer: inout WireWriter) {
        guard let first = numbers.ranges.first else { return }
        writer.byte(FrameType.acknowledgement.rawValue)
        writer.byte(channel.rawValue | (isApplied ? Self.appliedBit : 0))
        writer.varint(UInt64(epochIndex))
        writer.varint(first.lowerBound)
        writer.varint(first.upperBound - first.lowerBound)
        writer.varint(UInt64(numbers.ranges.count - 1))
        var last = first.upperBound
        for range in numbers.ranges.dropFirst() {
            writer.varint(range.lowerBound - last - 2)
            writer.varint(range.upperBound - range.lowerBound)
            last = range.upperBound
        }
    }
}
