/// A record as the frames of one session name it.
///
/// The epoch index is the place of the epoch in its owner's hello of this session: 0 is the owner's
/// present epoch; 1, 2 … are the earlier epochs in the order in which the hello, and after it
/// ``FrameType/epochs`` frames, list them: the oldest first.
public struct RecordAddress: Hashable, Sendable {
    /// The largest index: a hello and the frames after it list at most so many earlier epochs.
    public static let largestIndex = 1023

    /// Place of the epoch in the hello of the side that sent the record; the present one is 0.
    public var epochIndex: Int
    /// The record's number in its epoch and channel, from 1.
    public var number: UInt64

    /// Names record `number` of the epoch at place `epochIndex` of its owner's hello.
    public init(epochIndex: Int, number: UInt64) {
        self.epochIndex = epochIndex
        self.number = number
    }

    /// Whether this record was accepted before `other`, of the same side and channel.
    public func precedes(_ other: RecordAddress) -> Bool {
        guard epochIndex != other.epochIndex else { return number < other.number }
        return other.epochIndex == 0 || (epochIndex != 0 && epochIndex < other.epochIndex)
    }

    /// Reads an address. Throws `outOfRange` for a number of 0 or above 2^62 − 1.
    public static func read(_ reader: inout WireReader) throws(WireError) -> RecordAddress {
        let index = Int(try reader.varint("epoch index", atMost: UInt64(largestIndex)))
        return RecordAddress(epochIndex: index, number: try RecordNumber.read(&reader))
    }

    /// Appends the address.
    public func write(to writer: inout WireWriter) {
        writer.varint(UInt64(epochIndex))
        writer.varint(number)
    }
}
