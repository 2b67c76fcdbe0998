/// How a greeting tells of its sender's epochs.
extension Greeting {
    /// The present opening, where it is not listed: an older version ends before it.
    static func readPresent(
        _ reader: inout WireReader, after listed: [OwnEpoch]
    ) throws(WireError) -> (present: PresentEpoch?, isCut: Bool) {
        guard reader.remaining > 0 else { return (nil, false) }
        let at = reader.offset
        let code = try reader.byte("present epoch")
        switch code {
        case 0: return (nil, false)
        case 1: break
        case 2: return (nil, true)
        default:
            throw WireError(
                .unknownCode, at: at, expected: "present epoch 0 to 2", found: UInt64(code))
        }
        let id = try readEpoch(&reader, notIn: listed.map(\.id))
        let (parent, highest) = try readParent(&reader, after: listed.last)
        return (PresentEpoch(id: id, parent: parent, parentHighest: highest), true)
    }

    /// A list of openings, none of them twice.
    static func readOpenings(
        _ reader: inout WireReader, _ what: StaticString, atMost limit: Int
    ) throws(WireError) -> [EpochID] {
        var openings: [EpochID] = []
        for _ in 0..<(try reader.count(what, atMost: limit, size: 8)) {
            openings.append(try readEpoch(&reader, notIn: openings))
        }
        return openings
    }

    /// An epoch whose parent is listed right before it repeats neither the parent nor its numbers.
    static func readOwnEpoch(
        _ reader: inout WireReader, after listed: [OwnEpoch]
    ) throws(WireError) -> OwnEpoch {
        let id = try readEpoch(&reader, notIn: listed.map(\.id))
        let (parent, parentHighest) = try readParent(&reader, after: listed.last)
        var next: [UInt64] = []
        var floors: [UInt64] = []
        for _ in Lane.allCases {
            let at = reader.offset
            let number = try RecordNumber.readNext(&reader, "next number from 1 to 2^62")
            let live = try reader.varint("numbers not settled")
            guard live < number else {
                throw WireError(.outOfRange, at: at, expected: "next number", found: number)
            }
            next.append(number)
            floors.append(number - live)
        }
        return OwnEpoch(
            id: id, parent: parent, parentHighest: parentHighest, next: next, floors: floors)
    }

    static func readParent(
        _ reader: inout WireReader, after former: OwnEpoch?
    ) throws(WireError) -> (parent: EpochID?, highest: [UInt64]) {
        let at = reader.offset
        let code = try reader.byte("parent code")
        var parent: EpochID?
        var parentHighest: [UInt64] = Array(repeating: 0, count: Lane.count)
        switch (code, former) {
        case (0, _): break
        case (1, .some(let former)):
            parent = former.id
            parentHighest = former.next.map { $0 - 1 }
        case (2, _):
            parent = try readEpoch(&reader)
            parentHighest = try readPerLane(
                &reader, "parent's highest number", atMost: RecordNumber.largest)
            if let former, former.id == parent, former.next.map({ $0 - 1 }) == parentHighest {
                throw WireError(.notCanonical, at: at, expected: "parent code 1", found: 2)
            }
        default:
            throw WireError(.unknownCode, at: at, expected: "parent code", found: UInt64(code))
        }
        return (parent, parentHighest)
    }

    func write(
        _ epoch: OwnEpoch, after former: OwnEpoch?, to writer: inout WireWriter
    ) {
        writer.uint64(epoch.id.rawValue)
        writeParent(epoch.parent, epoch.parentHighest, after: former, to: &writer)
        for (next, floor) in zip(epoch.next, epoch.floors) {
            writer.varint(next)
            writer.varint(next - floor)
        }
    }

    func writeParent(
        _ parent: EpochID?, _ highest: [UInt64], after former: OwnEpoch?,
        to writer: inout WireWriter
    ) {
        guard let parent else {
            writer.byte(0)
            return
        }
        if let former, former.id == parent, former.next.map({ $0 - 1 }) == highest {
            writer.byte(1)
        } else {
            writer.byte(2)
            writer.uint64(parent.rawValue)
            for value in highest { writer.varint(value) }
        }
    }

    /// An epoch's name. A list that names one twice would have two sets of numbers for it.
    static func readEpoch(
        _ reader: inout WireReader, notIn listed: [EpochID] = []
    ) throws(WireError) -> EpochID {
        let start = reader.offset
        let value = try reader.uint64("epoch")
        guard value != 0 else {
            throw WireError(.outOfRange, at: start, expected: "epoch, not zero", found: 0)
        }
        let id = EpochID(rawValue: value)
        guard !listed.contains(id) else {
            throw WireError(
                .outOfRange, at: start, expected: "epoch that is not listed yet", found: value)
        }
        return id
    }

    static func readPerLane(
        _ reader: inout WireReader, _ what: StaticString, atMost limit: UInt64
    ) throws(WireError) -> [UInt64] {
        var values: [UInt64] = []
        for _ in Lane.allCases { values.append(try reader.varint(what, atMost: limit)) }
        return values
    }
}
