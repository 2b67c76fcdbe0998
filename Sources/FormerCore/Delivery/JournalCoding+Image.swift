/// A whole image: lists, each behind its count, in the order the image keeps them.
///
/// ```text
/// version · own epochs · newest epoch · last confirmed epoch · outcomes
///   · unsettled records, each with its stage and 0, or 1 and what it is to be taken back as
///   · values of own keys
///   · counterpart's epochs, each with what arrived per lane · counterpart's values
///   · records pending at the application · lineage of this side · lineage of the counterpart
///   · idempotency keys of the counterpart, oldest first · records that follow a first one
///   · reserved numbers of first flights · highest number of the counterpart's
///   · 0, or 1 and the highest stamp of an epoch that left the lineage of this side
///   · the same of the counterpart
///   · 0, or 1 and what was measured of the path
///   · openings of this side that had a session · of the counterpart, each with 1 where it was left
/// ```
///
/// What came with which format says ``formatVersion``. Until format 4 retired epochs stood behind
/// the last confirmed one, and lost ones behind the lineage of this side: they are passed over.
extension JournalCoding {
    /// The bytes of an image.
    public func encoded(_ image: JournalImage) -> [UInt8] {
        var writer = WireWriter(Self.emptyBody)
        Self.writeList(image.ownEpochs, to: &writer) { Self.write($0, to: &$1) }
        writer.byte(image.newestEpoch == nil ? 0 : 1)
        if let newest = image.newestEpoch { Self.write(newest, to: &writer) }
        Self.writeOptional(image.lastConfirmedEpoch, to: &writer)
        Self.writeList(image.outcomes.entries, to: &writer) { entry, writer in
            Self.write(entry.id, to: &writer)
            Self.write(entry.value, to: &writer)
        }
        Self.writeList(image.outbound.values, to: &writer) { stored, writer in
            write(stored.record, to: &writer)
            writer.byte(stored.stage.rawValue)
            writer.byte(stored.withdrawal == nil ? 0 : 1)
            if let withdrawal = stored.withdrawal { Self.write(withdrawal, to: &writer) }
        }
        Self.writeList(image.ownValues.values, to: &writer) { write($0, to: &$1) }
        Self.writeList(image.counterpartEpochs, to: &writer) { Self.write($0, to: &$1) }
        Self.writeList(image.counterpartValues.values, to: &writer) { candidates, writer in
            Self.writeList(candidates, to: &writer) { write($0, to: &$1) }
        }
        Self.writeList(image.pending, to: &writer) { write($0, to: &$1) }
        Self.writeList(image.lineage.epochs, to: &writer) { $1.uint64($0.rawValue) }
        Self.writeList(image.counterpartLineage.epochs, to: &writer) { Self.write($0, to: &$1) }
        write(keysOf: image, to: &writer)
        writer.varint(image.handshakesReserved)
        writer.varint(image.handshakeTaken)
        Self.writeForgotten(image.lineage.forgottenThrough, to: &writer)
        Self.writeForgotten(image.counterpartLineage.forgottenThrough, to: &writer)
        writer.byte(image.path == nil ? 0 : 1)
        if let path = image.path { Self.write(path, to: &writer) }
        Self.write(openingsOf: image, to: &writer)
        return writer.bytes
    }

    /// The image that was encoded.
    ///
    /// - Throws: `WireError` when the bytes are no image of this format; its offset is within
    ///   `body`.
    public func image(of body: Span<UInt8>) throws(WireError) -> JournalImage {
        var reader = WireReader(body)
        return try readVersion(&reader).readImage(&reader)
    }

