/// How a record ended on the receiver's side without being applied. Durable there before it is
/// sent.
public struct OutcomeFrame: Hashable, Sendable {
    /// The lane of the record.
    public var lane: Lane
    /// The record that ended, one of the frame's receiver.
    public var address: RecordAddress
    /// How it ended.
    public var outcome: Outcome
    /// For how many records right after that one the same goes; only of ``Outcome/unknown``, since
    /// a sender restored from a backup may ask of any number of records.
    public var further: UInt64 = 0

    /// The last record it speaks of.
    var last: UInt64 { address.number + further }

    static func read(_ reader: inout WireReader) throws(WireError) -> OutcomeFrame {
        let lane = try Lane.read(&reader)
        let address = try RecordAddress.read(&reader)
        let start = reader.offset
        let code = try reader.byte("outcome")
        let outcome: Outcome
        var further: UInt64 = 0
        switch code {
        case 1: outcome = .superseded
        case 2: outcome = .cancelled
        case 3: outcome = .expired
        case 4: outcome = .rejected(code: try reader.uint16("rejection code"))
        case 5:
            outcome = .unknown
            let start = reader.offset
            further = try reader.varint("further records")
            guard further <= RecordNumber.largest - address.number else {
                throw WireError(
                    .outOfRange, at: start, expected: "numbers up to 2^62 - 1", found: further)
            }
        default:
            throw WireError(
                .unknownCode, at: start, expected: "outcome 1 to 5", found: UInt64(code))
        }
        return OutcomeFrame(lane: lane, address: address, outcome: outcome, further: further)
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.outcome.rawValue)
        writer.byte(lane.rawValue)
        address.write(to: &writer)
        switch outcome {
        case .superseded: writer.byte(1)
        case .cancelled: writer.byte(2)
        case .expired: writer.byte(3)
        case .rejected(let code):
            writer.byte(4)
            writer.uint16(code)
        // The rest are words for this side's application only.
        case .applied, .unknown, .outcomeUnknown, .notDelivered:
            writer.byte(5)
            writer.varint(further)
        }
    }
}
