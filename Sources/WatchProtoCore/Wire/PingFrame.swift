/// A ping, which asks the counterpart to return its token, or the pong that returns it: proof of
/// life and a round-trip sample.
///
/// ```text
/// 0x01 · token          ping
/// 0x02 · token          pong
/// ```
public struct PingFrame: Hashable, Sendable {
    /// A number that the asker chose; the pong returns it unchanged.
    public var token: UInt64
    /// Whether this is the answer.
    public var isPong: Bool

    /// Makes a ping, or the pong that answers the ping of `token`.
    public init(token: UInt64, isPong: Bool) {
        self.token = token
        self.isPong = isPong
    }

    /// Reads a ping, without its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> PingFrame {
        PingFrame(token: try reader.varint("ping token"), isPong: false)
    }

    /// Reads a pong, without its type byte. The packet's author is at fault for every error.
    public static func readPong(_ reader: inout WireReader) throws(WireError) -> PingFrame {
        PingFrame(token: try reader.varint("pong token"), isPong: true)
    }

    public func write(to writer: inout WireWriter) {
        writer.byte(isPong ? FrameType.pong.rawValue : FrameType.ping.rawValue)
        writer.varint(token)
    }
}
