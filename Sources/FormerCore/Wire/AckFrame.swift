/// Packets that arrived, on carriers that can lose (RFC 9000, 19.3, without ECN).
public struct AckFrame: Hashable, Sendable {
    /// The numbers of the packets that arrived; the newest ranges when there are too many to list.
    public var packets: NumberRanges
    /// Microseconds between the arrival of the largest packet and this frame.
    public var delayMicroseconds: UInt64

    static func read(_ reader: inout WireReader, limits: Limits) throws(WireError) -> AckFrame {
        let delay = try reader.varint("acknowledgement delay", atMost: 1 << 40)
        return AckFrame(
            packets: try .readDescending(&reader, atMost: limits.ackRanges),
            delayMicroseconds: delay)
    }

    func write(to writer: inout WireWriter, limits: Limits) {
        writer.byte(FrameType.ack.rawValue)
        writer.varint(delayMicroseconds)
        packets.writeDescending(to: &writer, atMost: limits.ackRanges)
    }
}
