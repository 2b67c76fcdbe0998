/// The receiver does not hold the base, or not the handle, of this delta: send the value whole.
public struct NeedBaseFrame: Hashable, Sendable {
    /// The lane of the delta.
    public var lane: Lane
    /// The delta that cannot be applied, a record of the frame's receiver.
    public var address: RecordAddress

    static func read(_ reader: inout WireReader) throws(WireError) -> NeedBaseFrame {
        NeedBaseFrame(lane: try Lane.read(&reader), address: try RecordAddress.read(&reader))
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.needBase.rawValue)
        writer.byte(lane.rawValue)
        address.write(to: &writer)
    }
}
