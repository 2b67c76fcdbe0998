internal import WatchProto
internal import WatchProtoJournal

/// Looks through a device's tables when their file is opened: every record must open, and what
/// stands beside it in clear must be what it says.
///
/// Counts of doses taken have nothing to be compared with: a list may bring its own.
struct DeviceCheck {
    /// The medication that a row ought to hold; nil where records are opened only.
    var expected: (@Sendable (StoredRow) throws -> StoredMedication)?

    /// Throws `StoreFailure` for the first row that is not as it was written.
    func run(_ store: borrowing StoreReader, version: Int) throws {
        try checkMedications(store)
        let columns = store.columns
        _ = try store.query("SELECT id, body FROM notes") {
            (row: borrowing SQLRow) throws(StoreFailure) in
            _ = try columns.open(row.blob(1), table: DeviceSchema.Table.notes, row: row.integer(0))
        }
    }

    // MARK: Medications

    private func checkMedications(
        _ store: borrowing StoreReader
    ) throws(StoreFailure) {
        let columns = store.columns
        var slots: [Int64: [[Int64]]] = [:]
        _ = try store.query(
            "SELECT medication, zone, minute, entry, added FROM slots ORDER BY zone, minute"
        ) { (row: borrowing SQLRow) throws(StoreFailure) in
            slots[row.integer(0), default: []].append(
                [row.integer(1), row.integer(2), row.integer(3), row.integer(4)])
        }
        _ = try store.query(
            """
            SELECT id, next_dose, body, tag, planned, weekdays, every_days, first_day, last_day
            FROM medications
            """
        ) { (row: borrowing SQLRow) throws(StoreFailure) in
            let place = row.integer(0)
            let what = "medication \(place)"
            let times = slots.removeValue(forKey: place) ?? []
            let body = try columns.open(
                row.blob(2), table: DeviceSchema.Table.medications, row: place)
            guard let expected else { return }
            let wanted: StoredMedication
            do {
                wanted = try expected(
                    StoredRow(place: place, nextDose: row.minute(1), body: body, history: nil))
            } catch {
                throw StoreFailure("\(what): \(error)")
            }
            guard row.blob(3) == StoreChange.tag(of: wanted.id, columns) else {
                throw Self.differs("tag", what)
            }
            for (column, name, value) in [
                (1, "next_dose", wanted.nextDose.map { Int64($0.minutes) }),
                (4, "planned", wanted.isPlanned ? 1 : 0),
                (5, "weekdays", Int64(wanted.times.weekdays.rawValue)),
                (6, "every_days", Int64(wanted.times.everyDays)),
                (7, "first_day", wanted.times.firstDay.map { Int64($0) }),
                (8, "last_day", wanted.times.lastDay.map { Int64($0) }),
            ] where row.whole(column) != value { throw Self.differs(name, what) }
            guard times == wanted.times.rows else {
                throw StoreFailure("\(what): its times of the day are not those of its record")
            }
        }
        guard let stray = slots.keys.min() else { return }
        throw StoreFailure("times of the day belong to medication \(stray), which is missing")
    }

    private static func differs(_ column: String, _ what: String) -> StoreFailure {
        StoreFailure("\(what): the column '\(column)' does not say what its record says")
    }
}

extension SQLRow {
    /// A column as a whole number; nil for no value.
    fileprivate borrowing func whole(_ column: Int) -> Int64? {
        isNull(column) ? nil : integer(column)
    }
}
