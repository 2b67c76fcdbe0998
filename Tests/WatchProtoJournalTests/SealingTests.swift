import Testing
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

@testable import WatchProtoJournal

/// Journals sealed under a key or a passphrase open with it, and with nothing else.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SealingTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    private func cheap() throws -> Argon2idParameters {
        try Argon2idParameters(passes: 2, memoryKibibytes: 19 * 1024, lanes: 4)
    }

    private func passphrase(_ text: String) throws -> AtRestPayloads {
        AtRestPayloads(parameters: try cheap()) { () throws(PayloadKeyRefusal) in Array(text.utf8) }
    }

    private func open(_ key: any PayloadKey) throws -> JournalFile {
        try JournalFile(path: path, options: JournalOptions(key: key))
    }

    private func refused(_ key: any PayloadKey, location: SourceLocation = #_sourceLocation) {
        let before = directory.contents
        let error = #expect(throws: JournalError.self, sourceLocation: location) {
            _ = try open(key)
        }
        #expect(error?.kind == .wrongKey, "\(error as Any)", sourceLocation: location)
        #expect(directory.contents == before, sourceLocation: location)
    }

    private func fill(_ key: any PayloadKey) throws -> [JournalEntry] {
        let secret = Array("Metformin 500 mg".utf8)
        let entries = [opened, queued(1, secret), queued(2, [])]
        let file = try open(key)
        try file.journal(for: pairing).give(entries, 1, to: try Post())
        try file.flush()
        file.abandon()
        #expect(
            !directory.contents.values.contains { bytes in
                bytes.indices.contains { bytes[$0...].starts(with: secret) }
            })
        return entries
    }

    /// Rows of the log, and the image they are folded into.
    @Test(arguments: [false, true]) func no_key_of_a_record_stands_in_the_file(
        isSealed: Bool
    ) throws {
        let name = UInt128(0x0123_4567_89AB_CDEF) << 64 | 0xFEDC_BA98_7654_3210
        var value = RecordDraft(
            channel: .context, kind: .medication, key: RecordKey(rawValue: name), payload: [1])
        let first = record(value)
        value.payload = [2]
        var act = RecordDraft(channel: .background, kind: .doseEvent, payload: [3])
        act.idempotencyKey = name
        let entries: [JournalEntry] = [
            opened, .queued(first), .settled(first.id, .applied),
            .queued(record(value, 2)), .queued(record(act)),
            .epoch(EpochID(rawValue: 9), .known),
            .received(
                InboundRecord(
                    id: recordID(1, channel: .context, epoch: 9), kind: .medication,
                    key: RecordKey(rawValue: name), payload: [4]), .applied,
                at: WallTime(milliseconds: 5)),
            .key(name, recordID(1, epoch: 9), .applied, at: WallTime(milliseconds: 5)),
        ]
        var options = JournalOptions(
            key: isSealed ? AtRestPayloads(key: try .random()) : UnsealedPayloads())
        options.logBytesBeforeImage = 1
        let file = try JournalFile(path: path, options: options)
        let journal = try file.journal(for: pairing)
        for number in UInt64(1)...3 {
            journal.give(number == 1 ? entries : [queued(number)], number, to: try Post())
            try file.flush()
        }
        #expect(
            try journal.restore().entries.contains { entry in
                if case .value(let value, _, _) = entry { value.payload == [2] } else { false }
            })
        #expect(file.counters.folds > 0)
        file.abandon()
        var writer = WireWriter()
        writer.uint128(name)
        let found = directory.contents.values.contains { bytes in
            [writer.bytes, writer.bytes.reversed()].contains { secret in
                bytes.indices.contains { bytes[$0...].starts(with: secret) }
            }
        }
        #expect(found == !isSealed)
    }

    @Test func a_key() throws {
        let key = try AtRestKey.random()
        let entries = try fill(AtRestPayloads(key: key))
        refused(AtRestPayloads(key: try AtRestKey.random()))
        refused(try passphrase("correct horse"))
        refused(UnsealedPayloads())
        let file = try open(AtRestPayloads(key: key))
        #expect(try file.journal(for: pairing).restore() == JournalImage(entries))
        file.close()
    }

    @Test func a_passphrase() throws {
        let entries = try fill(try passphrase("correct horse"))
        refused(try passphrase("correct house"))
        refused(AtRestPayloads(key: try AtRestKey.random()))
        // The file's own parameters count.
        let other = AtRestPayloads { () throws(PayloadKeyRefusal) in Array("correct horse".utf8) }
        let file = try open(other)
        #expect(try file.journal(for: pairing).restore() == JournalImage(entries))
        file.close()
    }
}

