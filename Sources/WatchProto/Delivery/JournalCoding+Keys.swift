/// The idempotency keys of the counterpart, and the records that wait for the word on a first one.
extension JournalCoding {
    static func write(
        _ key: UInt128, _ id: RecordID, _ word: Disposition, _ at: WallTime,
        to writer: inout WireWriter
    ) {
        writer.uint128(key)
        write(id, to: &writer)
        write(word, to: &writer)
        writer.uint64(UInt64(bitPattern: at.milliseconds))
    }

    static func readKey(
        _ reader: inout WireReader
    ) throws(WireError) -> (key: UInt128, memory: IdempotencyWindow.Memory) {
        let key = try reader.uint128("idempotency key")
        let id = try readID(&reader)
        let word = try readDisposition(&reader)
        let moment = try reader.uint64("moment a key was remembered")
        return (
            key,
            IdempotencyWindow.Memory(
                id: id, word: word, notedAt: WallTime(milliseconds: Int64(bitPattern: moment)))
        )
    }

    static func write(keysOf image: JournalImage, to writer: inout WireWriter) {
        writeList(image.keys.entries, to: &writer) { entry, writer in
            write(
                entry.name.key, entry.memory.id, entry.memory.word, entry.memory.notedAt,
                to: &writer)
        }
        let followers = zip(image.followers.keys, image.followers.values).map { ($0, $1) }
        writeList(followers, to: &writer) { entry, writer in
            write(entry.0, to: &writer)
            writeList(entry.1, to: &writer) { write($0, to: &$1) }
        }
    }

    static func readKeys(
        _ reader: inout WireReader, into image: inout JournalImage
    ) throws(WireError) {
        let start = reader.offset
        let count = try readCount(&reader, "idempotency keys", size: 35)
        guard count <= IdempotencyWindow.capacity else {
            throw WireError(
                .outOfRange, at: start, expected: "idempotency keys remembered",
                found: UInt64(count))
        }
        for _ in 0..<count {
            let at = reader.offset
            let (key, memory) = try readKey(&reader)
            let name = IdempotencyName(lane: memory.id.lane, key: key)
            try refuseSecond(image.keys.entry(name) != nil, at: at)
            image.keys.restore(name, memory)
        }
        for _ in 0..<(try readCount(&reader, "first records", size: 21)) {
            let at = reader.offset
            let first = try readID(&reader)
            try refuseSecond(image.followers[first] != nil, at: at)
            var ids: [RecordID] = []
            for _ in 0..<(try readCount(&reader, "records that follow", size: 10)) {
                ids.append(try readID(&reader))
            }
            guard !ids.isEmpty else {
                throw WireError(
                    .notCanonical, at: at, expected: "records that follow a first one", found: 0)
            }
            image.followers[first] = ids
        }
    }
}