    private func readImage(_ reader: inout WireReader) throws(WireError) -> JournalImage {
        var image = JournalImage()
        for _ in 0..<(try Self.readCount(&reader, "own epochs", size: 19)) {
            image.ownEpochs.append(try Self.readOwnEpoch(&reader))
        }
        if try Self.readFlag(&reader, "whether there is a newest epoch") {
            image.newestEpoch = try Self.readOwnEpoch(&reader)
        }
        image.lastConfirmedEpoch = try Self.readOptionalEpoch(&reader)
        if version < 5 { _ = try Self.readEpochs(&reader, "retired epochs") }
        try readOutcomes(&reader, into: &image)
        try readOwn(&reader, into: &image)
        for _ in 0..<(try Self.readCount(&reader, "counterpart's epochs", size: 9)) {
            image.counterpartEpochs.append(try Self.readInboundEpoch(&reader))
        }
        try readCounterpartValues(&reader, into: &image)
        for _ in 0..<(try Self.readCount(&reader, "pending records", size: 13)) {
            image.pending.append(try readInbound(&reader))
        }
        let lineage = try Self.readEpochs(&reader, "lineage")
        if version < 5 { _ = try Self.readEpochs(&reader, "lost epochs") }
        var counterpartLineage: [JournalImage.CounterpartEpoch] = []
        for _ in 0..<(try Self.readCount(&reader, "counterpart's lineage", size: 11)) {
            counterpartLineage.append(try Self.readCounterpartEpoch(&reader))
        }
        if version >= 2 { try readKeys(&reader, into: &image) }
        if version >= 4 {
            image.handshakesReserved = try reader.varint("reserved numbers of handshakes")
            image.handshakeTaken = try reader.varint("number of a handshake")
        }
        image.lineage = OwnLineage(lineage, forgottenThrough: try readForgotten(&reader))
        image.counterpartLineage = CounterpartLineage(
            counterpartLineage, forgottenThrough: try readForgotten(&reader))
        if version >= 6 { image.path = try Self.readOptionalPath(&reader) }
        if version >= 7 { try Self.readOpenings(&reader, into: &image) }
        try reader.finish("end of the image")
        return image
    }

    private func readOutcomes(
        _ reader: inout WireReader, into image: inout JournalImage
    ) throws(WireError) {
        let start = reader.offset
        let count = try Self.readCount(&reader, "outcomes", size: 11)
        guard count <= OutcomeLog.capacity else {
            throw WireError(
                .outOfRange, at: start, expected: "outcomes remembered", found: UInt64(count))
        }
        for _ in 0..<count {
            let at = reader.offset
            let id = try Self.readID(&reader)
            try Self.refuseSecond(image.outcomes[id] != nil, at: at)
            image.outcomes.note(id, try Self.readOutcome(&reader))
        }
    }

    private func readOwn(
        _ reader: inout WireReader, into image: inout JournalImage
    ) throws(WireError) {
        try readUnsettled(&reader, into: &image)
        for _ in 0..<(try Self.readCount(&reader, "values of own keys", size: 28)) {
            let at = reader.offset
            let value = try readOwnValue(&reader)
            let place = JournalImage.LaneKey(lane: value.lane, key: value.key)
            try Self.refuseSecond(image.ownValues[place] != nil, at: at)
            image.ownValues[place] = value
        }
    }

    private func readUnsettled(
        _ reader: inout WireReader, into image: inout JournalImage
    ) throws(WireError) {
        var unsettled: [(stored: JournalImage.StoredOutbound, at: Int)] = []
        for _ in 0..<(try Self.readCount(&reader, "unsettled records", size: 14)) {
            let at = reader.offset
            let record = try readOutbound(&reader)
            var stored = JournalImage.StoredOutbound(
                record: record, stage: try Self.readStage(&reader))
            if version >= 3, try Self.readFlag(&reader, "whether a record is taken back") {
                stored.withdrawal = try Self.readWithdrawal(&reader)
            }
            unsettled.append((stored, at))
        }
        // Older versions wrote them in no order, in which the table would take its time.
        unsettled.sort { $0.stored.record.id.number < $1.stored.record.id.number }
        for (stored, at) in unsettled {
            try Self.refuseSecond(image.outbound[stored.record.id] != nil, at: at)
            image.outbound.set(stored.record.id, stored)
        }
    }

    func write(_ value: JournalImage.OwnValue, to writer: inout WireWriter) {
        Self.write(value.id, to: &writer)
        writer.byte(value.kind.rawValue)
        write(Content(key: value.key, payload: value.payload), to: &writer)
    }

