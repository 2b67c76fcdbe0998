import CSQLite
import Testing
import WatchProtoCore
import WatchProtoSecurity

@testable import WatchProtoJournal

/// The contents of file and log together count, wherever they stand.
@Suite(.timeLimit(.minutes(3)))
struct ExtentTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    private static let store = StoreSchema(
        name: "app", migrations: [Migration(adding: "a table", ["CREATE TABLE app(n INTEGER)"])])

    private func open() throws -> JournalFile {
        var options = JournalOptions(stores: [Self.store])
        options.logPagesAhead = 0
        return try JournalFile(path: path, options: options)
    }

    private static let entries = [opened] + (1...5).map { queued($0) }

    /// A journal of six commits that was killed.
    private func make() throws {
        let file = try open()
        let journal = try file.journal(for: pairing)
        let post = try Post()
        for entry in Self.entries {
            journal.give([entry], to: post)
            try file.flush()
        }
        file.abandon()
        #expect(LogMark.read(lock: path + "-lock")?.lastRow == 6)
    }

    /// As the command `sqlite3 j .dump` and scripts of backups do: SQLite copies the log into the
    /// file when the last of them closes it, and removes the log.
    private func readWithSQLite() {
        var database: OpaquePointer?
        #expect(unsafe sqlite3_open(path, &database) == SQLITE_OK)
        let sql = "SELECT count(*) FROM journal_log"
        #expect(unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
        #expect(unsafe sqlite3_close(database) == SQLITE_OK)
        #expect(directory.names == ["j", "j-lock"])
    }

    private func holdsAll(_ location: SourceLocation = #_sourceLocation) throws {
        let file = try open()
        let image = try file.journal(for: pairing).restore()
        #expect(image == JournalImage(Self.entries), sourceLocation: location)
        file.abandon()
    }

    private func refused(_ words: String..., location: SourceLocation = #_sourceLocation) {
        let before = directory.contents
        let error = #expect(throws: JournalError.self, sourceLocation: location) { try open() }
        #expect(error?.kind == .commitsMissing, "\(error as Any)", sourceLocation: location)
        for word in words {
            #expect(
                error?.description.contains(word) == true, "\(error as Any)",
                sourceLocation: location)
        }
        #expect(directory.contents == before, sourceLocation: location)
    }

    @Test func a_log_that_sqlite_itself_copied_is_not_missed() throws {
        try make()
        readWithSQLite()
        #expect(LogMark.read(lock: path + "-lock") != nil)
        try holdsAll()
        // Nor on the days that follow.
        readWithSQLite()
        try holdsAll()
    }

    @Test func what_the_log_lacked_when_sqlite_copied_it_is_missed() throws {
        try make()
        directory.write("j-wal", Array(directory.bytes("j-wal").dropLast(100)))
        readWithSQLite()
        refused("missing or empty", "row 6 of the journal", "row 5 of the journal")
    }

    /// File by file, while it is open: what was read first is older.
    @Test func a_copy_whose_lock_is_of_another_moment() throws {
        let file = try open()
        let journal = try file.journal(for: pairing)
        let post = try Post()
        var moments: [(log: [UInt8], lock: [UInt8])] = []
        for entry in Self.entries {
            journal.give([entry], to: post)
            try file.flush()
            moments.append((directory.bytes("j-wal"), directory.bytes("j-lock")))
        }
        let main = directory.bytes("j")
        file.abandon()
        directory.write("j", main)
        directory.write("j-wal", moments[3].log)
        directory.write("j-lock", moments[5].lock)
        refused("a copy", "row 4", "row 6", "remove '\(path)-lock'")
        directory.write("j-wal", moments[5].log)
        directory.write("j-lock", moments[3].lock)
        try holdsAll()
    }

    /// The mark on the disk may be older by any number of copies of the log.
    @Test func a_mark_from_before_the_log_was_copied_is_true() throws {
        try make()
        let mark = directory.bytes("j-lock")
        let file = try open()
        let more = (6...40).map { queued($0) }
        let post = try Post()
        let journal = try file.journal(for: pairing)
        for entry in more {
            journal.give([entry], to: post)
            try file.flush()
        }
        file.abandon()
        directory.write("j-lock", mark)
        let again = try open()
        #expect(
            try again.journal(for: pairing).restore() == JournalImage(Self.entries + more))
        again.abandon()
    }

    // MARK: Commits without a row

    /// Without its log the file is refused; with it again, and copied in by SQLite, it opens.
    private func openAfterLoss(refused word: String) throws -> JournalFile {
        let log = directory.bytes("j-wal")
        directory.remove("j-wal")
        refused(word)
        directory.write("j-wal", log)
        readWithSQLite()
        return try open()
    }

    @Test func a_commit_of_the_store_alone_is_missed() throws {
        try make()
        try open().close()
        let file = try open()
        let write = SQLWrite("INSERT INTO app VALUES(1)")
        try file.journal(for: pairing).give([], writes: [write], to: try Post())
        try file.flush()
        file.abandon()
        let again = try openAfterLoss(refused: "1 other commits")
        let count = try again.read { store in
            try store.query("SELECT n FROM app") {
                (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
            }
        }
        #expect(count == [1])
        again.abandon()
    }

    @Test func the_name_of_the_device_is_missed() throws {
        try make()
        try open().close()
        let file = try open()
        let device = try file.deviceID()
        file.abandon()
        let again = try openAfterLoss(refused: "missing or empty")
        #expect(try again.deviceID() == device)
        again.abandon()
    }

    /// Seven rows, one of both pairings' entries at once, and one that was folded.
    private static let lastRow: Int64 = 9

    /// Forgetting is no loss.
    @Test func what_was_forgotten_is_not_missed() throws {
        try make()
        let other = PairingID(rawValue: 8)
        var file = try open()
        let post = try Post()
        try file.journal(for: other).give([opened], to: post)
        try file.flush()
        try file.journal(for: pairing).give((6...9).map { queued($0) }, to: post)
        #expect(try file.forget(pairing))
        file.abandon()
        #expect(LogMark.read(lock: path + "-lock")?.changes == 1)
        file = try open()
        #expect(file.pairings == [other])
        #expect(try file.forget(other))
        #expect(
            LogMark.read(lock: path + "-lock") == LogMark.Extent(changes: 2, lastRow: Self.lastRow))
        file.abandon()
        readWithSQLite()
        file = try open()
        try file.journal(for: pairing).give(Self.entries, to: post)
        try file.flush()
        file.abandon()
        #expect(
            LogMark.read(lock: path + "-lock")
                == LogMark.Extent(changes: 2, lastRow: Self.lastRow + 1))
        try holdsAll()
        readWithSQLite()
        try holdsAll()
    }
}
