import Locks
import WatchProtoCore
package import WatchProtoJournal

/// The plans of watches, by the identity of the watch. They outlive its pairings.
package protocol ComplicationStore: Sendable {
    /// The bytes of a watch's plan; nil if it has none.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func plan(of watch: UInt128) throws -> [UInt8]?

    /// The writes that keep a watch's plan in a file. A store in memory has kept it.
    func keep(_ plan: [UInt8], of watch: UInt128) -> [SQLWrite]
}

/// The plans of watches in a table of a journal's file. With a key, `body` is sealed and the tag is
/// a keyed hash.
package struct ComplicationTables: ComplicationStore {
    private let file: JournalFile

    /// The plans in `file`, which was opened with ``schema``.
    package init(_ file: JournalFile) { self.file = file }

    /// The table of plans.
    package static let schema = StoreSchema(
        name: "complications",
        migrations: [
            Migration(
                adding: "makes the table of complication plans",
                [
                    """
                    CREATE TABLE complication_plans(
                        id INTEGER PRIMARY KEY, tag BLOB NOT NULL UNIQUE, body BLOB NOT NULL)
                    """
                ])
        ])

    /// Names the table among those whose columns are sealed.
    private static let table: UInt8 = 0x73

    package func plan(of watch: UInt128) throws -> [UInt8]? {
        try file.read { store in
            let columns = store.columns
            return try store.query(
                "SELECT id, body FROM complication_plans WHERE tag = ?",
                [.blob(Self.tag(watch, columns))]
            ) { (row: borrowing SQLRow) throws(StoreFailure) in
                try columns.open(row.blob(1), table: Self.table, row: row.integer(0))
            }.first
        }
    }

    package func keep(_ plan: [UInt8], of watch: UInt128) -> [SQLWrite] {
        [
            SQLWrite { store in
                let columns = store.columns
                let tag = SQLValue.blob(Self.tag(watch, columns))
                let places = try store.query(
                    """
                    SELECT coalesce(
                        (SELECT id FROM complication_plans WHERE tag = ?),
                        (SELECT max(id) + 1 FROM complication_plans), 1)
                    """, [tag]
                ) { (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0) }
                let place = places.first ?? 1
                let body = columns.seal(plan, table: Self.table, row: place)
                try store.run(
                    "INSERT OR REPLACE INTO complication_plans(id, tag, body) VALUES(?, ?, ?)",
                    [.integer(place), tag, .blob(body)])
            }
        ]
    }

    private static func tag(_ watch: UInt128, _ columns: StoreColumns) -> [UInt8] {
        var writer = WireWriter([table])
        writer.uint128(watch)
        return columns.lookupTag(writer.bytes)
    }
}

/// The plans of watches in memory.
package final class MemoryPlans: ComplicationStore {
    private let plans: Mutex<[UInt128: [UInt8]]>

    /// No plans.
    package convenience init() { self.init([:]) }

    private init(_ plans: [UInt128: [UInt8]]) { self.plans = Mutex(plans) }

    func copy() -> MemoryPlans { MemoryPlans(plans.withLock { $0 }) }

    package func plan(of watch: UInt128) -> [UInt8]? { plans.withLock { $0[watch] } }

    package func keep(_ plan: [UInt8], of watch: UInt128) -> [SQLWrite] {
        plans.withLock { $0[watch] = plan }
        return []
    }
}
