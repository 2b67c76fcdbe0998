/// The idempotency keys of the counterpart, and the records that wait for the word on a first one.
extension JournalCoding {
    func write(
        _ key: UInt128, _ id: RecordID, _ word: Disposition, _ at: WallTime,
        to writer: inout WireWriter
    ) {
        Self.write(id, to: &writer)
        write(name: key, to: &writer)
        Self.write(word, to: &writer)
        writer.uint64(UInt64(bitPattern: at.milliseconds))
    }

    func readKey(
        _ reader: inout WireReader
    ) throws(WireError) -> (key: UInt128, memory: IdempotencyWindow.Memory) {
        // In format 2 the key stood first.
        var key = version < 3 ? try reader.uint128("idempotency key") : 0
        let id = try Self.readID(&reader)
        if version >= 3 {
            key = try readName(&reader, "idempotency key", at: .idempotencyKey(pairing, id))
        }
        let word = try Self.readDisposition(&reader)
        let moment = try reader.uint64("moment a key was remembered")
        return (
            key,
            IdempotencyWindow.Memory(
                id: id, word: word, notedAt: WallTime(milliseconds: Int64(bitPattern: moment)))
        )
    }

    func write(keysOf image: JournalImage, to writer: inout WireWriter) {
        Self.writeList(image.keys.entries, to: &writer) { entry, writer in
            write(
                entry.name.key, entry.memory.id, entry.memory.word, entry.memory.notedAt,
                to: &writer)
        }
        let followers = zip(image.followers.keys, image.followers.values).map { ($0, $1) }
        Self.writeList(followers, to: &writer) { entry, writer in
            Self.write(entry.0, to: &writer)
            Self.writeList(entry.1, to: &writer) { Self.write($0, to: &$1) }
        }
    }

    func readKeys(
        _ reader: inout WireReader, into image: inout JournalImage
    ) throws(WireError) {
        let start = reader.offset
        let count = try Self.readCount(&reader, "idempotency keys", size: 35)
        guard count <= IdempotencyWindow.capacity else {
            throw WireError(
                .outOfRange, at: start, expected: "idempotency keys remembered",
                found: UInt64(count))
        }
        for _ in 0..<count {
            let at = reader.offset
            let (key, memory) = try readKey(&reader)
            let name = IdempotencyName(lane: memory.id.lane, key: key)
            try Self.refuseSecond(image.keys.entry(name) != nil, at: at)
            image.keys.restore(name, memory)
        }
        for _ in 0..<(try Self.readCount(&reader, "first records", size: 21)) {
            let at = reader.offset
            let first = try Self.readID(&reader)
            try Self.refuseSecond(image.followers[first] != nil, at: at)
            var ids: [RecordID] = []
            for _ in 0..<(try Self.readCount(&reader, "records that follow", size: 10)) {
                ids.append(try Self.readID(&reader))
            }
            guard !ids.isEmpty else {
                throw WireError(
                    .notCanonical, at: at, expected: "records that follow a first one", found: 0)
            }
            image.followers[first] = ids
        }
    }
}
