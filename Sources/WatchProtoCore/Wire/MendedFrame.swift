/// States that the sender of the values had lost a reservation and has mended its versions: its
/// present epoch becomes that of the receiver's top. The frame is its type byte, 0x3A.
public struct MendedFrame: Hashable, Sendable {
    /// Makes the frame.
    public init() {}

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> MendedFrame {
        MendedFrame()
    }

    /// Appends the type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.mended.rawValue)
    }
}
