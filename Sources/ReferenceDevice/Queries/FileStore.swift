package import WatchProto
package import WatchProtoJournal

/// The store in a journal's file. Every query is answered through an index.
package struct FileStore: StoreQueries, Sendable {
    /// The file.
    package let file: JournalFile

    /// Looks into `file`, which was opened with ``DeviceSchema``.
    package init(_ file: JournalFile) { self.file = file }

    package func counts() throws -> (medications: Int, doses: Int) {
        let found = try file.read { store in
            try store.query(StoreSQL.counts) { (row: borrowing SQLRow) throws(StoreFailure) in
                [Int(row.integer(0)), Int(row.integer(1))]
            }.first ?? [0, 0]
        }
        return (found[0], found[1])
    }

    package func fetch(_ id: MedicationID) throws -> StoredRow? {
        try file.read { store in
            let tag = SQLValue.blob(StoreChange.tag(of: id, store.columns))
            return try Self.rows(store, StoreSQL.fetch, [tag]).first
        }
    }

    package func list(after place: Int64, limit: Int) throws -> [StoredRow] {
        try file.read { store in
            try Self.rows(store, StoreSQL.list, [.integer(place), .integer(Int64(limit))])
        }
    }

    /// The medication at `index` in the order they came; nil without any. An index beyond the end
    /// begins again.
    ///
    /// - Throws: `StoreFailure` when it was altered.
    package func row(at index: Int) throws -> StoredRow? {
        try file.read { store in
            let offset = SQLValue.integer(Int64(index))
            if let row = try Self.rows(store, StoreSQL.at, [offset]).first { return row }
            let count =
                try store.query("SELECT count(*) FROM medications") {
                    (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
                }.first ?? 0
            guard count > 0 else { return nil }
            return try Self.rows(store, StoreSQL.at, [.integer(Int64(index) % count)]).first
        }
    }

    /// The index of a medication in the order they came; nil if it is not in the store.
    ///
    /// - Throws: `StoreFailure`.
    package func index(of id: MedicationID) throws -> Int? {
        try file.read { store in
            let tag = SQLValue.blob(StoreChange.tag(of: id, store.columns))
            return try store.query(StoreSQL.index, [tag]) {
                (row: borrowing SQLRow) throws(StoreFailure) in Int(row.integer(0))
            }.first
        }
    }

    package func byNextDose(limit: Int) throws -> [StoredRow] {
        try file.read { store in
            try Self.rows(store, StoreSQL.byNextDose, [.integer(Int64(limit))])
        }
    }

    package func doses(of id: MedicationID?, before place: Int64?, limit: Int) throws -> [DoseRow] {
        try LedgerTables(file).newest(of: id, before: place, limit: limit).map(DoseRow.init)
    }

    /// The content of a note; nil when there is none.
    ///
    /// - Throws: `StoreFailure` when it was altered.
    package func note(_ note: StoreNote) throws -> [UInt8]? {
        try file.read { store in
            let columns = store.columns
            return try store.query("SELECT body FROM notes WHERE id = ?", [.integer(note.rawValue)])
            { (row: borrowing SQLRow) throws(StoreFailure) in
                try columns.open(
                    row.blob(0), table: DeviceSchema.Table.notes, row: note.rawValue)
            }.first
        }
    }

    /// Medications whose next dose is over at `now`, the earliest first: its time to count it anew.
    ///
    /// - Throws: `StoreFailure`.
    package func overtaken(at now: WallMinute, limit: Int) throws -> [StoredRow] {
        try file.read { store in
            try Self.rows(
                store, StoreSQL.overtaken,
                [.integer(Int64(now.minutes)), .integer(Int64(limit))])
        }
    }

    private static func rows(
        _ store: borrowing StoreReader, _ sql: String, _ values: [SQLValue]
    ) throws(StoreFailure) -> [StoredRow] {
        let columns = store.columns
        return try store.query(sql, values) { (row: borrowing SQLRow) throws(StoreFailure) in
            let place = row.integer(0)
            let lastTakenAt =
                row.isNull(4) ? nil : WallTime(milliseconds: row.integer(4))
            return StoredRow(
                place: place, nextDose: row.minute(1),
                body: try columns.open(
                    row.blob(5), table: DeviceSchema.Table.medications, row: place),
                history: row.isNull(2)
                    ? nil
                    : DoseHistory(
                        taken: Int(row.integer(2)), skipped: Int(row.integer(3)),
                        lastTakenAt: lastTakenAt))
        }
    }
}

extension SQLRow {
    /// A column as a minute of the wall clock.
    borrowing func minute(_ column: Int) -> WallMinute? {
        isNull(column) ? nil : WallMinute(minutes: Int32(clamping: integer(column)))
    }
}
