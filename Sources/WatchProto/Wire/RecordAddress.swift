/// A record as frames of one session name it: the epoch by its place in its owner's greeting.
public struct RecordAddress: Hashable, Comparable, Sendable {
    /// Place of the epoch in the greeting of the side that sent the record; oldest is 0.
    public var epochIndex: Int
    /// The record's number within that epoch and its lane, from 1.
    public var number: UInt64

    /// Names record `number` of the epoch at place `epochIndex` of its owner's greeting.
    public init(epochIndex: Int, number: UInt64) {
        self.epochIndex = epochIndex
        self.number = number
    }

    /// Older epochs come before newer ones, lower numbers before higher.
    public static func < (left: RecordAddress, right: RecordAddress) -> Bool {
        (left.epochIndex, left.number) < (right.epochIndex, right.number)
    }

    static func read(_ reader: inout WireReader) throws(WireError) -> RecordAddress {
        let index = Int(try reader.varint("epoch index", atMost: 255))
        let start = reader.offset
        let number = try reader.varint("record number")
        // The number after it must exist: receipts name the end of a range by what follows.
        guard number > 0, number < .max else {
            throw WireError(
                .outOfRange, at: start, expected: "record number from 1 to 2^64 - 2", found: number)
        }
        return RecordAddress(epochIndex: index, number: number)
    }

    func write(to writer: inout WireWriter) {
        writer.varint(UInt64(epochIndex))
        writer.varint(number)
    }
}

extension Lane {
    static func read(_ reader: inout WireReader) throws(WireError) -> Lane {
        let start = reader.offset
        let code = try reader.byte("lane")
        guard let lane = Lane(rawValue: code) else {
            throw WireError(.unknownCode, at: start, expected: "lane 0 to 4", found: UInt64(code))
        }
        return lane
    }
}
