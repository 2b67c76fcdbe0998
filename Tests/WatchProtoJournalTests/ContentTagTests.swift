import Testing
import WatchProtoCore
import WatchProtoSecurity

@testable import WatchProtoJournal

/// A sealed file that was changed without its key while it was closed (issue 21, `FOUND.md`).
@Suite(.timeLimit(.minutes(3)))
struct ContentTagTests {
    let directory = TemporaryDirectory()
    private let key: AtRestPayloads
    private var path: String { directory.file("j") }

    init() throws { key = AtRestPayloads(key: try .random()) }

    private func open(_ key: (any PayloadKey)? = nil) throws -> JournalFile {
        try JournalFile(
            path: path, options: JournalOptions(key: key ?? self.key, stores: [StoreTests.doses]))
    }

    /// A file with three rows of the log and three of the store.
    private func make(_ key: (any PayloadKey)? = nil) throws -> JournalFile {
        let file = try open(key)
        for number in UInt64(1)...3 {
            try file.journal(for: pairing).give(
                [queued(number)], number,
                writes: [StoreTests.insert(Int64(number), "dose \(number)")], to: try Post())
            try file.flush()
        }
        return file
    }

    private func change(_ sql: String) throws {
        let database = try Database(path: path, creating: false)
        try database.run(sql)
        database.setsCheckpointOnClose(true)
    }

    @Test(arguments: [
        """
        CREATE TRIGGER planted AFTER INSERT ON journal_log
        BEGIN DELETE FROM journal_log WHERE seq < NEW.seq; END
        """,
        "CREATE TABLE planted(id INTEGER PRIMARY KEY)", "CREATE INDEX planted ON dose(name)",
        "DELETE FROM journal_log WHERE seq = (SELECT max(seq) FROM journal_log)",
        "DELETE FROM dose WHERE id = 2", "UPDATE dose SET name = 'another' WHERE id = 2",
        "INSERT INTO dose(id, name) VALUES(9, 'planted')", "UPDATE dose SET id = id + 10",
        "INSERT INTO journal_meta VALUES('planted', 1)",
        "UPDATE journal_meta SET value = x'00' WHERE name = 'closed'",
    ])
    func a_changed_file_is_refused(_ sql: String) throws {
        try make().close()
        try change(sql)
        let before = directory.contents
        let error = #expect(throws: JournalError.self) { try open() }
        #expect(error?.kind == .damaged && error?.detail.contains("without its key") == true)
        #expect(directory.contents == before)
    }

    /// Opened again and killed, the file does not say what it held when it was closed.
    @Test func a_file_that_was_not_changed_is_opened() throws {
        try make().close()
        try change("VACUUM")
        for isKilled in [true, false, false] {
            let file = try open()
            #expect(try file.journal(for: pairing).restore().outboundInOrder().count == 3)
            if isKilled { file.abandon() } else { file.close() }
            let tags = try Database(path: path, creating: false)
                .integer("SELECT count(*) FROM journal_meta WHERE name = 'closed'")
            #expect(tags == (isKilled ? 0 : 1))
        }
    }

    /// A file that was not closed has no tag, and a trigger in it does not run.
    @Test(arguments: ["journal_log WHERE seq < NEW.seq", "dose"])
    func a_planted_trigger_does_nothing(_ victims: String) throws {
        try make().abandon()
        try change(
            "CREATE TRIGGER planted AFTER INSERT ON journal_log BEGIN DELETE FROM \(victims); END")
        let file = try open()
        try file.journal(for: pairing).give([queued(4)], 4, to: try Post())
        try file.flush()
        #expect(try file.journal(for: pairing).restore().outboundInOrder().count == 4)
        let doses = try file.read { store in
            try store.query("SELECT count(*) FROM dose") {
                (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
            }
        }
        #expect(doses == [3])
        file.close()
    }

    /// Without a key there is nothing by which somebody is told from the program.
    @Test func an_unsealed_file_has_no_tag() throws {
        try make(UnsealedPayloads()).close()
        try change("INSERT INTO dose(id, name) VALUES(9, 'added by hand')")
        let file = try open(UnsealedPayloads())
        #expect(
            try file.read { store in
                try store.query("SELECT count(*) FROM dose") {
                    (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
                }
            } == [4])
        file.close()
    }
}
