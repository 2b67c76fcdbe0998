/// The packets that arrived, on carriers that can lose (RFC 9000, 19.3, without ECN).
///
/// ```text
/// 0x04 · delay · largest packet · ranges · length of the newest · [gap · length] …
/// ```
/// Numbers are varints; gaps and lengths are one less than what they count, as in RFC 9000.
public struct AckFrame: Hashable, Sendable {
    /// The numbers of the packets that arrived, at least one. Its maker keeps the newest
    /// `Limits.ackRanges` ranges.
    public var packets: NumberRanges
    /// Microseconds between the arrival of the largest packet and this frame.
    public var delayMicroseconds: UInt64

    /// The longest delay that can be told, in microseconds: thirteen days.
    static let longestDelay: UInt64 = 1 << 40

    /// Makes the acknowledgement of `packets`, which must not be empty.
    public init(packets: NumberRanges, delayMicroseconds: UInt64) {
        self.packets = packets
        self.delayMicroseconds = delayMicroseconds
    }

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> AckFrame {
        let delay = try reader.varint("acknowledgement delay", atMost: longestDelay)
        return AckFrame(
            packets: try .readDescending(&reader, atMost: limits.ackRanges),
            delayMicroseconds: delay)
    }

    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.ack.rawValue)
        writer.varint(delayMicroseconds)
        packets.writeDescending(to: &writer, atMost: packets.ranges.count)
    }

    /// Leaves out the oldest ranges so that the frame takes at most `bytes`. The newest range
    /// stays.
    public mutating func fit(_ bytes: Int) {
        let room = bytes - 1 - WireWriter.varintSize(delayMicroseconds)
        packets.keepNewest(packets.newest(in: room, atMost: packets.ranges.count))
    }
}
