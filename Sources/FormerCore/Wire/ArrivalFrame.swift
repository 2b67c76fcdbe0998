/// When the largest packet of the acknowledgement in front of it arrived, by its sender's clock,
/// and how many packets it put together from parity. May be skipped.
///
/// Differences between arrivals tell how fast the path carries, and whether packets queue on it,
/// whatever the way back does (the receive timestamps of draft-smith-quic-receive-ts).
public struct ArrivalFrame: Hashable, Sendable {
    /// Microseconds from some moment that is the same throughout the session.
    public var microseconds: UInt64
    /// Packets put together from parity since the session began.
    public var restoredPackets: UInt64

    /// Bytes a frame takes at most.
    static let largestBytes = 18

    static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> ArrivalFrame {
        let end = try ValueQueryFrame.readEnd(&reader, limits)
        let microseconds = try reader.varint("arrival", atMost: 1 << 50)
        let restored = try reader.varint("restored packets", atMost: 1 << 50)
        try ValueQueryFrame.checkEnd(reader, end)
        return ArrivalFrame(microseconds: microseconds, restoredPackets: restored)
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.arrival.rawValue)
        writer.varint(
            UInt64(
                WireWriter.varintSize(microseconds) + WireWriter.varintSize(restoredPackets)))
        writer.varint(microseconds)
        writer.varint(restoredPackets)
    }
}
