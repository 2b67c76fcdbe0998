internal import WatchProto
internal import WatchProtoJournal

/// Planned doses. The times of each zone are looked up by themselves, date by date: the doses of a
/// whole date, or of other dates those that may be open. The rules of their display choose among
/// these.
extension FileStore {
    package func planned(_ query: PlannedQuery) throws -> [PlannedRow] {
        try file.read { store in
            var rows: [PlannedRow] = []
            var code = Int64.min
            while let next = try store.query(
                StoreSQL.nextZone, [.integer(code)],
                { (row: borrowing SQLRow) throws(StoreFailure) in
                    row.isNull(0) ? nil : row.integer(0)
                }
            ).first ?? nil {
                code = next
                var search = PlannedSearch(query, ZoneRule(storeCode: Int(clamping: code)), code)
                for day in query.days(search.times) {
                    if day == search.date {
                        rows += try search.rows(store, on: day, isWhole: true)
                    } else {
                        rows += try search.rows(store, on: day, isWhole: false)
                        rows += try search.snoozed(store, on: day)
                    }
                }
            }
            return query.page(rows)
        }
    }
}

/// The answer to a query among the times of one zone.
private struct PlannedSearch {
    /// A time of the day that was found.
    private struct Found {
        var minute: Int64
        var entry: UInt16
        var place: Int64
        var tag: [UInt8]
        var body: [UInt8]
        /// The times of its medication, without the entries.
        var times: StoredTimes
    }

    let times: ZoneTimeline
    let date: Int?
    private let query: PlannedQuery
    private let rule: ZoneRule
    private let code: Int64
    /// Without a snooze, doses that were due at this minute or before have ended.
    private let ended: WallMinute
    /// The entries of the medications that were found, by their places.
    private var entries: [Int64: ScheduleEntries] = [:]

    init(_ query: PlannedQuery, _ rule: ZoneRule, _ code: Int64) {
        self.query = query
        self.rule = rule
        self.code = code
        times = query.zone.timeline(for: rule)
        date = query.date(times)
        ended = query.now.advanced(by: -DoseTiming.longest)
    }

    /// The first doses of a date: of all of them, or of those that are open without a snooze.
    mutating func rows(
        _ store: borrowing StoreReader, on day: Int, isWhole: Bool
    ) throws(StoreFailure) -> [PlannedRow] {
        guard let date = UInt16(exactly: day),
            let minutes = query.minutes(of: day, times, isWhole: isWhole)
        else { return [] }
        var rows: [PlannedRow] = []
        // Doses that a change of the offset moves are due at one minute: their order by minutes of
        // the day is not that of the rows.
        var moved: WallMinute?
        var (minute, place) = (Int64(minutes.lowerBound) - 1, Int64.max)
        // The one behind the page ends the search.
        let count = query.limit + 1
        while true {
            let days = Int64(RecordBase.milliseconds / 86_400_000) + Int64(day)
            let found = try find(
                store, isWhole ? StoreSQL.planned : StoreSQL.open,
                [
                    .integer(code), .integer(minute), .integer(place),
                    .integer(Int64(minutes.upperBound)), .integer(days),
                    .integer(Int64(Weekdays(of: day).rawValue)), .integer(Int64(count)),
                ] + (isWhole ? [] : [.integer(Int64(date))]))
            for one in found {
                guard let dose = try dose(store, one, day), isWhole || dose.timing.due > ended,
                    let row = try row(store, one, dose)
                else { continue }
                if rows.count >= query.limit, row.cursor.due != moved { return rows }
                if dose.isMoved { moved = row.cursor.due }
                rows.append(row)
            }
            guard found.count == count, let last = found.last else { return rows }
            (minute, place) = (last.minute, last.place)
        }
    }

    /// The doses of a date that are open because of a snooze alone.
    mutating func snoozed(
        _ store: borrowing StoreReader, on day: Int
    ) throws(StoreFailure) -> [PlannedRow] {
        var rows: [PlannedRow] = []
        for one in try find(store, StoreSQL.snoozed, [.integer(code), .integer(Int64(day))]) {
            guard let dose = try dose(store, one, day), dose.timing.due <= ended,
                let row = try row(store, one, dose)
            else { continue }
            rows.append(row)
        }
        return rows
    }

    private func find(
        _ store: borrowing StoreReader, _ sql: String, _ values: [SQLValue]
    ) throws(StoreFailure) -> [Found] {
        try store.query(sql, values) { (row: borrowing SQLRow) throws(StoreFailure) in
            Found(
                minute: row.integer(0), entry: UInt16(truncatingIfNeeded: row.integer(1)),
                place: row.integer(2), tag: row.blob(3), body: row.blob(4),
                times: StoredTimes(
                    ScheduleEntries([]),
                    weekdays: Weekdays(rawValue: UInt8(truncatingIfNeeded: row.integer(5))),
                    zone: rule, firstDay: row.isNull(7) ? nil : Int(clamping: row.integer(7)),
                    lastDay: row.isNull(8) ? nil : Int(clamping: row.integer(8)),
                    everyDays: Int(clamping: row.integer(6))))
        }
    }

    /// The dose of a time on a date; nil if its medication has none then.
    private mutating func dose(
        _ store: borrowing StoreReader, _ found: Found, _ day: Int
    ) throws(StoreFailure) -> FaceDosing.Dose? {
        var stored = found.times
        stored.entries = try entries(store, of: found.place)
        // The row names its medication by a tag; which one it is has no part in the times.
        let dosing = stored.dosing(MedicationID(rawValue: 0))
        return dosing.doses(on: day...day, times).first { $0.planned.entry == found.entry }
    }

    private mutating func entries(
        _ store: borrowing StoreReader, of place: Int64
    ) throws(StoreFailure) -> ScheduleEntries {
        if let known = entries[place] { return known }
        let found = ScheduleEntries(
            try store.query(StoreSQL.entries, [.integer(place)]) {
                (row: borrowing SQLRow) throws(StoreFailure) in
                ScheduleEntries.Entry(
                    number: UInt16(truncatingIfNeeded: row.integer(1)),
                    minute: Int(clamping: row.integer(0)), added: StoredTimes.added(row.integer(2)))
            })
        entries[place] = found
        return found
    }

    private func row(
        _ store: borrowing StoreReader, _ found: Found, _ dose: FaceDosing.Dose
    ) throws(StoreFailure) -> PlannedRow? {
        let events = try LedgerTables.events(
            in: store, of: found.tag, day: dose.planned.day, entry: dose.planned.entry)
        let state = DoseSlotState(of: events.first?.slot ?? dose.slot, events)
        guard var row = query.row(dose, state, found.place, on: date) else { return nil }
        row.body = try store.columns.open(
            found.body, table: DeviceSchema.Table.medications, row: found.place)
        return row
    }
}
