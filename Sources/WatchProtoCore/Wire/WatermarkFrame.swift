/// Statement of a sender: every record of an epoch up to this number is settled.
///
/// ```text
/// 0x32 · channel · epoch index · number
/// ```
public struct WatermarkFrame: Hashable, Sendable {
    /// The ordered channel.
    public var channel: Channel
    /// The place of the epoch in the sender's hello, and the watermark.
    public var address: RecordAddress

    /// Makes the frame.
    public init(channel: Channel, address: RecordAddress) {
        self.channel = channel
        self.address = address
    }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> WatermarkFrame {
        WatermarkFrame(
            channel: try Channel.readOrdered(&reader), address: try RecordAddress.read(&reader))
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.watermark.rawValue)
        writer.byte(channel.rawValue)
        address.write(to: &writer)
    }
}
