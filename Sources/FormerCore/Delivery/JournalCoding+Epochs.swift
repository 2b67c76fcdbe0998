/// Epochs of both sides as an image holds them, and the lists of an image.
extension JournalCoding {
    static func write(_ epoch: JournalImage.OwnEpoch, to writer: inout WireWriter) {
        writer.uint64(epoch.id.rawValue)
        writeOptional(epoch.parent, to: &writer)
        writePerLane(epoch.parentHighest, to: &writer)
        writePerLane(epoch.next, to: &writer)
    }

    static func readOwnEpoch(
        _ reader: inout WireReader
    ) throws(WireError) -> JournalImage.OwnEpoch {
        JournalImage.OwnEpoch(
            id: EpochID(rawValue: try reader.uint64("epoch")),
            parent: try readOptionalEpoch(&reader),
            parentHighest: try readPerLane(&reader, "parent's highest number", from: 0),
            next: try readPerLane(&reader, "next number, from 1", from: 1))
    }

    /// Lanes of which nothing is known are left out: a byte says which are there.
    static func write(_ epoch: InboundEpoch, to writer: inout WireWriter) {
        writer.uint64(epoch.id.rawValue)
        writer.varint(epoch.rank)
        writeOptional(epoch.parent, to: &writer)
        writer.byte(epoch.isUsed ? 1 : 0)
        var present: UInt8 = 0
        for (lane, numbers) in epoch.lanes.enumerated() where numbers != InboundNumbers() {
            present |= 1 << UInt8(lane)
        }
        writer.byte(present)
        for numbers in epoch.lanes where numbers != InboundNumbers() {
            for set in [numbers.arrived, numbers.committed, numbers.applied, numbers.withdrawn] {
                set.writeFloorAndRanges(to: &writer, atMost: set.ranges.count)
            }
            writer.varint(numbers.floor)
            writeList(numbers.exceptions, to: &writer) { exception, writer in
                writer.varint(exception.number)
                write(exception.outcome, to: &writer)
            }
        }
    }

    static func readRank(_ reader: inout WireReader) throws(WireError) -> UInt64 {
        try reader.varint("rank up to 2^62", atMost: RankRoom.largest)
    }

    static func readInboundEpoch(_ reader: inout WireReader) throws(WireError) -> InboundEpoch {
        let id = EpochID(rawValue: try reader.uint64("epoch"))
        let rank = try readRank(&reader)
        var epoch = InboundEpoch(id: id, rank: rank, parent: try readOptionalEpoch(&reader))
        epoch.isUsed = try readFlag(&reader, "whether the epoch is used")
        let start = reader.offset
        let present = try reader.byte("lanes present")
        guard present < 1 << UInt8(Lane.count) else {
            throw WireError(
                .unknownCode, at: start, expected: "lanes present", found: UInt64(present))
        }
        for lane in epoch.lanes.indices where present & 1 << UInt8(lane) != 0 {
            let at = reader.offset
            epoch.lanes[lane] = try readNumbers(&reader)
            guard epoch.lanes[lane] != InboundNumbers() else {
                throw WireError(
                    .notCanonical, at: at, expected: "a lane of which something is known",
                    found: UInt64(lane))
            }
        }
        return epoch
    }

    static func write(_ epoch: JournalImage.CounterpartEpoch, to writer: inout WireWriter) {
        writer.uint64(epoch.id.rawValue)
        writer.varint(epoch.rank)
        writeOptional(epoch.parent, to: &writer)
        writer.byte(epoch.isAbandoned ? 1 : 0)
    }

    static func readCounterpartEpoch(
        _ reader: inout WireReader
    ) throws(WireError) -> JournalImage.CounterpartEpoch {
        JournalImage.CounterpartEpoch(
            id: EpochID(rawValue: try reader.uint64("epoch")),
            rank: try readRank(&reader),
            parent: try readOptionalEpoch(&reader),
            isAbandoned: try readFlag(&reader, "whether the epoch is abandoned"))
    }

    static func writeForgotten(_ through: UInt64?, to writer: inout WireWriter) {
        writer.byte(through == nil ? 0 : 1)
        if let through { writer.varint(through) }
    }

    /// The highest stamp of an epoch that left a lineage; nil where none has.
    func readForgotten(_ reader: inout WireReader) throws(WireError) -> UInt64? {
        guard version >= 5, try Self.readFlag(&reader, "whether epochs are forgotten") else {
            return nil
        }
        let start = reader.offset
        let through = try reader.varint("stamp of an epoch")
        guard through <= EpochID.largestStamp else {
            throw WireError(
                .outOfRange, at: start, expected: "stamp of an epoch", found: through)
        }
        return through
    }

    static func readEpochs(
        _ reader: inout WireReader, _ what: StaticString
    ) throws(WireError) -> [EpochID] {
        var epochs: [EpochID] = []
        for _ in 0..<(try readCount(&reader, what, size: 8)) {
            epochs.append(EpochID(rawValue: try reader.uint64("epoch")))
        }
        return epochs
    }

    private static func readNumbers(
        _ reader: inout WireReader
    ) throws(WireError) -> InboundNumbers {
        var numbers = InboundNumbers()
        numbers.arrived = try readRanges(&reader)
        numbers.committed = try readRanges(&reader)
        numbers.applied = try readRanges(&reader)
        numbers.withdrawn = try readRanges(&reader)
        numbers.floor = try readNumber(&reader)
        var last: UInt64 = 0
        for _ in 0..<(try readCount(&reader, "exceptions", size: 2)) {
            let at = reader.offset
            let number = try readNumber(&reader)
            guard number > last else {
                throw WireError(
                    .notCanonical, at: at, expected: "exceptions in order", found: number)
            }
            last = number
            numbers.exceptions.append(
                InboundNumbers.Exception(number: number, outcome: try readOutcome(&reader)))
        }
        return numbers
    }

    private static func readRanges(_ reader: inout WireReader) throws(WireError) -> NumberRanges {
        try NumberRanges.readFloorAndRanges(&reader, atMost: .max)
    }

    // MARK: Lists

    static func writeList<Element>(
        _ list: [Element], to writer: inout WireWriter,
        _ write: (Element, inout WireWriter) -> Void
    ) {
        writer.varint(UInt64(list.count))
        for element in list { write(element, &writer) }
    }

    /// A count that the bytes left can hold, at `size` bytes each or more.
    static func readCount(
        _ reader: inout WireReader, _ what: StaticString, size: Int
    ) throws(WireError) -> Int {
        try reader.count(what, atMost: .max, size: size)
    }

    static func refuseSecond(_ isSecond: Bool, at offset: Int) throws(WireError) {
        guard isSecond else { return }
        throw WireError(.notCanonical, at: offset, expected: "each only once", found: 2)
    }
}
