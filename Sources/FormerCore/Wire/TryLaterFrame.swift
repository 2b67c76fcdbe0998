/// The receiver had no room for this record: nothing new in the lane until its credit in offers is
/// above the one named here. Naming it makes the order of this frame and the raise irrelevant.
public struct TryLaterFrame: Hashable, Sendable {
    /// The lane without room.
    public var lane: Lane
    /// The record turned away, one of the frame's receiver.
    public var address: RecordAddress
    /// The credit in offers that stood when the record was turned away.
    public var offers: UInt64

    static func read(_ reader: inout WireReader) throws(WireError) -> TryLaterFrame {
        TryLaterFrame(
            lane: try Lane.read(&reader), address: try RecordAddress.read(&reader),
            offers: try reader.varint("credit in offers"))
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.tryLater.rawValue)
        writer.byte(lane.rawValue)
        address.write(to: &writer)
        writer.varint(offers)
    }
}
