package import WatchProto
internal import WatchProtoJournal

/// Planned doses: each zone's times are looked up by themselves, for its local day.
extension FileStore {
    package func today(
        _ clock: WallClock, after cursor: PlannedCursor?, limit: Int
    ) throws -> [PlannedRow] {
        try planned(clock, after: cursor, limit: limit, isOpen: false)
    }

    package func dueNow(_ clock: WallClock, limit: Int) throws -> [PlannedRow] {
        try planned(clock, after: nil, limit: limit, isOpen: true)
    }

    private func planned(
        _ clock: WallClock, after cursor: PlannedCursor?, limit: Int, isOpen: Bool
    ) throws -> [PlannedRow] {
        try file.read { store in
            var rows: [PlannedRow] = []
            var zone = Int64.min
            while let next = try store.query(
                StoreSQL.nextZone, [.integer(zone)],
                { (row: borrowing SQLRow) throws(StoreFailure) in
                    row.isNull(0) ? nil : row.integer(0)
                }
            ).first ?? nil {
                zone = next
                let day = StoreDay(clock, zone: Int(zone))
                rows += try Self.planned(
                    store, zone, day, after: cursor, limit: limit,
                    through: isOpen ? WallMinute(clock.time) : nil)
            }
            return Array(rows.sorted { $0.cursor < $1.cursor }.prefix(limit))
        }
    }

    /// The doses of one zone; with `through` the open ones up to that minute.
    private static func planned(
        _ store: borrowing StoreReader, _ zone: Int64, _ day: StoreDay,
        after cursor: PlannedCursor?, limit: Int, through now: WallMinute?
    ) throws(StoreFailure) -> [PlannedRow] {
        guard let first = day.dose(at: 0, entry: 0) else { return [] }
        let from = cursor.map { (Int($0.due.minutes) - day.begin, $0.place) } ?? (-1, 0)
        let last = now.map { Int($0.minutes) - day.begin } ?? 1439
        let weekday = StoreDay.weekday(day.number).rawValue
        var values: [SQLValue] = [
            .integer(zone), .integer(Int64(from.0)), .integer(from.1), .integer(Int64(last)),
            .integer(Int64(day.number)), .integer(Int64(weekday)), .integer(Int64(limit)),
        ]
        if let now {
            let latest = now.advanced(by: DoseTiming.clockDifference)
            values += [
                .integer(Int64(first.planned.day)), .integer(Int64(day.begin)),
                .integer(Int64(latest.minutes)),
            ]
        }
        let columns = store.columns
        let found = try store.query(now == nil ? StoreSQL.planned : StoreSQL.open, values) {
            (row: borrowing SQLRow) throws(StoreFailure) in
            Found(
                minute: Int(row.integer(0)), place: row.integer(1), tag: row.blob(2),
                body: try columns.open(
                    row.blob(3), table: DeviceSchema.Table.medications, row: row.integer(1)),
                entry: UInt16(truncatingIfNeeded: row.integer(4)))
        }
        var rows: [PlannedRow] = []
        for one in found {
            guard let dose = day.dose(at: one.minute, entry: one.entry) else { continue }
            let events = try LedgerTables.events(
                in: store, of: one.tag, day: dose.planned.day, entry: dose.planned.entry)
            rows.append(
                PlannedRow(
                    cursor: PlannedCursor(due: dose.due, place: one.place), planned: dose.planned,
                    state: PlannedRow.State(events), body: one.body))
        }
        return rows
    }

    private struct Found {
        var minute: Int
        var place: Int64
        var tag: [UInt8]
        var body: [UInt8]
        var entry: UInt16
    }
}
