/// What was measured of the path to the counterpart.
extension JournalCoding {
    static func write(_ memory: PathMemory, to writer: inout WireWriter) {
        writer.varint(memory.bytesPerSecond)
        writer.varint(memory.roundTripMicroseconds)
        writer.varint(UInt64(memory.lossPerTenThousand))
    }

    static func readOptionalPath(_ reader: inout WireReader) throws(WireError) -> PathMemory? {
        try readFlag(&reader, "whether the path was measured") ? try readPath(&reader) : nil
    }

    static func readPath(_ reader: inout WireReader) throws(WireError) -> PathMemory {
        let at = reader.offset
        let rate = try reader.varint("rate of the path", atMost: PathMemory.rates.upperBound)
        let trip = try reader.varint("round trip", atMost: PathMemory.trips.upperBound)
        let loss = try reader.varint("loss of 10,000 packets", atMost: 10_000)
        let memory = PathMemory(
            bytesPerSecond: rate, roundTripMicroseconds: trip, lossPerTenThousand: UInt16(loss))
        guard let memory else {
            throw WireError(
                .outOfRange, at: at, expected: "rate of 1,000 bytes a second or more, round trip",
                found: rate)
        }
        return memory
    }
}
