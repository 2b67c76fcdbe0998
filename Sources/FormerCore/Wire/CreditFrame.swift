/// How much may be offered in a lane since the session began. Absolute, so that a repeated or
/// reordered frame does no harm: the highest counts.
public struct CreditFrame: Hashable, Sendable {
    /// The lane the credit is for.
    public var lane: Lane
    /// Records.
    public var offers: UInt64
    /// Payload bytes.
    public var bytes: UInt64

    static func read(_ reader: inout WireReader) throws(WireError) -> CreditFrame {
        CreditFrame(
            lane: try Lane.read(&reader), offers: try reader.varint("credit in offers"),
            bytes: try reader.varint("credit in bytes"))
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.credit.rawValue)
        writer.byte(lane.rawValue)
        writer.varint(offers)
        writer.varint(bytes)
    }
}
