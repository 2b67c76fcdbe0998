/// The receiver had no room for this record; it will raise the lane's credit when it has.
public struct TryLaterFrame: Hashable, Sendable {
    public var lane: Lane
    public var address: RecordAddress

    static func read(_ reader: inout WireReader) throws(WireError) -> TryLaterFrame {
        TryLaterFrame(lane: try Lane.read(&reader), address: try RecordAddress.read(&reader))
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.tryLater.rawValue)
        writer.byte(lane.rawValue)
        address.write(to: &writer)
    }
}
