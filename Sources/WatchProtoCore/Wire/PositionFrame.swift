/// The position of the sender in the session's ticket, for the statements that follow in the
/// packet.
///
/// ```text
/// 0x08 · position
/// ```
public struct PositionFrame: Hashable, Sendable {
    /// Own batches since the ticket was entered, all of them durable.
    public var position: UInt64

    /// Makes the frame.
    public init(_ position: UInt64) { self.position = position }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> PositionFrame {
        let start = reader.offset
        let position = try reader.varint("position", atMost: RecordNumber.largest)
        guard position > 0 else {
            throw WireError(.outOfRange, at: start, expected: "position from 1", found: 0)
        }
        return PositionFrame(position)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.position.rawValue)
        writer.varint(position)
    }
}
