/// Hint of a receiver: it turned a record away for want of room. The sender offers nothing new from
/// this record on until its credit in records is above the limit named here.
///
/// ```text
/// 0x15 · channel · epoch index · number · credit in records
/// ```
/// The limit makes the order of this frame and of the raise irrelevant.
public struct TryLaterFrame: Hashable, Sendable {
    /// The ordered channel.
    public var channel: Channel
    /// The record that was turned away.
    public var address: RecordAddress
    /// The credit in records that stood then.
    public var records: UInt64

    /// Makes the frame.
    public init(channel: Channel, address: RecordAddress, records: UInt64) {
        self.channel = channel
        self.address = address
        self.records = records
    }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> TryLaterFrame {
        TryLaterFrame(
            channel: try Channel.readOrdered(&reader), address: try RecordAddress.read(&reader),
            records: try reader.varint("credit in records", atMost: RecordNumber.largest))
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.tryLater.rawValue)
        writer.byte(channel.rawValue)
        address.write(to: &writer)
        writer.varint(records)
    }
}
