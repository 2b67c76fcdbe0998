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
        let bound = MetOpenings.bound
        var met: [MetOpenings.Opening] = []
        for _ in 0..<(try reader.count("counterpart's openings", atMost: bound, size: 9)) {
            let id = try Greeting.readEpoch(&reader, notIn: met.map(\.id))
            let isAbandoned = try readFlag(&reader, "whether the opening was left")
            met.append(MetOpenings.Opening(id: id, isAbandoned: isAbandoned))
        }
        let refused = try Greeting.readOpenings(
            &reader, "refused openings", atMost: MetOpenings.refusedBound)
        image.metOpenings = MetOpenings(met, refused: refused)
    }

    /// The newest openings of one side before another one.
    static func readFormer(_ reader: inout WireReader) throws(WireError) -> [EpochID] {
        try Greeting.readOpenings(
            &reader, "former openings", atMost: Greeting.formerOpeningsLimit)
    }
}
