/// The sender of the records says: all below this number are settled, wait for none of them.
public struct FloorFrame: Hashable, Sendable {
    /// The lane of the settled records.
    public var lane: Lane
    /// Names the epoch, and the first number that may still be live.
    public var floor: RecordAddress

    static func read(_ reader: inout WireReader) throws(WireError) -> FloorFrame {
        FloorFrame(lane: try Lane.read(&reader), floor: try RecordAddress.readFloor(&reader))
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.floor.rawValue)
        writer.byte(lane.rawValue)
        floor.write(to: &writer)
    }
}
