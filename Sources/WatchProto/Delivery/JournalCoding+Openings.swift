/// Openings that had a session, of both sides.
extension JournalCoding {
    static func write(openingsOf image: JournalImage, to writer: inout WireWriter) {
        writeList(image.formerOpenings, to: &writer) { $1.uint64($0.rawValue) }
        writeList(image.metOpenings.openings, to: &writer) { opening, writer in
            writer.uint64(opening.id.rawValue)
            writer.byte(opening.isAbandoned ? 1 : 0)
        }
    }

    static func readOpenings(
        _ reader: inout WireReader, into image: inout JournalImage
    ) throws(WireError) {
        image.formerOpenings = try readFormer(&reader)
        let start = reader.offset
        let count = try readCount(&reader, "counterpart's openings", size: 9)
        guard count <= MetOpenings.bound else {
            throw WireError(
                .outOfRange, at: start, expected: "256 openings at most", found: UInt64(count))
        }
        var met: [MetOpenings.Opening] = []
        for _ in 0..<count {
            let id = EpochID(rawValue: try reader.uint64("epoch"))
            let isAbandoned = try readFlag(&reader, "whether the opening was left")
            met.append(MetOpenings.Opening(id: id, isAbandoned: isAbandoned))
        }
        image.metOpenings = MetOpenings(met)
    }

    /// The newest openings of one side before another one.
    static func readFormer(_ reader: inout WireReader) throws(WireError) -> [EpochID] {
        let start = reader.offset
        let former = try readEpochs(&reader, "former openings")
        guard former.count <= MetOpenings.namedBefore else {
            throw WireError(
                .outOfRange, at: start, expected: "2 former openings at most",
                found: UInt64(former.count))
        }
        return former
    }
}
