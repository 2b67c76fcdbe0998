import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

@testable import WatchProtoJournal

/// An opening that leaves the check of the whole file for later.
@Suite(.timeLimit(.minutes(3)))
struct LaterCheckTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    private func open(
        later: Bool = true, key: any PayloadKey = UnsealedPayloads(),
        _ change: (inout JournalOptions) -> Void = { _ in }
    ) throws -> JournalFile {
        var options = options(later, key)
        change(&options)
        return try JournalFile(path: path, options: options)
    }

    private func options(_ later: Bool, _ key: any PayloadKey) -> JournalOptions {
        var options = JournalOptions(key: key, stores: [StoreTests.doses])
        options.checksLater = later
        return options
    }

    /// A file with so many rows in the store and in the log.
    private func make(
        rows: Int64 = 40, isKilled: Bool = false, key: any PayloadKey = UnsealedPayloads()
    ) throws {
        let file = try open(later: false, key: key) { $0.logPagesAhead = 0 }
        let (journal, post) = (try file.journal(for: pairing), try Post())
        for row in 1...rows {
            journal.give(
                [queued(UInt64(row), [UInt8](repeating: 7, count: 300))], UInt64(row),
                writes: [StoreTests.insert(row, String(repeating: "x", count: 200))], to: post)
            if row % 20 == 0 { try file.flush() }
        }
        try file.flush()
        if isKilled { file.abandon() } else { file.close() }
    }

    private func recorded(_ file: JournalFile) throws -> Int {
        try file.journal(for: pairing).restore().outboundInOrder().count
    }

    /// The finding of the check of a file that opens; nil for none.
    private func finding(
        _ file: JournalFile, location: SourceLocation = #_sourceLocation
    ) -> JournalError? {
        #expect(!file.isChecked, sourceLocation: location)
        do throws(JournalError) {
            try file.check()
            return nil
        } catch {
            return error
        }
    }

    @Test func an_opening_reads_no_more_of_a_long_file_than_of_a_short_one() throws {
        var pages: [Int] = []
        for rows in [40, 4_000] as [Int64] {
            try make(rows: rows)
            let file = try open()
            pages.append(try file.writer.look { contents in contents.database.pagesRead })
            #expect(!file.isChecked)
            try file.check()
            #expect(file.isChecked)
            #expect(try StoreTests.ids(file).count == Int(rows))
            #expect(try recorded(file) == Int(rows))
            file.close()
            directory.remove("j")
        }
        // A longer file has higher trees, and no more than that.
        #expect(pages[0] > 0 && pages[1] <= pages[0] + 4, "\(pages) pages")
    }

    /// Nothing is written, and nothing waits for the disk, before there is something to keep.
    @Test(arguments: [false, true]) func an_opening_writes_nothing(isKilled: Bool) throws {
        try make(isKilled: isKilled)
        let before = directory.contents
        let calls = Mutex(0)
        let file = try open { options in
            options.fault = JournalFault { call in
                if call != .claim { calls.withLock { $0 += 1 } }
                return nil
            }
        }
        #expect(try StoreTests.ids(file).count == 40)
        #expect(calls.withLock { $0 } == 0)
        file.abandon()
        #expect(directory.contents == before)
    }

    @Test(arguments: [false, true])
    func writes_before_the_check_go_to_the_log_alone(isKilled: Bool) throws {
        try make(isKilled: isKilled)
        let before = directory.bytes("j")
        let file = try open()
        try file.write([StoreTests.insert(100)])
        #expect(!file.isChecked)
        #expect(try StoreTests.ids(file).last == 100)
        #expect(directory.bytes("j") == before)
        file.close()
        // Not even the end of the process writes to a file that was not checked.
        #expect(directory.bytes("j") == before)
        let again = try open()
        #expect(try StoreTests.ids(again).last == 100)
        try again.check()
        #expect(try recorded(again) == 40)
        try again.write([StoreTests.insert(101)])
        again.close()
        #expect(directory.names == ["j", "j-lock"])
        let last = try open(later: false)
        #expect(try StoreTests.ids(last).suffix(2) == [100, 101])
        last.close()
    }

    /// A torn commit behind the log is removed before a write follows it.
    @Test func remains_of_a_torn_commit_are_cut() throws {
        try make(isKilled: true)
        let log = directory.bytes("j-wal")
        directory.write("j-wal", log + Array(log.suffix(4_120 + 2_000).prefix(5_000)))
        let before = directory.bytes("j")
        let file = try open()
        try file.write([StoreTests.insert(100)])
        #expect(directory.bytes("j") == before)
        file.abandon()
        let again = try open(later: false)
        #expect(try StoreTests.ids(again).count == 41)
        again.close()
    }

    @Test func a_session_checks_the_file_first() throws {
        try make()
        let file = try open()
        #expect(try file.pairedDevices().isEmpty && !file.isChecked)
        #expect(try recorded(file) == 40)
        #expect(file.isChecked)
        file.close()
    }

    @Test func a_file_that_is_to_be_brought_up_to_date_is_checked_at_once() throws {
        try make()
        let newer = StoreSchema(
            name: "doses",
            migrations: StoreTests.doses.migrations + [
                Migration(adding: "adds a table", ["CREATE TABLE spoon(id INTEGER PRIMARY KEY)"])
            ])
        let file = try open { $0.stores = [newer] }
        #expect(file.isChecked)
        file.close()
        directory.remove("j")
        let new = try open()
        #expect(new.isChecked)
        new.close()
    }

    // MARK: Damage

    /// The file stays as it is, whether something was written before the finding or not. A write
    /// stands in the log.
    @Test(arguments: [false, true], [false, true])
    func damage_is_found_by_the_check(isKilled: Bool, writes: Bool) throws {
        try make(rows: 400, isKilled: isKilled)
        if isKilled {
            // Of a killed file most is in the log, which any opening checks.
            let file = try open(later: false)
            try file.write([StoreTests.insert(900)])
            file.abandon()
        }
        var bytes = directory.bytes("j")
        let marker = [UInt8](repeating: 7, count: 300)
        let place = try #require(
            bytes.indices.first { $0 > bytes.count / 2 && bytes[$0...].starts(with: marker) })
        bytes[place + 100] ^= 1
        directory.write("j", bytes)
        let before = directory.contents
        let file = try open()
        if writes { try file.write([StoreTests.insert(1_000)]) }
        let error = finding(file)
        #expect(error?.kind == .damaged, "\(error as Any)")
        #expect(error?.detail.contains("altered") == true, "\(error as Any)")
        #expect(throws: JournalError.self) { try file.write([StoreTests.insert(1_001)]) }
        #expect(throws: (any Error).self) { try recorded(file) }
        file.close()
        #expect(directory.bytes("j") == bytes)
        if writes {
            bytes[place + 100] ^= 1
            directory.write("j", bytes)
            let mended = try open(later: false)
            #expect(try StoreTests.ids(mended).last == 1_000)
            mended.close()
        } else {
            #expect(directory.contents == before)
        }
    }

    /// Changes a closed file without its key.
    private func change(_ sql: String) throws -> [UInt8] {
        do {
            let database = try Database(path: path, creating: false)
            try database.run(sql)
            database.setsCheckpointOnClose(true)
        }
        return directory.bytes("j")
    }

    @Test(arguments: [
        "DELETE FROM journal_log WHERE seq = 2", "DELETE FROM dose WHERE id = 2",
        "CREATE TABLE planted(id INTEGER PRIMARY KEY)",
    ])
    func a_changed_sealed_file_is_found_after_a_write_too(_ sql: String) throws {
        let key = AtRestPayloads(key: try .random())
        try make(key: key)
        let before = try change(sql)
        let file = try open(key: key)
        try file.write([StoreTests.insert(100)])
        #expect(finding(file)?.kind == .damaged)
        // To open it again finds the same.
        for _ in 0..<2 {
            #expect(throws: JournalError.self) { try file.reopen() }
            #expect(throws: JournalError.self) { try file.write([StoreTests.insert(101)]) }
        }
        file.close()
        #expect(directory.bytes("j") == before)
    }

    /// The process that wrote was killed before it had compared the file with its tag.
    @Test(arguments: [false, true], [false, true])
    func a_changed_sealed_file_is_found_by_the_start_after_a_kill(
        isChanged: Bool, later: Bool
    ) throws {
        let key = AtRestPayloads(key: try .random())
        try make(key: key)
        if isChanged { _ = try change("DELETE FROM dose WHERE id = 2") }
        let before = directory.bytes("j")
        for row in [100, 101] as [Int64] {
            let file = try open(key: key)
            try file.write([StoreTests.insert(row)])
            file.abandon()
        }
        #expect(directory.bytes("j") == before)
        var found: JournalError?
        do throws(JournalError) {
            let file = try JournalFile(path: path, options: options(later, key))
            defer { file.close() }
            try file.check()
            try file.write([StoreTests.insert(102)])
        } catch {
            found = error
        }
        #expect((found?.kind == .damaged) == isChanged, "\(found as Any)")
        if isChanged {
            #expect(directory.bytes("j") == before)
        } else {
            let again = try open(later: false, key: key)
            #expect(try StoreTests.ids(again).suffix(3) == [100, 101, 102])
            again.close()
        }
    }

    @Test func an_unchanged_sealed_file_passes_after_a_write() throws {
        let key = AtRestPayloads(key: try .random())
        try make(key: key)
        for row in [100, 101] as [Int64] {
            let file = try open(key: key)
            try file.write([StoreTests.insert(row)])
            #expect(finding(file) == nil)
            file.close()
        }
    }

    @Test func missing_commits_are_found_at_once() throws {
        try make(isKilled: true)
        directory.write("j-wal", [])
        let error = #expect(throws: JournalError.self) { try open() }
        #expect(error?.kind == .commitsMissing)
    }

    // MARK: Other work meanwhile

    /// The check of a store that never ends by itself: it gives way to a write, and begins anew.
    @Test func the_check_gives_way_to_a_write() throws {
        try make(isKilled: true)
        let rounds = Mutex(0)
        let isWritten = Atomic(false)
        var endless = StoreTests.doses
        endless.check = { store, _ in
            rounds.withLock { $0 += 1 }
            guard !isWritten.load(ordering: .acquiring) else { return }
            _ = try store.query(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                SELECT count(*) FROM n
                """
            ) { (_: borrowing SQLRow) throws(StoreFailure) in }
        }
        let stores = [endless]
        let file = try open { $0.stores = stores }
        let error = Mutex<JournalError?>(nil)
        let thread = try SystemThread {
            do throws(JournalError) {
                try file.check()
            } catch let found {
                error.withLock { $0 = found }
            }
        }
        #expect(looked { rounds.withLock { $0 } > 0 })
        isWritten.store(true, ordering: .releasing)
        try file.write([StoreTests.insert(100)])
        thread.join()
        #expect(error.withLock { $0 } == nil)
        #expect(file.isChecked && rounds.withLock { $0 } > 1)
        #expect(try StoreTests.ids(file).count == 41)
        file.close()
    }
}
