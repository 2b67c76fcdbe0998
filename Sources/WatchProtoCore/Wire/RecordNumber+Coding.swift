extension RecordNumber {
    /// Reads the number of a record. Throws `outOfRange` for 0 and above ``largest``.
    static func read(_ reader: inout WireReader) throws(WireError) -> UInt64 {
        let start = reader.offset
        let number = try reader.varint("record number")
        guard number > 0, number <= largest else {
            throw WireError(
                .outOfRange, at: start, expected: "record number from 1 to 2^62 - 1", found: number)
        }
        return number
    }

    /// Reads the number after a record. Throws `outOfRange` for 0 and above ``largest`` + 1.
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

extension Channel {
    /// Reads the code of a channel. Throws `unknownCode` for one without a row.
    static func read(_ reader: inout WireReader) throws(WireError) -> Channel {
        let start = reader.offset
        let code = try reader.byte("channel")
        guard let channel = Channel(rawValue: code) else {
            throw WireError(
                .unknownCode, at: start, expected: "channel 0 to 4", found: UInt64(code))
        }
        return channel
    }
}
