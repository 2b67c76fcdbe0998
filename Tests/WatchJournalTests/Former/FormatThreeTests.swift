import Testing
import WatchProto
import WatchProtoRecords

@testable import WatchJournal

/// A sealed file of schema 3, whose bodies of format 3 seal every payload and name for itself, in
/// rows that are sealed as a whole; see `Fixtures/journals`.
@Suite(.timeLimit(.minutes(1)))
struct FormatThreeTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    static let name = RecordKey(rawValue: 0x5EED_0011_2233_4455_6677_8899_AABB_CCDD)
    static let secret = Array("Metformin 500 mg".utf8)

    /// Something of each kind that format 3 sealed: the first stands in the image, the second in
    /// the log.
    static let batches: [[JournalEntry]] = {
        func value(_ number: UInt64) -> OutboundRecord {
            OutboundRecord(
                id: recordID(number, lane: .context),
                draft: RecordDraft(
                    lane: .context, kind: .medication, key: name, payload: secret))
        }
        func inbound(_ number: UInt64, _ lane: Lane) -> InboundRecord {
            InboundRecord(
                id: recordID(number, lane: lane, epoch: 9), kind: .medication,
                key: lane == .context ? name : nil, payload: secret + [UInt8(number)])
        }
        var act = RecordDraft(lane: .background, kind: .doseEvent, payload: secret)
        act.idempotencyKey = name.rawValue
        let first: [JournalEntry] = [
            opened, .queued(value(1)), .settled(value(1).id, .applied),
            .queued(OutboundRecord(id: recordID(1), draft: act)),
            .counterpartEpoch(EpochID(rawValue: 9), rank: 1, parent: nil),
            .received(inbound(1, .context), .applied),
            .received(inbound(1, .background), .pending),
            .keyRemembered(
                name.rawValue, recordID(1, epoch: 9), .applied, at: WallTime(milliseconds: 5)),
        ]
        let second: [JournalEntry] = [
            .queued(value(2)), .received(inbound(2, .context), .pending),
            .received(inbound(2, .background), .applied),
            .adopted(
                JournalImage.OwnValue(
                    lane: .complication, key: name, id: recordID(1, lane: .complication),
                    kind: .medication, payload: secret)),
            .counterpartKeyForgotten(.complication, name),
            .ownKeyForgotten(.bulk, name),
        ]
        return [first, second]
    }()

    private func copy() throws {
        var root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        root = "/\(root)/Fixtures/journals/schema-3-sealed-killed"
        for ending in ["", "-wal"] {
            let bytes = try #require(FileLook.bytes(of: root + ending, count: 1 << 20))
            directory.write("j" + ending, bytes)
        }
    }

    private var isTold: Bool {
        directory.contents.values.contains { $0.contains(Self.secret) }
    }

    @Test func it_is_read_and_goes_on_sealed_once() throws {
        try copy()
        let key = CountingKey()
        var expected = JournalImage(Self.batches.flatMap { $0 })
        var options = JournalOptions(key: key)
        for number in UInt64(5)...7 {
            let file = try JournalFile(path: path, options: options)
            let journal = try file.journal(for: pairing)
            #expect(try journal.restore() == expected)
            let before = key.seals
            journal.give([queued(number, Self.secret)], to: try Post())
            try file.flush()
            #expect(key.seals == before + 1)
            expected.apply(queued(number, Self.secret))
            file.close()
            #expect(!isTold)
            // The last time all of it is folded.
            options.logBytesBeforeImage = number == 5 ? 1 << 20 : 0
        }
        let file = try JournalFile(path: path, options: options)
        #expect(try file.journal(for: pairing).restore() == expected)
        file.close()
    }

    @Test func another_key_does_not_open_it() throws {
        try copy()
        let before = directory.contents
        let error = #expect(throws: JournalError.self) {
            try JournalFile(path: path, options: JournalOptions(key: ToyKey(key: 8)))
        }
        #expect(error?.kind == .wrongKey)
        #expect(directory.contents == before)
    }
}
