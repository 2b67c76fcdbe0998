/// Asks the counterpart to answer with the same token: proof of life, and a round-trip sample.
public struct PingFrame: Hashable, Sendable {
    /// A number the asker chose, returned unchanged in the answer.
    public var token: UInt64
    /// Whether this is the answer.
    public var isPong: Bool

    static func read(_ reader: inout WireReader, isPong: Bool) throws(WireError) -> PingFrame {
        PingFrame(token: try reader.varint("ping token"), isPong: isPong)
    }

    func write(to writer: inout WireWriter) {
        writer.byte(isPong ? FrameType.pong.rawValue : FrameType.ping.rawValue)
        writer.varint(token)
    }
}
