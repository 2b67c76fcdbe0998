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

    package func byNextDose(limit: Int) throws -> [StoredRow] {
        try file.read { store in
            try Self.rows(store, StoreSQL.byNextDose, [.integer(Int64(limit))])
        }
    }

    package func doses(of id: MedicationID?, before place: Int64?, limit: Int) throws -> [DoseRow] {
        try LedgerTables(file).newest(of: id, before: place, limit: limit).map(DoseRow.init)
    }

    /// What a note holds; nil when there is none.
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
