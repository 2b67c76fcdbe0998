/// The bodies of entries that checkpoints consist of, and of the measurements of a path.
extension JournalCoding {
    /// The most records that one entry says ended alike; as many outcomes are remembered.
    static let endedLimit = 4096
    /// The most records that wait for the word on one of their idempotency key.
    static let followerLimit = 64

    static func readFlag(_ reader: inout WireReader) throws(WireError) -> Bool {
        let start = reader.offset
        let flag = try reader.byte("flag")
        guard flag < 2 else {
            throw WireError(
                .unknownCode, at: start, expected: "flag 0 or 1", found: UInt64(flag))
        }
        return flag == 1
    }

    static func readEnded(_ reader: inout WireReader) throws(WireError) -> JournalEntry {
        let id = try readID(&reader)
        let room = RecordNumber.largest - id.number.rawValue + 1
        let limit = min(UInt64(endedLimit), room)
        let start = reader.offset
        let count = try reader.varint("records that ended", atMost: limit)
        guard count > 0 else {
            throw WireError(.outOfRange, at: start, expected: "one record or more", found: 0)
        }
        return .ended(
            id, count: count, try readOutcome(&reader), isLostSince: try readFlag(&reader))
    }

    static func readPassed(_ reader: inout WireReader) throws(WireError) -> JournalEntry {
        let epoch = try readEpoch(&reader)
        let channel = try reader.channel()
        let first = try reader.number()
        let more = try reader.varint("records passed", atMost: RecordNumber.largest - first)
        return .passed(
            epoch, channel, first: first, last: first + more, try readException(&reader))
    }

    static func readHeld(_ reader: inout WireReader) throws(WireError) -> JournalEntry {
        let record = try readInbound(&reader)
        var followers: [RecordID] = []
        for _ in 0..<(try reader.count("followers", atMost: followerLimit, size: 10)) {
            followers.append(try readID(&reader))
        }
        return .held(record, followers: followers)
    }

    static func write(_ exception: RecordException?, to writer: inout WireWriter) {
        switch exception {
        case nil: writer.byte(0)
        case .pending: writer.byte(1)
        case .rejected(let code):
            writer.byte(2)
            writer.uint16(code)
        case .cancelled: writer.byte(3)
        case .expired: writer.byte(4)
        case .skipped: writer.byte(5)
        }
    }

    private static func readException(
        _ reader: inout WireReader
    ) throws(WireError) -> RecordException? {
        let start = reader.offset
        let code = try reader.byte("exception")
        switch code {
        case 0: return nil
        case 1: return .pending
        case 2: return .rejected(code: try reader.uint16("rejection code"))
        case 3: return .cancelled
        case 4: return .expired
        case 5: return .skipped
        default:
            throw WireError(
                .unknownCode, at: start, expected: "exception 0 to 5", found: UInt64(code))
        }
    }

    static func readPath(
        _ reader: inout WireReader, at start: Int
    ) throws(WireError) -> PathMemory {
        let rate = try reader.varint("bytes a second")
        let roundTrip = try reader.varint("round trip")
        let loss = try reader.varint("packets lost of 10,000", atMost: 10_000)
        guard
            let memory = PathMemory(
                bytesPerSecond: rate, roundTripMicroseconds: roundTrip,
                lossPerTenThousand: UInt16(loss))
        else {
            throw WireError(
                .outOfRange, at: start, expected: "measurements of a path", found: rate)
        }
        return memory
    }
}
