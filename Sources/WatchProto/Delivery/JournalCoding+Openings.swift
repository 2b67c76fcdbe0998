/// Openings that had a session, of both sides.
extension JournalCoding {
    static func write(openingsOf image: JournalImage, to writer: inout WireWriter) {
        writeList(image.formerOpenings, to: &writer) { $1.uint64($0.rawValue) }
        writeList(image.metOpenings.openings, to: &writer) { opening, writer in
            writer.uint64(opening.id.rawValue)
            writer.byte(opening.isAbandoned ? 1 : 0)
        }
        writeList(image.metOpenings.refused, to: &writer) { $1.uint64($0.rawValue) }
    }

    static func readOpenings(
        _ reader: inout WireReader, into image: inout JournalImage
    ) throws(WireError) {
        image.formerOpenings = try readFormer(&reader)
        let start = reader.offset
        let count = try readCount(&reader, "counterpart's openings", size: 9)
        try check(count, atMost: MetOpenings.bound, at: start)
        var met: [MetOpenings.Opening] = []
        for _ in 0..<count {
            let id = try readOpening(&reader, notIn: met.map(\.id))
            let isAbandoned = try readFlag(&reader, "whether the opening was left")
            met.append(MetOpenings.Opening(id: id, isAbandoned: isAbandoned))
        }
        let refused = try readOpenings(&reader, atMost: MetOpenings.refusedBound)
        image.metOpenings = MetOpenings(met, refused: refused)
    }

    /// The newest openings of one side before another one.
    static func readFormer(_ reader: inout WireReader) throws(WireError) -> [EpochID] {
        try readOpenings(&reader, atMost: Greeting.formerOpeningsLimit)
    }

    /// An opening: a name that is not zero, and that its list does not hold yet.
    static func readOpening(
        _ reader: inout WireReader, notIn listed: [EpochID] = []
    ) throws(WireError) -> EpochID {
        let start = reader.offset
        let id = EpochID(rawValue: try reader.uint64("opening"))
        guard id.rawValue != 0, !listed.contains(id) else {
            throw WireError(
                .outOfRange, at: start, expected: "opening, not zero and not listed yet",
                found: id.rawValue)
        }
        return id
    }

    private static func readOpenings(
        _ reader: inout WireReader, atMost limit: Int
    ) throws(WireError) -> [EpochID] {
        let start = reader.offset
        let count = try readCount(&reader, "openings", size: 8)
        try check(count, atMost: limit, at: start)
        var openings: [EpochID] = []
        for _ in 0..<count { openings.append(try readOpening(&reader, notIn: openings)) }
        return openings
    }

    private static func check(_ count: Int, atMost limit: Int, at offset: Int) throws(WireError) {
        guard count > limit else { return }
        throw WireError(
            .outOfRange, at: offset, expected: "no more openings than are kept",
            found: UInt64(count))
    }
}
