import Testing
import WatchProto
import WatchProtoCore
import WatchProtoJournal

@testable import ReferenceDevice

/// How SQLite carries the queries out: through indices, and in their order.
@Suite struct PlanTests {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    /// The steps that look through a whole table, or sort by themselves.
    private func slowSteps(_ sql: String) throws -> [String] {
        let steps = try shelf.file.read { store in
            try store.query("EXPLAIN QUERY PLAN " + sql) {
                (row: borrowing SQLRow) throws(StoreFailure) in row.text(3)
            }
        }
        #expect(!steps.isEmpty)
        return steps.filter { step in
            step.hasPrefix("SCAN") && step != "SCAN CONSTANT ROW" || step.contains("TEMP B-TREE")
        }
    }

    @Test(arguments: StoreSQL.all.map(\.name)) func no_query_scans(_ name: String) throws {
        let sql = try #require(StoreSQL.all.first { $0.name == name }?.sql)
        #expect(try slowSteps(sql) == [])
    }

    /// A dose of a medication with limits does not read all doses before it.
    @Test func the_doses_of_some_days_are_found_by_their_day() throws {
        let steps = try shelf.file.read { store in
            try store.query("EXPLAIN QUERY PLAN " + LedgerTables.onDays) {
                (row: borrowing SQLRow) throws(StoreFailure) in row.text(3)
            }
        }
        #expect(steps.count == 1 && steps[0].contains("(medication=? AND moment_day>? AND"))
    }

    @Test func a_planted_scan_and_a_planted_sort_are_found() throws {
        #expect(
            try slowSteps("SELECT body FROM dose_events WHERE status = 1") == ["SCAN dose_events"])
        let sorted = "SELECT body FROM medications WHERE id > 5 ORDER BY planned"
        #expect(try slowSteps(sorted).count == 1)
    }
}
