/// Where a payload stands in a journal: what a seal over it binds it to, so that one payload cannot
/// be put in another's place.
public enum PayloadPlace: Hashable, Sendable {
    /// The content of a record, on either side of its pairing.
    case record(PairingID, RecordID)
    /// A value of the counterpart, whose epoch may be forgotten: its rank stands for it.
    case counterpartValue(PairingID, Lane, rank: UInt64, number: UInt64)

    /// The 34 bytes a seal authenticates beside the payload: a tag, the pairing, the lane, the
    /// epoch or its rank, the number.
    public var associatedData: [UInt8] {
        var writer = WireWriter()
        writer.bytes.reserveCapacity(34)
        switch self {
        case .record(let pairing, let id):
            writer.byte(1)
            writer.uint128(pairing.rawValue)
            writer.byte(id.lane.rawValue)
            writer.uint64(id.epoch.rawValue)
            writer.uint64(id.number.rawValue)
        case .counterpartValue(let pairing, let lane, let rank, let number):
            writer.byte(2)
            writer.uint128(pairing.rawValue)
            writer.byte(lane.rawValue)
            writer.uint64(rank)
            writer.uint64(number)
        }
        return writer.bytes
    }
}
