/// The parts that entries and images have in common.
extension JournalCoding {
    static func write(_ id: RecordID, to writer: inout WireWriter) {
        writer.byte(id.lane.rawValue)
        writer.uint64(id.epoch.rawValue)
        writer.varint(id.number.rawValue)
    }

    static func readID(
        _ reader: inout WireReader, lowest: UInt64 = 1
    ) throws(WireError) -> RecordID {
        let lane = try Lane.read(&reader)
        let epoch = EpochID(rawValue: try reader.uint64("epoch"))
        if lowest == 0, reader.peek == 0 {
            let number = RecordNumber(UInt64(try reader.byte("record number")))
            return RecordID(epoch: epoch, lane: lane, number: number)
        }
        return RecordID(epoch: epoch, lane: lane, number: RecordNumber(try readNumber(&reader)))
    }

    /// A record's number, or a floor, which may be one more than the largest number.
    static func readNumber(_ reader: inout WireReader) throws(WireError) -> UInt64 {
        try RecordNumber.readNext(&reader, "record number from 1 to 2^62")
    }

    static func write(_ outcome: Outcome, to writer: inout WireWriter) {
        switch outcome {
        case .applied: writer.byte(0)
        case .superseded: writer.byte(1)
        case .cancelled: writer.byte(2)
        case .expired: writer.byte(3)
        case .rejected(let code):
            writer.byte(4)
            writer.uint16(code)
        case .unknown: writer.byte(5)
        case .outcomeUnknown: writer.byte(6)
        case .notDelivered: writer.byte(7)
        }
    }

    static func readOutcome(_ reader: inout WireReader) throws(WireError) -> Outcome {
        let start = reader.offset
        let code = try reader.byte("outcome")
        switch code {
        case 0: return .applied
        case 1: return .superseded
        case 2: return .cancelled
        case 3: return .expired
        case 4: return .rejected(code: try reader.uint16("rejection code"))
        case 5: return .unknown
        case 6: return .outcomeUnknown
        case 7: return .notDelivered
        default:
            throw WireError(
                .unknownCode, at: start, expected: "outcome 0 to 7", found: UInt64(code))
        }
    }

    /// The outcomes that a record is taken back as.
    static func readWithdrawal(_ reader: inout WireReader) throws(WireError) -> Outcome {
        let start = reader.offset
        let outcome = try readOutcome(&reader)
        guard outcome == .cancelled || outcome == .expired else {
            throw WireError(
                .notCanonical, at: start, expected: "cancelled (2) or expired (3)", found: 0)
        }
        return outcome
    }

    static func write(_ disposition: Disposition, to writer: inout WireWriter) {
        switch disposition {
        case .applied: writer.byte(0)
        case .pending: writer.byte(1)
        case .rejected(let code):
            writer.byte(2)
            writer.uint16(code)
        }
    }

    static func readDisposition(_ reader: inout WireReader) throws(WireError) -> Disposition {
        let start = reader.offset
        let code = try reader.byte("disposition")
        switch code {
        case 0: return .applied
        case 1: return .pending
        case 2: return .rejected(code: try reader.uint16("rejection code"))
        default:
            throw WireError(
                .unknownCode, at: start, expected: "disposition 0 to 2", found: UInt64(code))
        }
    }

    static func readStage(_ reader: inout WireReader) throws(WireError) -> Stage {
        let start = reader.offset
        let code = try reader.byte("stage")
        guard let stage = Stage(rawValue: code) else {
            throw WireError(
                .unknownCode, at: start, expected: "stage 0 to 4", found: UInt64(code))
        }
        return stage
    }

    /// One number for each lane.
    static func writePerLane(_ values: [UInt64], to writer: inout WireWriter) {
        precondition(values.count == Lane.count, "a journal holds one number for each lane")
        for value in values { writer.varint(value) }
    }

    static func readPerLane(
        _ reader: inout WireReader, _ what: StaticString, from lowest: UInt64
    ) throws(WireError) -> [UInt64] {
        var values: [UInt64] = []
        for _ in Lane.allCases {
            let start = reader.offset
            let value = try reader.varint(what)
            guard value >= lowest else {
                throw WireError(.outOfRange, at: start, expected: what, found: value)
            }
            values.append(value)
        }
        return values
    }

    static func writeOptional(_ epoch: EpochID?, to writer: inout WireWriter) {
        writer.byte(epoch == nil ? 0 : 1)
        if let epoch { writer.uint64(epoch.rawValue) }
    }

    static func readOptionalEpoch(_ reader: inout WireReader) throws(WireError) -> EpochID? {
        try readFlag(&reader, "whether there is an epoch")
            ? EpochID(rawValue: try reader.uint64("epoch")) : nil
    }

    static func readFlag(
        _ reader: inout WireReader, _ what: StaticString
    ) throws(WireError) -> Bool {
        let start = reader.offset
        let code = try reader.byte(what)
        guard code <= 1 else {
            throw WireError(.unknownCode, at: start, expected: what, found: UInt64(code))
        }
        return code == 1
    }
}
