import Locks
import Testing
import WatchProtoCore

@testable import WatchProtoJournal

/// From one schema to the next: additive, rewriting, interrupted, for the journal and for stores.
@Suite(.timeLimit(.minutes(2)))
struct MigrationTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    /// The reports of the migrations on their progress.
    final class Heard: Sendable {
        private let all = Mutex<[Migration.Progress]>([])
        func note(_ progress: Migration.Progress) { all.withLock { $0.append(progress) } }
        var steps: [Migration.Progress] { all.withLock { $0 } }
    }

    static let storeVersion = JournalSchema.storeVersion.replacing("?", with: "'doses'")

    static let extra = Migration(
        adding: "adds a note to rows", ["ALTER TABLE journal_log ADD COLUMN note TEXT"])

    /// Every name in capitals, ten rows at a time.
    static let capitals = Migration(rewriting: "writes names in capitals") { store, progress in
        let ids = try store.query("SELECT id FROM dose ORDER BY id") {
            (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
        }
        for (index, id) in ids.enumerated() {
            try store.run("UPDATE dose SET name = upper(name) WHERE id = ?", [.integer(id)])
            if (index + 1) % 10 == 0 { progress(index + 1, ids.count) }
        }
    }

    private var oldStore: StoreSchema { StoreTests.doses }
    private func newStore(_ last: Migration = capitals) -> StoreSchema {
        StoreSchema(
            name: "doses",
            migrations: oldStore.migrations + [
                Migration(
                    adding: "adds an index", ["CREATE INDEX dose_by_name ON dose(name, id)"]), last,
            ])
    }

    /// A file of the oldest schema with a hundred doses.
    private func plantOld() throws -> [JournalEntry] {
        let file = try JournalFile(path: path, options: JournalOptions(stores: [oldStore]))
        let entries = [opened, queued(1)]
        try file.journal(for: pairing).give(
            entries, 1, writes: (1...100).map { StoreTests.insert($0, "dose \($0)") },
            to: try Post())
        try file.flush()
        file.abandon()
        return entries
    }

    private func names(_ file: JournalFile) throws -> [String] {
        try file.read { store in
            try store.query("SELECT name FROM dose ORDER BY id") {
                (row: borrowing SQLRow) throws(StoreFailure) in row.text(0)
            }
        }
    }

    private func version(_ sql: String) throws -> Int64? {
        try Database(path: path, creating: false).integer(sql)
    }

    private func newOptions(_ heard: Heard, _ store: StoreSchema) -> JournalOptions {
        var options = JournalOptions(stores: [store]) { heard.note($0) }
        options.schema = JournalSchema.migrations + [Self.extra]
        return options
    }

    @Test func an_older_file_is_brought_up_to_date() throws {
        let entries = try plantOld()
        let heard = Heard()
        let file = try JournalFile(path: path, options: newOptions(heard, newStore()))
        #expect(try file.journal(for: pairing).restore() == JournalImage(entries))
        #expect(try names(file) == (1...100).map { "DOSE \($0)" })
        let steps = heard.steps
        #expect(steps.first?.schema == "journal")
        #expect(steps.first?.version == JournalSchema.migrations.count + 1)
        let rewriting = steps.filter { $0.version == 3 && $0.schema == "doses" }
        #expect(rewriting.map(\.done) == [0] + stride(from: 10, through: 100, by: 10) + [1])
        #expect(rewriting.allSatisfy { $0.name == "writes names in capitals" })
        file.close()
        #expect(try version("PRAGMA user_version") == Int64(JournalSchema.migrations.count + 1))
        #expect(try version(Self.storeVersion) == 3)
        // Nothing is done twice.
        let again = Heard()
        try JournalFile(path: path, options: newOptions(again, newStore())).close()
        #expect(again.steps.isEmpty)
    }

    @Test func a_step_that_fails_leaves_the_version_before_it() throws {
        let entries = try plantOld()
        let failing = Migration(rewriting: "fails halfway") { store, _ in
            try store.run("UPDATE dose SET name = 'half' WHERE id < 50")
            throw StoreFailure("row 50 cannot be read")
        }
        let error = #expect(throws: JournalError.self) {
            _ = try JournalFile(path: path, options: newOptions(Heard(), newStore(failing)))
        }
        #expect(error?.kind == .storeWrite)
        #expect(error?.description.contains("row 50 cannot be read") == true)
        #expect(try version(Self.storeVersion) == 2)
        let file = try JournalFile(path: path, options: newOptions(Heard(), newStore()))
        #expect(try names(file) == (1...100).map { "DOSE \($0)" })
        #expect(try file.journal(for: pairing).restore() == JournalImage(entries))
        file.close()
    }

    @Test(arguments: 1...3) func a_crash_between_steps_goes_on_from_there(step: Int) throws {
        let entries = try plantOld()
        let count = Count()
        count.set(step - 1)
        var options = newOptions(Heard(), newStore())
        options.fault = JournalFault { call in
            call == .commit(.migration) && count.next() == 0 ? 10 : nil
        }
        #expect(throws: JournalError.self) { _ = try JournalFile(path: path, options: options) }
        let heard = Heard()
        let file = try JournalFile(path: path, options: newOptions(heard, newStore()))
        #expect(Set(heard.steps.map { [$0.schema, "\($0.version)"] }).count == 4 - step)
        #expect(try names(file) == (1...100).map { "DOSE \($0)" })
        #expect(try file.journal(for: pairing).restore() == JournalImage(entries))
        file.close()
    }
}
