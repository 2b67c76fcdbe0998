import WatchJournal
import WatchProto
internal import WatchProtoRecords
internal import WatchTransport

/// A sealed file as programs before schema 3 made it: the payloads alone are sealed, each for its
/// place, and the names of records stand in clear.
extension CrashRecorder {
    func makeRowsSealedInPart(
        in directory: ScratchDirectory, _ recording: inout CrashRecording
    ) throws {
        let sealing = try recording.key.unlock(nil).sealing
        var options = Self.options(family, storeVersion: 1, key: recording.key)
        options.endSchema(with: 2)
        let file = try JournalFile(path: directory.file(Self.fileName), options: options)
        var writes: [SQLWrite] = [pairingRow]
        var generator = SeededGenerator(seed: seed)
        var next: UInt64 = 1
        for number in 1...(3 + Int64(generator.uniform(in: 0...9))) {
            var entries: [JournalEntry] = number == 1 ? [Self.opened] : []
            for _ in 0...generator.uniform(in: 0...3) {
                entries.append(Self.queued(next, &generator))
                next += 1
            }
            var image = recording.images.last ?? JournalImage()
            for entry in entries { image.apply(entry) }
            recording.images.append(image)
            recording.acknowledgedAt.append(0)
            // Format 1 or 2.
            var body = WireWriter([UInt8(1 + seed % 2)])
            for entry in entries { Self.write(entry, to: &body, sealing) }
            let row = JournalRow.seal(body.bytes, pairing: 1, sequence: number)
            writes.append(
                SQLWrite(
                    "INSERT INTO journal_log(seq, pairing, body) VALUES(?, 1, ?)",
                    [.integer(number), .blob(row)]))
            writes.append(write(number))
        }
        let journal = try file.journal(for: Self.pairing)
        _ = journal.persist(
            [], writes: writes, receipt: JournalReceipt(rawValue: 1),
            mailbox: JournalMailbox(wake: try WakeDescriptor()))
        try file.flush()
        if seed & 2 == 0 { file.abandon() } else { file.close() }
    }

    private var pairingRow: SQLWrite {
        var name = WireWriter()
        name.uint128(Self.pairing.rawValue)
        return SQLWrite(
            "INSERT INTO journal_pairings(id, pairing) VALUES(1, ?)",
            [.blob(JournalRow.seal(name.bytes, pairing: 1, sequence: 0))])
    }

    private static let epoch = EpochID(rawValue: 1)
    private static let opened = JournalEntry.epochOpened(
        epoch, parent: nil, parentHighest: Lane.allCases.map { _ in RecordNumber(0) })

    private static func queued(
        _ number: UInt64, _ generator: inout SeededGenerator
    ) -> JournalEntry {
        let id = RecordID(epoch: epoch, lane: .context, number: RecordNumber(number))
        let key = RecordKey(
            rawValue: secret.name | UInt128(1 + generator.uniform(in: 0...19)))
        let more = (0..<generator.uniform(in: 0...1_500)).map { UInt8(truncatingIfNeeded: $0) }
        return .queued(
            OutboundRecord(
                id: id,
                draft: RecordDraft(
                    lane: .context, kind: .medication, key: key, payload: secret.word + more)))
    }

    /// As formats 1 and 2 have these entries.
    private static func write(
        _ entry: JournalEntry, to body: inout WireWriter, _ sealing: any PayloadSealing
    ) {
        guard case .queued(let record) = entry else {
            body.byte(1)
            body.uint64(epoch.rawValue)
            for _ in 0...Lane.allCases.count { body.byte(0) }
            return
        }
        body.byte(2)
        body.byte(record.id.lane.rawValue)
        body.uint64(record.id.epoch.rawValue)
        body.varint(record.id.number.rawValue)
        body.byte(record.kind.rawValue)
        // It has a key, and nothing else.
        body.byte(1)
        body.uint128(record.key?.rawValue ?? 0)
        let sealed = sealing.seal(
            record.payload,
            associatedData: PayloadPlace.record(pairing, record.id).associatedData)
        body.varint(UInt64(sealed.count))
        body.append(sealed)
    }
}
