/// Hint of a receiver: it has taken every record of an epoch up to this one, durable or not.
///
/// ```text
/// 0x18 · channel · epoch index · number
/// ```
public struct ReceivedFrame: Hashable, Sendable {
    /// The ordered channel.
    public var channel: Channel
    /// The place of the epoch in the hello of the sender of the records, and the highest number
    /// taken.
    public var address: RecordAddress

    /// Makes the frame.
    public init(channel: Channel, address: RecordAddress) {
        self.channel = channel
        self.address = address
    }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> ReceivedFrame {
        ReceivedFrame(
            channel: try Channel.readOrdered(&reader), address: try RecordAddress.read(&reader))
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.received.rawValue)
        writer.byte(channel.rawValue)
        address.write(to: &writer)
    }
}
