/// Says that the sender of the values has lost no reservation: the epochs that it announced may be
/// written down. A hint; the frame is its type byte, 0x1B.
public struct NothingLostFrame: Hashable, Sendable {
    /// Makes the frame.
    public init() {}

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> NothingLostFrame {
        NothingLostFrame()
    }

    /// Appends the type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.nothingLost.rawValue)
    }
}
