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
        return RecordAddress(epochIndex: index, number: try RecordNumber.read(&reader))
    }

    /// Reads the number below which all are settled: at most the one after the largest.
    static func readFloor(_ reader: inout WireReader) throws(WireError) -> RecordAddress {
        let index = Int(try reader.varint("epoch index", atMost: 255))
        return RecordAddress(
            epochIndex: index, number: try RecordNumber.readNext(&reader, "floor from 1 to 2^62"))
    }

    func write(to writer: inout WireWriter) {
        writer.varint(UInt64(epochIndex))
        writer.varint(number)
    }
}

extension RecordNumber {
    /// Reads the number of a record.
    static func read(_ reader: inout WireReader) throws(WireError) -> UInt64 {
        let start = reader.offset
        let number = try reader.varint("record number")
        guard number > 0, number <= largest else {
            throw WireError(
                .outOfRange, at: start, expected: "record number from 1 to 2^62 - 1", found: number)
        }
        return number
    }

    /// Reads the number after a record, as floors and greetings give it.
    static func readNext(
        _ reader: inout WireReader, _ what: StaticString
    ) throws(WireError) -> UInt64 {
        let start = reader.offset
        let number = try reader.varint(what)
        guard number > 0, number <= largest + 1 else {
            throw WireError(.outOfRange, at: start, expected: what, found: number)
        }
        return number
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
