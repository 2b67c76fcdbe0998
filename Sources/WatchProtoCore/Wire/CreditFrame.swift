/// Hint of a receiver: how much may be offered in a channel since the session began. The highest
/// limits count, so repetition and reordering do no harm.
///
/// ```text
/// 0x14 · channel · records · bytes
/// ```
public struct CreditFrame: Hashable, Sendable {
    /// The ordered channel.
    public var channel: Channel
    /// Records that may be offered in this session.
    public var records: UInt64
    /// Payload bytes that may be offered in this session.
    public var bytes: UInt64

    /// Makes the frame.
    public init(channel: Channel, records: UInt64, bytes: UInt64) {
        self.channel = channel
        self.records = records
        self.bytes = bytes
    }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> CreditFrame {
        CreditFrame(
            channel: try Channel.readOrdered(&reader),
            records: try reader.varint("credit in records", atMost: RecordNumber.largest),
            bytes: try reader.varint("credit in bytes", atMost: RecordNumber.largest))
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.credit.rawValue)
        writer.byte(channel.rawValue)
        writer.varint(records)
        writer.varint(bytes)
    }
}
