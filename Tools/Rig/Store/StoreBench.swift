import CommandLine
import ReferenceDevice
import Reports
import WatchProto
import WatchProtoCore
import WatchProtoJournal
import WatchProtoSecurity
import WatchProtoTransport

/// Measures the queries and migrations of a phone's store: a sealed file of its own, on one thread.
final class StoreBench {
    /// Measurements by the id of their target.
    private(set) var measured: [(id: String, measurement: Measurement)] = []
    private(set) var series: [LatencySeries] = []
    private(set) var notes: [String] = []

    private let path: String
    private let filler: StoreFiller
    private let clock: WallClock
    private let key: AtRestPayloads
    private let start = MonotonicClock.nowNanoseconds

    /// Prepares a store of `count` medications made out of `list`, in a new file at `path`.
    init(_ list: [Medication], count: Int, path: String) throws {
        self.path = path
        // At noon, so that about half of the day's doses are due.
        let day = SystemClock.wall.time.milliseconds / 86_400_000
        clock = WallClock(time: WallTime(milliseconds: day * 86_400_000 + 43_200_000))
        filler = StoreFiller(list, count: count, clock: clock)
        key = AtRestPayloads(key: try AtRestKey.random())
    }

    /// Fills the store, measures, and migrates it.
    func run(_ progress: Progress) throws {
        let count = filler.medications.count
        progress.step("writing a store of \(count) medications")
        let begin = MonotonicClock.nowNanoseconds
        var file = try open([])
        try filler.fill(file)
        file.close()
        let filled = MonotonicClock.nowNanoseconds
        file = try open([])
        let opened = MonotonicClock.nowNanoseconds
        progress.step("measuring the store")
        try measure(file)
        file.close()
        progress.step("migrating the store")
        try migrate()
        let bytes = Files.size(path) ?? 0
        notes.append(
            "store rows: a sealed file of \(count) medications and "
                + "\(count * StoreFiller.dosesEach) dose events "
                + "(\(Self.fixed(Double(bytes) / 1e6)) MB), filled in "
                + "\(Self.fixed(Double(filled - begin) / 1e9)) s, opened with every check in "
                + "\(Self.fixed(Double(opened - filled) / 1e6)) ms; each query opens and decodes "
                + "the records it gives, a batch is durable; migrations are steps on that file")
    }

    private static func fixed(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private func open(
        _ further: [Migration],
        _ progress: @escaping @Sendable (Migration.Progress) -> Void = { _ in }
    ) throws -> JournalFile {
        var schema = DeviceSchema.schema { try Medication.expected(of: $0) }
        schema.migrations += further
        return try JournalFile(
            path: path,
            options: JournalOptions(
                key: key, stores: [schema] + DeviceStorage.schemas, progress: progress))
    }

    // MARK: Queries

    private func measure(_ file: JournalFile) throws {
        let store = FileStore(file)
        let all = filler.medications
        var generator = SeededGenerator(seed: 11)
        func any() -> Int { Int(generator.uniform(in: 0...UInt64(all.count - 1))) }
        try time("store.fetch", "store: fetch one", 1000) {
            let wanted = all[any()]
            let row = try store.fetch(wanted.id)
            return try row.map { try Medication(stored: $0).id == wanted.id } ?? false
        }
        let page = min(50, all.count)
        try time("store.list", "store: list 50", 200) {
            let after = any() % (all.count - page + 1)
            let rows = try store.list(after: Int64(after), limit: 50)
            return try rows.map { try Medication(stored: $0) }.count == page
        }
        let due = PlannedQuery(.due, at: WallMinute(clock.time), ZoneTimeline(.utc), limit: 50)
        try time("store.due", "store: due now", 200) {
            let rows = try store.planned(due)
            return try rows.map { try Medication(storedBody: $0.body) }.count > 0
        }
        try time("store.sort", "store: sort by next dose", 200) {
            let rows = try store.byNextDose(limit: 100)
            return try rows.map { try Medication(stored: $0) }.count == min(100, all.count)
        }
        try time("store.batch", "store: batch of 500", 20) {
            let first = any()
            let clock = clock
            try file.write(
                (0..<500).map { offset in
                    var edited = all[(first + offset) % all.count]
                    edited.revision += 1
                    let medication = edited
                    return StoreChange.put { medication.stored(at: clock) }
                })
            return true
        }
        try measureFace(all, LedgerTables(file), at: clock)
    }

    /// Times `count` rounds of `body`, which says whether it got what it should.
    func time(
        _ id: String, _ name: String, _ count: Int, _ body: () throws -> Bool
    ) throws {
        var filled = LatencySeries(name)
        for round in 0..<count {
            if Interrupts.isRequested { throw Interrupts.failure }
            let begin = MonotonicClock.nowNanoseconds
            guard try body() else { throw StoreFailure("\(name): the answer is wrong") }
            filled.record(
                MonotonicClock.nowNanoseconds - begin, message: "round \(round)",
                atNanoseconds: begin - start)
        }
        keep(id, filled)
    }

    private func keep(_ id: String, _ filled: LatencySeries) {
        series.append(filled)
        if let measurement = TargetTable.target(id)?.measurement(of: filled) {
            keep(id, measurement)
        }
    }

    func keep(_ id: String, _ measurement: Measurement) { measured.append((id, measurement)) }

    // MARK: Migrations

    /// Three steps of each kind, each from its first word to the commit.
    private func migrate() throws {
        let kinds: [(id: String, rows: Int)] = [
            ("migrate.add", 0), ("migrate.100", 100), ("migrate.1000", 1000),
        ]
        let steps = kinds.flatMap { kind in (0..<3).map { (kind.id, kind.rows, $0) } }
        let migrations = steps.map { _, rows, round in
            rows == 0
                ? Migration(
                    adding: "adds a column, a table and an index",
                    [
                        "ALTER TABLE medications ADD COLUMN added\(round) INTEGER",
                        "CREATE TABLE added\(round)(id INTEGER PRIMARY KEY, body BLOB)",
                        """
                        CREATE INDEX by_added\(round) ON medications(added\(round))
                        WHERE added\(round) IS NOT NULL
                        """,
                    ])
                : DeviceSchema.rewriting("rewrites \(rows) records", atMost: rows) { body in
                    var medication = try Medication(storedBody: body)
                    medication.notes += "."
                    return medication.storedBody()
                }
        }
        let watch = MigrationWatch()
        let file = try open(migrations) { watch.note($0) }
        file.close()
        let base = DeviceSchema.schema.migrations.count
        for (id, rows) in kinds {
            var filled = LatencySeries("migration: \(rows == 0 ? "additive" : "\(rows) records")")
            for (index, step) in steps.enumerated() where step.0 == id {
                guard let span = watch.span(of: base + index + 1) else { continue }
                let wanted = min(rows, filler.medications.count)
                guard span.reports >= wanted else {
                    throw StoreFailure("a migration told too little of its progress")
                }
                filled.record(
                    span.end - span.begin, message: "step \(index)",
                    atNanoseconds: span.begin - start)
            }
            keep(id, filled)
        }
    }
}
