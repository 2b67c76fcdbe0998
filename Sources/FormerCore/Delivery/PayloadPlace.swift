/// Where something that was sealed for itself stands in a journal of formats 1 to 3: what its seal
/// binds it to, so that one cannot be put in another's place. Later formats seal whole bodies.
public enum PayloadPlace: Hashable, Sendable {
    /// The payload of a record, on either side of its pairing, in formats 1 and 2.
    case record(PairingID, RecordID)
    /// A value of the counterpart in formats 1 and 2. Its epoch may be forgotten: its rank stands
    /// for it.
    case counterpartValue(PairingID, Lane, rank: UInt64, number: UInt64)
    /// The payload of a record and its names, key and idempotency key, in format 3 as all below.
    case namedRecord(PairingID, RecordID)
    /// A value of the counterpart and its key.
    case namedCounterpartValue(PairingID, Lane, rank: UInt64, number: UInt64)
    /// The idempotency key of the counterpart's record.
    case idempotencyKey(PairingID, RecordID)
    /// A key of the counterpart of which nothing is remembered any more.
    case forgottenKey(PairingID, Lane)
    /// The same of a key of this side.
    case ownForgottenKey(PairingID, Lane)

    /// The 34 bytes a seal authenticates beside the payload: a tag, the pairing, the lane, the
    /// epoch or its rank, the number; zeros where a place has none.
    public var associatedData: [UInt8] {
        switch self {
        case .record(let pairing, let id): Self.bytes(1, pairing, id)
        case .counterpartValue(let pairing, let lane, let rank, let number):
            Self.bytes(2, pairing, lane, rank, number)
        // Those of the columns of the application's tables begin with 3.
        case .namedRecord(let pairing, let id): Self.bytes(4, pairing, id)
        case .namedCounterpartValue(let pairing, let lane, let rank, let number):
            Self.bytes(5, pairing, lane, rank, number)
        case .idempotencyKey(let pairing, let id): Self.bytes(6, pairing, id)
        case .forgottenKey(let pairing, let lane): Self.bytes(7, pairing, lane, 0, 0)
        case .ownForgottenKey(let pairing, let lane): Self.bytes(8, pairing, lane, 0, 0)
        }
    }

    private static func bytes(_ tag: UInt8, _ pairing: PairingID, _ id: RecordID) -> [UInt8] {
        bytes(tag, pairing, id.lane, id.epoch.rawValue, id.number.rawValue)
    }

    private static func bytes(
        _ tag: UInt8, _ pairing: PairingID, _ lane: Lane, _ epoch: UInt64, _ number: UInt64
    ) -> [UInt8] {
        var writer = WireWriter()
        writer.bytes.reserveCapacity(34)
        writer.byte(tag)
        writer.uint128(pairing.rawValue)
        writer.byte(lane.rawValue)
        writer.uint64(epoch)
        writer.uint64(number)
        return writer.bytes
    }
}