extension SealingTests {
    /// The cost of a record: one seal for the row it is written in, and one for the image.
    @Test func each_written_row_is_sealed_once() throws {
        let key = CountingKey()
        var options = JournalOptions(key: key)
        var file = try JournalFile(path: path, options: options)
        #expect(key.seals == 0)
        let (journal, post) = (try file.journal(for: pairing), try Post())
        journal.give([opened], 1, to: post)
        try file.flush()
        for number in UInt64(1)...20 {
            let before = key.seals
            journal.give(number % 2 == 0 ? [queued(number)] : [keyed(number)], number, to: post)
            try file.flush()
            #expect(key.seals == before + 1)
        }
        #expect(file.counters.commits == 21 && file.counters.folds == 0)
        file.close()
        #expect(key.seals == 21)
        // Of all that is in the image, none is sealed for itself.
        options.logBytesBeforeImage = 0
        file = try JournalFile(path: path, options: options)
        file.close()
        #expect(key.seals == 22)
        file = try open(key)
        #expect(try file.journal(for: pairing).restore().outboundInOrder().count == 10)
        file.close()
    }

    /// A row that was put into a sealed file by somebody without its key.
    @Test func a_row_in_clear_is_refused_in_a_sealed_file() throws {
        let file = try open(ToyKey(key: 9))
        try file.journal(for: pairing).give([opened], to: try Post())
        file.close()
        try plantRow()
        let before = directory.contents
        let error = #expect(throws: JournalError.self) { try open(ToyKey(key: 9)) }
        #expect(error?.kind == .damaged && error?.detail.contains("row 2") == true)
        #expect(directory.contents == before)
    }

    private func plantRow() throws {
        let database = try Database(path: path, creating: false)
        var body = JournalCoding.emptyBody
        JournalCoding.append([.epoch(EpochID(rawValue: 1), .gone)], to: &body)
        let place = SealedPlace.row(2, of: pairing)
        try database.run(
            "INSERT INTO journal_log(seq, pairing, body) VALUES(2, ?, ?)",
            [
                .blob(JournalContents.bytes(pairing)),
                .blob(UnsealedPayloads().seal(body, associatedData: place)),
            ])
        database.setsCheckpointOnClose(true)
    }

    private static let name = RecordKey(rawValue: 0x5EED_0011_2233_4455_6677_8899_AABB_CCDD)

    /// The key of a record in the files of the directory, in the order in which bodies have it.
    private var isNamed: Bool {
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: Self.name.rawValue >> (120 - 8 * $0)) }
        return directory.contents.values.contains {
            $0.contains(bytes) || $0.contains(bytes.reversed())
        }
    }

    private func keyed(_ number: UInt64) -> JournalEntry {
        .queued(
            record(
                RecordDraft(
                    channel: .context, kind: .medication, key: Self.name, payload: [1]), number))
    }

    /// A record's key is the identity of a medication.
    @Test(arguments: [false, true]) func a_sealed_journal_names_no_record(isFolded: Bool) throws {
        for key: any PayloadKey in [UnsealedPayloads(), ToyKey(key: 9)] {
            for name in directory.names { directory.remove(name) }
            var options = JournalOptions(key: key)
            if isFolded { options.logBytesBeforeImage = 0 }
            let entries = [opened, keyed(1)]
            var file = try JournalFile(path: path, options: options)
            try file.journal(for: pairing).give(entries, to: try Post())
            try file.flush()
            file.close()
            #expect(isNamed == (key is UnsealedPayloads))
            file = try open(key)
            #expect(try file.journal(for: pairing).restore() == JournalImage(entries))
            file.close()
        }
    }
}
