/// The arrival time of the largest packet in the acknowledgement in front of this frame, by the
/// clock of the frame's sender. The frame also counts the packets that this sender recovered from
/// repair packets.
///
/// Differences between arrivals show how fast the path delivers and whether packets queue on it,
/// whatever happens on the way back (receive timestamps, draft-smith-quic-receive-ts). A peer may
/// skip the frame.
///
/// ```text
/// 0x42 · length · microseconds · recovered packets
/// ```
public struct ArrivalFrame: Hashable, Sendable {
    /// Microseconds from some moment that is the same throughout the session.
    public var microseconds: UInt64
    /// Packets recovered from repair packets since the session began.
    public var recoveredPackets: UInt64

    /// Bytes that a frame takes at most.
    public static let largestBytes = 18
    /// The largest value of either number.
    public static let largestNumber: UInt64 = 1 << 50

    /// Makes a frame; neither number is above ``largestNumber``.
    public init(microseconds: UInt64, recoveredPackets: UInt64) {
        self.microseconds = microseconds
        self.recoveredPackets = recoveredPackets
    }

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> ArrivalFrame {
        let end = try reader.frameEnd(limits)
        let microseconds = try reader.varint("arrival", atMost: largestNumber)
        let recovered = try reader.varint("recovered packets", atMost: largestNumber)
        try reader.check(end)
        return ArrivalFrame(microseconds: microseconds, recoveredPackets: recovered)
    }

    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.arrival.rawValue)
        let length =
            WireWriter.varintSize(microseconds) + WireWriter.varintSize(recoveredPackets)
        writer.varint(UInt64(length))
        writer.varint(microseconds)
        writer.varint(recoveredPackets)
    }
}
