/// Which records of an epoch and lane came how far, as a floor and ranges.
///
/// A higher stage includes the lower ones: what is applied is committed. Records that ended
/// otherwise are in no range; an ``OutcomeFrame`` speaks of each.
public struct ReceiptFrame: Hashable, Sendable {
    /// The lane of the records.
    public var lane: Lane
    /// `received`, `committed` or `applied`.
    public var stage: Stage
    /// Place of the epoch in the greeting of the side that sent the records; oldest is 0.
    public var epochIndex: Int
    /// The numbers of the records that reached the stage.
    public var numbers: NumberRanges

    static func read(_ reader: inout WireReader, limits: Limits) throws(WireError) -> ReceiptFrame {
        let start = reader.offset
        let first = try reader.byte("receipt lane and stage")
        guard let lane = Lane(rawValue: first & 0x0F), let stage = Stage(rawValue: first >> 4),
            stage >= .received
        else {
            throw WireError(
                .unknownCode, at: start, expected: "receipt lane and stage", found: UInt64(first))
        }
        let index = Int(try reader.varint("epoch index", atMost: 255))
        return ReceiptFrame(
            lane: lane, stage: stage, epochIndex: index,
            numbers: try .readFloorAndRanges(&reader, atMost: limits.receiptRanges))
    }

    func write(to writer: inout WireWriter, limits: Limits) {
        writer.byte(FrameType.receipt.rawValue)
        writer.byte(lane.rawValue | stage.rawValue << 4)
        writer.varint(UInt64(epochIndex))
        numbers.writeFloorAndRanges(to: &writer, atMost: limits.receiptRanges)
    }
}
