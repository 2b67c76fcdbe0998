import Locks
import Testing
import WatchProtoCore

@testable import WatchProtoJournal

/// The application's tables beside the journal: in one transaction with it, or not at all.
@Suite(.timeLimit(.minutes(2)))
struct StoreTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    static let doses = StoreSchema(
        name: "doses",
        migrations: [
            Migration(
                adding: "makes the table of doses",
                ["CREATE TABLE dose(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"])
        ])

    static func insert(_ id: Int64, _ name: String = "x") -> SQLWrite {
        SQLWrite("INSERT INTO dose(id, name) VALUES(?, ?)", [.integer(id), .text(name)])
    }

    static func ids(_ file: JournalFile) throws -> [Int64] {
        try file.read { store in
            try store.query("SELECT id FROM dose ORDER BY id") {
                (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
            }
        }
    }

    private func open(_ change: (inout JournalOptions) -> Void = { _ in }) throws -> JournalFile {
        var options = JournalOptions(stores: [Self.doses])
        change(&options)
        return try JournalFile(path: path, options: options)
    }

    @Test func writes_run_in_order_with_their_batch() throws {
        let file = try open()
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([opened], 1, writes: [Self.insert(1), Self.insert(2, "ä")], to: post)
        journal.give(
            [], 0,
            writes: [
                SQLWrite { store in
                    #expect(try store.run("UPDATE dose SET name = 'y' WHERE id = 1") == 1)
                    let names = try store.query("SELECT name FROM dose ORDER BY id") {
                        (row: borrowing SQLRow) throws(StoreFailure) in row.text(0)
                    }
                    #expect(names == ["y", "ä"])
                }
            ], to: post)
        try file.flush()
        #expect(post.take() == [1, 0])
        #expect(try Self.ids(file) == [1, 2])
        #expect(file.counters.storeWrites == 3)
        file.abandon()
        let again = try open()
        #expect(try Self.ids(again) == [1, 2])
        again.close()
    }

    @Test func a_write_that_ended_the_transaction_and_goes_on_is_stopped() throws {
        let file = try open()
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([opened], 1, writes: [Self.insert(1)], to: post)
        try file.flush()
        let write = SQLWrite { store in
            _ = try? store.run("INSERT OR ROLLBACK INTO dose(id, name) VALUES(1, 'x')")
            try store.run("INSERT INTO dose(id, name) VALUES(2, 'x')")
        }
        journal.give([queued(1)], 2, writes: [write], to: post)
        let error = #expect(throws: JournalError.self) { try file.flush() }
        #expect(error?.kind == .storeWrite)
        #expect(error?.description.contains("ended the transaction") == true, "\(error as Any)")
        file.abandon()
        let again = try open()
        #expect(try Self.ids(again) == [1])
        #expect(try again.journal(for: pairing).restore().outboundInOrder().isEmpty)
        again.close()
    }

    @Test func a_full_disk_is_not_the_statements_fault() throws {
        let file = try open { $0.filePageLimit = 40 }
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([opened], 1, writes: [], to: post)
        try file.flush()
        let much = String(repeating: "x", count: 400_000)
        journal.give([queued(1)], 2, writes: [Self.insert(1, much)], to: post)
        let error = #expect(throws: JournalError.self) { try file.flush() }
        #expect(error?.kind == .diskFull, "\(error as Any)")
        file.close()
    }

    /// A watch has the payloads of its list in memory: reading its journal makes no second copies.
    @Test func payloads_that_are_read_share_the_applications_copies() throws {
        let (file, post) = (try open(), try Post())
        let journal = try file.journal(for: pairing)
        let payload = Array(repeating: UInt8(7), count: 100)
        let entries = (1...2 as ClosedRange<UInt64>).map { number in
            JournalEntry.received(
                InboundRecord(
                    id: RecordID(
                        epoch: EpochID(rawValue: 5), channel: .context,
                        number: RecordNumber(number)),
                    kind: .opaque, key: RecordKey(rawValue: UInt128(number)), payload: payload),
                .applied, at: WallTime(milliseconds: 0))
        }
        journal.give([opened] + entries, 1, to: post)
        try file.flush()
        func place(_ bytes: [UInt8]) -> Int {
            unsafe bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
        }
        func places() throws -> [Int] {
            try journal.restore().entries.compactMap { entry in
                guard case .received(let record, _, _) = entry else { return nil }
                #expect(record.payload == payload)
                return place(record.payload)
            }
        }
        file.share { key, bytes in
            key == RecordKey(rawValue: 1) && bytes == payload ? payload : nil
        }
        let shared = try places()
        #expect(shared.count == 2 && shared.count { $0 == place(payload) } == 1)
        file.share(nil)
        #expect(try !places().contains(place(payload)))
        file.close()
    }

    /// A cache that kept all pages until the commit would take as much memory as the change.
    @Test func pages_of_a_long_change_leave_the_cache_before_its_commit() throws {
        let file = try open { $0.pageCacheBytes = 512 << 10 }
        let journal = try file.journal(for: pairing)
        let post = try Post()
        let directory = directory
        let bytes = Atomic<Int>(0)
        var writes = (1...1000).map { Self.insert($0, String(repeating: "x", count: 4000)) }
        writes.append(
            SQLWrite { _ in
                bytes.store(directory.bytes("j-wal").count, ordering: .relaxed)
            })
        journal.give([opened], 1, writes: writes, to: post)
        try file.flush()
        // About 255 of the thousand pages stay. All of them would leave 1 MB of room, and as few as
        // the cache has 3.6 MB.
        #expect((2_500_000...3_400_000).contains(bytes.load(ordering: .relaxed)))
        file.close()
    }

    /// The statements of an application come from outside: such a one fails, and stops nobody.
    @Test(arguments: ["COMMIT", "/* x */ END", "ROLLBACK", "BEGIN", "SAVEPOINT a", "RELEASE a"])
    func the_transaction_is_the_journals(_ sql: String) throws {
        let file = try open()
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([opened], 1, writes: [Self.insert(1), SQLWrite(sql)], to: post)
        #expect(throws: JournalError.self) { try file.flush() }
        #expect("\(try #require(file.failure))".contains("the transaction is the journal's"))
        file.close()
        let again = try open()
        #expect(try Self.ids(again) == [])
        again.close()
    }

    @Test func a_write_that_fails_takes_its_entries_along() throws {
        let file = try open()
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([opened], 1, writes: [Self.insert(1)], to: post)
        try file.flush()
        journal.give([queued(1)], 2, writes: [Self.insert(2), Self.insert(1)], to: post)
        let error = #expect(throws: JournalError.self) { try file.flush() }
        #expect(error?.kind == .storeWrite, "\(error as Any)")
        #expect(post.take() == [1, -2])
        file.close()
        let again = try open()
        #expect(try Self.ids(again) == [1])
        #expect(try again.journal(for: pairing).restore() == JournalImage([opened]))
        again.close()
    }

    /// Entries without their writes after a crash between: what `writesApart` plants.
    private func halves(_ mutants: Set<JournalMutant>) throws -> (entries: Bool, writes: Bool) {
        let directory = TemporaryDirectory()
        var options = JournalOptions(stores: [Self.doses])
        options.mutants = mutants
        let commits = Commits()
        options.fault = JournalFault { call in
            call == .commit(.group) && commits.isLast() ? 10 : nil
        }
        let file = try JournalFile(path: directory.file("j"), options: options)
        commits.failAfter(mutants.isEmpty ? 0 : 1)
        let post = try Post()
        try file.journal(for: pairing).give([opened], 1, writes: [Self.insert(1)], to: post)
        _ = try? file.flush()
        file.abandon()
        let again = try JournalFile(
            path: directory.file("j"), options: JournalOptions(stores: [Self.doses]))
        defer { again.close() }
        return (
            try again.journal(for: pairing).restore() != JournalImage(),
            try !Self.ids(again).isEmpty
        )
    }

    @Test func entries_and_writes_stand_or_fall_together() throws {
        #expect(try halves([]) == (false, false))
    }

    @Test func writes_in_a_transaction_of_their_own_are_caught() throws {
        #expect(try halves([.writesApart]) == (true, false))
    }

    /// What SQLite finds when it prepares a statement, and what when it runs it.
    @Test(arguments: [
        "", "-- nothing", "INSERT INTO nowhere VALUES(1)", "INSERT INTO dose",
        "INSERT INTO dose(id, name) VALUES(1, NULL)", "INSERT INTO dose(id, name) VALUES('x', 1)",
    ])
    func what_is_wrong_with_a_statement_is_not_the_disks_fault(sql: String) throws {
        let file = try open()
        try file.journal(for: pairing).give(
            [opened], 1, writes: [SQLWrite(sql)], to: try Post())
        let error = #expect(throws: JournalError.self) { try file.flush() }
        #expect(error?.kind == .storeWrite, "\(error as Any)")
        file.close()
    }

    /// A disk that fails when a statement is prepared is as much at fault as one that fails when
    /// it is run: nothing but the code tells.
    @Test(
        arguments: [(13, .diskFull), (10, .system), (14, .system), (11, .damaged)]
            as [(Int32, JournalError.Kind)])
    func the_disk_is_at_fault_wherever_it_fails(code: Int32, kind: JournalError.Kind) {
        let failure = SQLiteFailure(call: "SELECT 1", code: code, message: "planted")
        #expect(StoreFailure(failure).kind == kind)
        #expect(failure.error(at: path).kind == kind)
    }

    @Test func a_read_changes_nothing() throws {
        let file = try open()
        #expect(throws: StoreFailure.self) {
            try file.read { store in
                _ = try store.query("DELETE FROM dose") {
                    (_: borrowing SQLRow) throws(StoreFailure) in
                }
            }
        }
        file.close()
    }

    @Test func values_of_every_type_come_back() throws {
        let file = try open { options in
            options.stores.append(
                StoreSchema(
                    name: "any",
                    migrations: [
                        Migration(adding: "makes a table", ["CREATE TABLE t(a, b, c, d, e)"])
                    ]))
        }
        let journal = try file.journal(for: pairing)
        journal.give(
            [], 0,
            writes: [
                SQLWrite(
                    "INSERT INTO t VALUES(?, ?, ?, ?, ?)",
                    [.integer(.min), .real(0.5), "ü\0x", .blob([0, 255]), nil]),
                SQLWrite("INSERT INTO t(c, d) VALUES(?, ?)", [.text(""), .blob([])]),
            ], to: try Post())
        try file.flush()
        try file.read { store in
            let rows = try store.query("SELECT * FROM t ORDER BY rowid") {
                (row: borrowing SQLRow) throws(StoreFailure) in
                [
                    "\(row.integer(0))", "\(row.real(1))", row.text(2), "\(row.blob(3))",
                    "\(row.isNull(4))",
                ]
            }
            #expect(rows[0] == ["\(Int64.min)", "0.5", "ü\0x", "[0, 255]", "true"])
            #expect(rows[1] == ["0", "0.0", "", "[]", "true"])
        }
        file.close()
    }
}

/// Says which commit is to fail.
final class Commits: Sendable {
    private let left = Count()

    func failAfter(_ count: Int) { left.set(count) }
    func isLast() -> Bool { left.next() == 0 }
}
