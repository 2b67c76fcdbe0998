/// States that every key that the sender of the values does not name was removed at or below a
/// version.
///
/// ```text
/// 0x3E · version
/// ```
public struct RemovalFloorFrame: Hashable, Sendable {
    /// The removal floor.
    public var version: UInt64

    /// States the floor `version`.
    public init(version: UInt64) { self.version = version }

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> RemovalFloorFrame {
        RemovalFloorFrame(version: try RecordNumber.read(&reader))
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.removalFloor.rawValue)
        writer.varint(version)
    }
}
