package import WatchProto
package import WatchProtoJournal

/// Changes to a device's tables, to be made durable with the record they go with. Their content is
/// encoded and sealed on the journal's thread.
package enum StoreChange {
    /// Takes in a medication, in the place of one with the same identity if there is one.
    package static func put(_ make: @escaping @Sendable () -> StoredMedication) -> SQLWrite {
        SQLWrite { store in try write(make(), store) }
    }

    /// Erases everything the device holds, except that it is locked.
    package static var eraseAll: SQLWrite {
        SQLWrite { store in
            for table in ["slots", "medications"] { try store.run("DELETE FROM \(table)") }
            try store.run(
                "DELETE FROM notes WHERE id != ?", [.integer(StoreNote.isLocked.rawValue)])
        }
    }

    /// Takes a medication out; its doses stay in the ledger.
    package static func remove(_ id: MedicationID) -> SQLWrite {
        SQLWrite { store in
            let found = try store.query(
                "SELECT id FROM medications WHERE tag = ?", [.blob(tag(of: id, store.columns))]
            ) { (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0) }
            try markListChanged(store)
            for place in found {
                try store.run("DELETE FROM slots WHERE medication = ?", [.integer(place)])
                try store.run("DELETE FROM medications WHERE id = ?", [.integer(place)])
            }
            try store.run(
                "DELETE FROM notes WHERE id = ? AND NOT EXISTS (SELECT 1 FROM medications)",
                [.integer(StoreNote.face.rawValue)])
        }
    }

    /// Keeps a note.
    package static func note(_ note: StoreNote, _ body: [UInt8]) -> SQLWrite {
        SQLWrite { store in try keep(note, body, store) }
    }

    private static func keep(
        _ note: StoreNote, _ body: [UInt8], _ store: borrowing StoreTransaction
    ) throws {
        let body = store.columns.seal(body, table: DeviceSchema.Table.notes, row: note.rawValue)
        try store.run(
            "INSERT OR REPLACE INTO notes(id, body) VALUES(?, ?)",
            [.integer(note.rawValue), .blob(body)])
    }

    /// Keeps the face for the next start, if there is a list.
    ///
    /// - Parameters:
    ///   - face: the face.
    ///   - isOfList: whether the list is still that of the face, asked in the transaction. All
    ///     changes of the list that come before the face in the file are known then.
    package static func keep(
        _ face: KeptFace, ifOfList isOfList: @escaping @Sendable () -> Bool
    ) -> SQLWrite {
        SQLWrite { store in
            // It is of a list that was erased meanwhile.
            let hasList = try store.query("SELECT EXISTS (SELECT 1 FROM medications)") {
                (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0) != 0
            }
            guard hasList.first == true else { return }
            try keep(.face, face.bytes, store)
            guard isOfList() else { return try markListChanged(store) }
            try keep(.faceIsOfList, [1], store)
        }
    }

    private static func markListChanged(_ store: borrowing StoreTransaction) throws {
        try store.run(
            "DELETE FROM notes WHERE id = ?", [.integer(StoreNote.faceIsOfList.rawValue)])
    }

    /// Notes when the medication in a place is due next.
    package static func nextDose(at place: Int64, _ minute: WallMinute?) -> SQLWrite {
        SQLWrite(
            "UPDATE medications SET next_dose = ? WHERE id = ?",
            [minute.map { .integer(Int64($0.minutes)) } ?? .null, .integer(place)])
    }

    // MARK: Rows

    private static func write(
        _ medication: StoredMedication, _ store: borrowing StoreTransaction
    ) throws {
        try markListChanged(store)
        let tag = SQLValue.blob(tag(of: medication.id, store.columns))
        let known = try store.query(
            "SELECT id FROM medications WHERE tag = ?", [tag]
        ) { (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0) }.first
        let place = try known ?? nextPlace("medications", store)
        let times = medication.times
        let body = store.columns.seal(
            medication.body, table: DeviceSchema.Table.medications, row: place)
        func day(_ number: Int?) -> SQLValue { number.map { .integer(Int64($0)) } ?? .null }
        let values: [SQLValue] =
            [
                .integer(medication.isPlanned ? 1 : 0),
                medication.nextDose.map { .integer(Int64($0.minutes)) } ?? .null,
                .integer(Int64(times.weekdays.rawValue)), .integer(Int64(times.everyDays)),
                day(times.firstDay), day(times.lastDay), .blob(body),
            ] + (medication.history?.values ?? [.null, .null, .null]) + [.integer(place)]
        if known == nil {
            try store.run(
                """
                INSERT INTO medications(
                    planned, next_dose, weekdays, every_days, first_day, last_day, body,
                    taken, skipped, last_taken, id, tag)
                VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                values + [tag])
        } else {
            try store.run(
                """
                UPDATE medications SET
                    planned = ?, next_dose = ?, weekdays = ?, every_days = ?,
                    first_day = ?, last_day = ?, body = ?, taken = ?, skipped = ?, last_taken = ?
                WHERE id = ?
                """, values)
        }
        try writeSlots(times, of: place, isNew: known == nil, store)
    }

    private static func writeSlots(
        _ times: StoredTimes, of place: Int64, isNew: Bool, _ store: borrowing StoreTransaction
    ) throws {
        let wanted = times.rows
        if !isNew {
            let found = try store.query(
                """
                SELECT zone, minute, entry, added FROM slots WHERE medication = ?
                ORDER BY zone, minute
                """, [.integer(place)]
            ) { (row: borrowing SQLRow) throws(StoreFailure) in
                [row.integer(0), row.integer(1), row.integer(2), row.integer(3)]
            }
            // An edit seldom changes the times.
            if found == wanted { return }
            try store.run("DELETE FROM slots WHERE medication = ?", [.integer(place)])
        }
        for slot in wanted {
            try store.run(
                "INSERT INTO slots(zone, minute, entry, added, medication) VALUES(?, ?, ?, ?, ?)",
                slot.map { .integer($0) } + [.integer(place)])
        }
    }

    static func nextPlace(
        _ table: String, _ store: borrowing StoreTransaction
    ) throws -> Int64 {
        try store.query("SELECT coalesce(max(id), 0) + 1 FROM \(table)") {
            (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
        }.first ?? 1
    }

    static func tag(of id: MedicationID, _ columns: StoreColumns) -> [UInt8] {
        LedgerTables.tag(of: id, columns)
    }
}

extension StoredTimes {
    /// The columns `zone`, `minute`, `entry` and `added` of each slot.
    var rows: [[Int64]] {
        let zone = Int64(zone.storeCode)
        return entries.list.map { entry in
            let added = entry.added?.minutes ?? Self.longAgo
            return [zone, Int64(entry.minute), Int64(entry.number), Int64(added)]
        }
    }

    private static let longAgo = Int32.min

    /// When the entry of a row was added; nil for a long time ago.
    static func added(_ column: Int64) -> WallMinute? {
        column == Int64(longAgo) ? nil : WallMinute(minutes: Int32(clamping: column))
    }
}

extension DoseHistory {
    /// The columns `taken`, `skipped` and `last_taken`.
    fileprivate var values: [SQLValue] {
        [
            .integer(Int64(taken)), .integer(Int64(skipped)),
            lastTakenAt.map { .integer($0.milliseconds) } ?? .null,
        ]
    }
}