    func readOwnValue(_ reader: inout WireReader) throws(WireError) -> JournalImage.OwnValue {
        // Number 0 where the counterpart was only found to hold the value.
        let id = try Self.readID(&reader, lowest: version >= 4 ? 0 : 1)
        guard version >= 3 else {
            return JournalImage.OwnValue(
                lane: id.lane, key: RecordKey(rawValue: try reader.uint128("key")), id: id,
                kind: ContentKind(rawValue: try reader.byte("kind")),
                payload: try readPayload(&reader, at: .record(pairing, id), in: id.lane))
        }
        let kind = ContentKind(rawValue: try reader.byte("kind"))
        let (key, payload) = try readValue(&reader, at: .namedRecord(pairing, id), in: id.lane)
        return JournalImage.OwnValue(
            lane: id.lane, key: key, id: id, kind: kind, payload: payload)
    }

    /// A payload that has a key, and no other name.
    private func readValue(
        _ reader: inout WireReader, at place: PayloadPlace, in lane: Lane
    ) throws(WireError) -> (key: RecordKey, payload: [UInt8]) {
        let start = reader.offset
        let content = try readContent(&reader, at: place, in: lane)
        guard let key = content.key, content.idempotencyKey == nil else {
            throw WireError(
                .notCanonical, at: start, expected: "a value with a key alone", found: 0)
        }
        return (key, content.payload)
    }

    private func write(_ value: JournalImage.CounterpartValue, to writer: inout WireWriter) {
        writer.byte(value.lane.rawValue)
        writer.uint64(value.epoch.rawValue)
        writer.varint(value.rank)
        writer.varint(value.number)
        writer.byte(value.kind.rawValue)
        write(Content(key: value.key, payload: value.payload), to: &writer)
    }

    private func readCounterpartValues(
        _ reader: inout WireReader, into image: inout JournalImage
    ) throws(WireError) {
        for _ in 0..<(try Self.readCount(&reader, "keys of the counterpart", size: 30)) {
            let at = reader.offset
            var candidates: [JournalImage.CounterpartValue] = []
            for _ in 0..<(try Self.readCount(&reader, "values of a key", size: 29)) {
                candidates.append(try readCounterpartValue(&reader))
            }
            guard let first = candidates.first,
                candidates.allSatisfy({ $0.lane == first.lane && $0.key == first.key })
            else {
                throw WireError(
                    .notCanonical, at: at, expected: "one or more values of one key",
                    found: UInt64(candidates.count))
            }
            let slot = JournalImage.LaneKey(lane: first.lane, key: first.key)
            try Self.refuseSecond(image.counterpartValues[slot] != nil, at: at)
            image.counterpartValues[slot] = candidates
        }
    }

    private func readCounterpartValue(
        _ reader: inout WireReader
    ) throws(WireError) -> JournalImage.CounterpartValue {
        let lane = try Lane.read(&reader)
        // In formats 1 and 2 the key stood here.
        let key = version < 3 ? RecordKey(rawValue: try reader.uint128("key")) : nil
        let epoch = EpochID(rawValue: try reader.uint64("epoch"))
        let rank = try Self.readRank(&reader)
        let number = try Self.readNumber(&reader)
        let kind = ContentKind(rawValue: try reader.byte("kind"))
        var value = JournalImage.CounterpartValue(
            lane: lane, key: key ?? RecordKey(rawValue: 0), epoch: epoch, rank: rank,
            number: number, kind: kind, payload: [])
        if key == nil {
            (value.key, value.payload) = try readValue(&reader, at: place(of: value), in: lane)
        } else {
            value.payload = try readPayload(
                &reader,
                at: .counterpartValue(pairing, lane, rank: value.rank, number: value.number),
                in: lane)
        }
        return value
    }

    private func place(of value: JournalImage.CounterpartValue) -> PayloadPlace {
        .namedCounterpartValue(pairing, value.lane, rank: value.rank, number: value.number)
    }
}
