import Foundation
import Testing

@testable import WatchProto

/// Statements of the application: one at a time, on its own tables.
@Suite(.timeLimit(.minutes(2))) struct TableGuardTests {
    /// Statements that would change the connection, the transaction, another file, or a table that
    /// is not the application's; with a part of the reason.
    private static let refused = [
        ("PRAGMA synchronous = OFF", "PRAGMA synchronous"),
        ("PRAGMA query_only = 1", "PRAGMA query_only"),
        ("BEGIN", "the transaction is the journal's"), ("COMMIT", "the transaction is"),
        ("SAVEPOINT one", "the transaction is"), ("RELEASE one", "the transaction is"),
        ("ATTACH '/tmp/wp-other' AS other", "one file"), ("DETACH other", "one file"),
        ("DROP TABLE Dose_Events", "dose_events is the library's"),
        ("ALTER TABLE dose_events RENAME TO mine", "dose_events is the library's"),
        ("DELETE FROM stored_values", "stored_values is the library's"),
        ("UPDATE journal_meta SET value = x''", "journal_meta is the library's"),
        ("INSERT INTO journal_log VALUES(1, x'', x'')", "journal_log is the library's"),
        ("CREATE INDEX mine ON journal_log(body)", "journal_log is the library's"),
        ("CREATE TABLE journal_mine(a)", "journal_mine is the library's"),
        ("CREATE TEMP TABLE dose_events(a)", "temporary"),
        ("CREATE TABLE temp.held(a)", "temporary"),
        ("INSERT INTO held VALUES(1); DROP TABLE held", "is ' DROP TABLE held'"),
        ("INSERT INTO held VALUES(1)\0 nothing", "NUL"),
        ("INSERT INTO held VALUES(?)", "1 parameters, and 0 values"),
        ("-- nothing", "no statement"),
    ]

    @Test(arguments: refused)
    func a_write_of_the_application_keeps_to_its_tables(
        _ sql: String, _ reason: String
    ) async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(
            folder, tables: ["CREATE TABLE held(a)"])
        let events = watch.events()
        try watch.write { $0.run(sql) }
        for await event in events {
            guard case .journalFailed(let text) = event else { continue }
            #expect(text.contains(reason))
            break
        }
        #expect(try await watch.rows("SELECT count(*) FROM held") == [[.integer(0)]])
        #expect(try await watch.rows("SELECT count(*) FROM dose_events") == [[.integer(0)]])
        await phone.close()
        await watch.close()
    }

    @Test(
        arguments: refused + [
            ("PRAGMA wal_checkpoint", "PRAGMA wal_checkpoint"),
            ("INSERT INTO held VALUES(1)", "must not change"),
            ("SELECT 1; SELECT 2", "is ' SELECT 2'"), ("SELECT ?", "1 parameters, and 0 values"),
            ("VACUUM INTO '/tmp/wp-other'", "must not change"),
        ])
    func a_read_changes_nothing(_ sql: String, _ reason: String) async throws {
        let folder = try Folder()
        let watch = try await folder.open(.watch, tables: ["CREATE TABLE held(a)"])
        let error = await #expect(throws: TableError.self) { try await watch.rows(sql) }
        let text = try #require(error).description
        #expect(text.contains(reason) || text.contains("must not change"), "\(text)")
        #expect(try await watch.rows("PRAGMA table_info(held)").count == 1)
        await watch.close()
    }

    @Test(arguments: refused)
    func a_step_of_the_tables_keeps_to_them(_ sql: String, _ reason: String) async throws {
        let folder = try Folder()
        try await folder.open(.watch, tables: ["CREATE TABLE held(a)"]).close()
        let error = await #expect(throws: OpenError.self) {
            _ = try await folder.open(.watch, tables: ["CREATE TABLE held(a)", sql])
        }
        #expect(try #require(error).description.contains(reason))
        try await folder.open(.watch, tables: ["CREATE TABLE held(a)"]).close()
    }

    @Test func the_guard_knows_every_table_of_the_library() async throws {
        let folder = try Folder()
        let watch = try await folder.open(.watch)
        let names = try await watch.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        #expect(names.count > DeviceStorage.ownTables.count)
        for case .text(let name) in names.joined() {
            #expect(DeviceStorage.ownTables.contains(name) || name.hasPrefix("journal_"))
        }
        await watch.close()
    }

    @Test(arguments: ["SELECT 1", "SELECT 1;", "SELECT 1 ; -- one\n /* two */ ;\n"])
    func blanks_and_comments_are_no_second_statement(_ sql: String) async throws {
        let folder = try Folder()
        let watch = try await folder.open(
            .watch,
            tables: [
                "CREATE TABLE held(a INTEGER PRIMARY KEY AUTOINCREMENT);\n",
                "CREATE INDEX held_by_a ON held(a) -- found again",
                "ALTER TABLE held ADD COLUMN b",
                "ALTER TABLE held RENAME TO kept",
            ])
        #expect(try await watch.rows(sql) == [[.integer(1)]])
        #expect(try await watch.rows(sql) == [[.integer(1)]])
        await watch.close()
    }
}
