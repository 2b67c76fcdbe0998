import Locks
import Testing
import WatchProtoCore

@testable import WatchProtoJournal

/// Statements of an application may fail. The journal stays open, and nobody else loses anything.
@Suite(.timeLimit(.minutes(2)))
struct ApplicationWriteTests {
    let directory = TemporaryDirectory()
    private static let other = PairingID(rawValue: 8)

    private func open() throws -> JournalFile {
        try JournalFile(
            path: directory.file("j"), options: JournalOptions(stores: [StoreTests.doses]))
    }

    private static func arrived(_ number: UInt64) -> JournalEntry {
        .received(
            InboundRecord(id: id(number), kind: .opaque, key: nil, payload: [1]), .pending,
            at: WallTime(milliseconds: 0))
    }

    private static func id(_ number: UInt64) -> RecordID { recordID(number, epoch: 5) }

    /// The records of the other side that wait for the application.
    private static func pending(_ image: JournalImage) -> [RecordID] {
        image.entries.compactMap { entry in
            if case .held(let record, _) = entry { return record.id }
            return nil
        }
    }

    @Test func a_failed_statement_undoes_its_decision_and_nothing_else() throws {
        let file = try open()
        let (journal, beside) = (try file.journal(for: pairing), try file.journal(for: Self.other))
        let (post, otherPost) = (try Post(), try Post())
        journal.give(
            [opened, Self.arrived(1), Self.arrived(2)], 1, writes: [StoreTests.insert(1)],
            to: post)
        beside.give([opened], 1, to: otherPost)
        try file.flush()
        #expect(post.take() == [1] && otherPost.take() == [1])
        let failures = Mutex<[String]>([])
        // The writer is held, so that all of these are one group.
        let gate = Gate()
        journal.give([], 0, writes: [SQLWrite { _ in gate.pass() }], to: post)
        #expect(gate.holds())
        let decided = StoreTests.insert(3).ofApplication(deciding: true)
        journal.give([.decided(Self.id(1), .applied)], 2, writes: [decided], to: post)
        let double = StoreTests.insert(1).ofApplication(deciding: true) { failure in
            failures.withLock { $0.append("\(failure)") }
        }
        let beforeIt = StoreTests.insert(4).ofApplication(deciding: true)
        journal.give(
            [queued(1), .decided(Self.id(2), .applied)], 3,
            writes: [beforeIt, double, StoreTests.insert(5)], to: post)
        journal.give([queued(2)], 4, to: post)
        beside.give([queued(1)], 2, writes: [StoreTests.insert(6)], to: otherPost)
        gate.open()
        try file.flush()
        #expect(post.take() == [0, 2, -3, -4])
        #expect(otherPost.take() == [2])
        #expect(failures.withLock { $0.count } == 1)
        #expect(failures.withLock { $0.allSatisfy { $0.contains("UNIQUE") } })
        #expect(file.failure == nil && journal.isOpen)
        #expect(try StoreTests.ids(file) == [1, 3, 5, 6])
        // Later batches are durable as well, and are reported as failed until it is restored.
        journal.give([queued(3)], 5, to: post)
        try file.flush()
        #expect(post.take() == [-5])
        let image = try journal.restore()
        #expect(image.outboundInOrder().map(\.id.number.rawValue) == [1, 2, 3])
        #expect(Self.pending(image) == [Self.id(2)])
        let after = try Post()
        journal.give([.decided(Self.id(2), .rejected(code: 7))], 1, to: after)
        try file.flush()
        #expect(after.take() == [1])
        file.close()
        let again = try open()
        #expect(Self.pending(try again.journal(for: pairing).restore()).isEmpty)
        #expect(try StoreTests.ids(again) == [1, 3, 5, 6])
        again.close()
    }

    @Test func a_failed_statement_without_a_record_fails_alone() throws {
        let file = try open()
        let journal = try file.journal(for: pairing)
        let post = try Post()
        let failures = Mutex(0)
        let double = SQLWrite { store in
            try store.run("INSERT INTO dose(id, name) VALUES(2, 'x')")
            try store.run("INSERT INTO nowhere VALUES(1)")
        }.ofApplication(deciding: false) { _ in failures.withLock { $0 += 1 } }
        journal.give(
            [opened, queued(1)], 1, writes: [StoreTests.insert(1), double, StoreTests.insert(3)],
            to: post)
        try file.flush()
        #expect(post.take() == [1])
        #expect(failures.withLock { $0 } == 1)
        #expect(try StoreTests.ids(file) == [1, 3])
        file.close()
    }

    @Test func a_statement_that_ends_the_transaction_fails_the_journal() throws {
        let file = try open()
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([opened], 1, writes: [StoreTests.insert(1)], to: post)
        try file.flush()
        let write = SQLWrite("INSERT OR ROLLBACK INTO dose(id, name) VALUES(1, 'x')")
        journal.give([queued(1)], 2, writes: [write.ofApplication(deciding: false)], to: post)
        #expect(throws: JournalError.self) { try file.flush() }
        #expect(!journal.isOpen)
        #expect(post.take() == [1, -2])
        file.abandon()
    }
}
