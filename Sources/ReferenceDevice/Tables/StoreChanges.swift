import WatchProtoCore
package import WatchProtoJournal
package import WatchProtoRecords

/// Changes to a device's tables, to be made durable with the record they go with. What they keep is
/// encoded and sealed on the journal's thread.
package enum StoreChange {
    /// Takes in a medication, in the place of one with the same identity if there is one.
    package static func put(_ make: @escaping @Sendable () -> StoredMedication) -> SQLWrite {
        SQLWrite { store in try write(make(), store) }
    }

    /// Erases everything the device holds.
    package static var eraseAll: SQLWrite {
        SQLWrite { store in
            for table in ["slots", "medications", "doses", "names", "notes", "handed_back"] {
                try store.run("DELETE FROM \(table)")
            }
        }
    }

    /// Erases what a counterpart brought: medications, and what notes say of them. What this device
    /// recorded stays, and so do the names it is of.
    package static var eraseBrought: SQLWrite {
        SQLWrite { store in
            for table in ["slots", "medications", "notes"] {
                try store.run("DELETE FROM \(table)")
            }
            try store.run(
                "DELETE FROM names WHERE NOT EXISTS(SELECT 1 FROM doses WHERE name = names.id)")
        }
    }

    /// Erases the values that a counterpart handed back.
    package static var eraseHandedBack: SQLWrite { SQLWrite("DELETE FROM handed_back") }

    /// Takes a medication out; its doses stay.
    package static func remove(_ id: MedicationID) -> SQLWrite {
        SQLWrite { store in
            // One that is not there gets no name either.
            let found = try store.query(
                """
                SELECT medications.id, medications.name FROM medications
                JOIN names ON names.id = medications.name WHERE names.tag = ?
                """, [.blob(tag(of: id, store.columns))]
            ) { (row: borrowing SQLRow) throws(StoreFailure) in
                (place: row.integer(0), name: row.integer(1))
            }.first
            guard let found else { return }
            try store.run("DELETE FROM slots WHERE medication = ?", [.integer(found.place)])
            try store.run("DELETE FROM medications WHERE id = ?", [.integer(found.place)])
            try forget(found.name, store)
        }
    }

    /// Adds a dose event, as its canonical encoding.
    package static func record(_ event: DoseEvent, _ encoding: [UInt8]) -> SQLWrite {
        SQLWrite { store in try add(event, encoding, store) }
    }

    /// Counts the doses of a medication anew; one that is not there is passed over.
    package static func count(_ id: MedicationID, _ history: DoseHistory) -> SQLWrite {
        SQLWrite { store in
            try store.run(
                """
                UPDATE medications SET taken = ?, skipped = ?, last_taken = ?
                WHERE name = (SELECT id FROM names WHERE tag = ?)
                """, history.values + [.blob(tag(of: id, store.columns))])
        }
    }

    /// Keeps a note.
    package static func note(_ note: StoreNote, _ body: [UInt8]) -> SQLWrite {
        SQLWrite { store in
            let body = store.columns.seal(
                body, table: DeviceSchema.Table.notes, row: note.rawValue)
            try store.run(
                "INSERT OR REPLACE INTO notes(id, body) VALUES(?, ?)",
                [.integer(note.rawValue), .blob(body)])
        }
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
        let name = try number(of: medication.id, store)
        let known = try store.query(
            "SELECT id FROM medications WHERE name = ?", [.integer(name)]
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
                .integer(Int64(medication.knownSince.minutes)),
                .integer(Int64(times.weekdays.rawValue)), .integer(Int64(times.everyDays)),
                day(times.firstDay), day(times.lastDay), .blob(body), .integer(place),
            ]
        if known == nil {
            try store.run(
                """
                INSERT INTO medications(
                    planned, next_dose, known, weekdays, every_days, first_day, last_day, body, id,
                    name, taken, skipped, last_taken)
                VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                values + [.integer(name)] + (medication.history?.values ?? [.null, .null, .null]))
        } else {
            // Its doses are counted by themselves: an edit may have been made before one arrived.
            try store.run(
                """
                UPDATE medications SET
                    planned = ?, next_dose = ?, known = ?, weekdays = ?, every_days = ?,
                    first_day = ?, last_day = ?, body = ?
                WHERE id = ?
                """, values)
        }
        try writeSlots(times, of: place, isNew: known == nil, store)
    }

    private static func writeSlots(
        _ times: StoredTimes, of place: Int64, isNew: Bool, _ store: borrowing StoreTransaction
    ) throws {
        let zone = Int64(StoreDay.code(times.zone))
        let wanted = times.minutes.map { [zone, Int64($0)] }
        if !isNew {
            let found = try store.query(
                "SELECT zone, minute FROM slots WHERE medication = ? ORDER BY zone, minute",
                [.integer(place)]
            ) { (row: borrowing SQLRow) throws(StoreFailure) in [row.integer(0), row.integer(1)] }
            // An edit seldom changes the times.
            if found == wanted { return }
            try store.run("DELETE FROM slots WHERE medication = ?", [.integer(place)])
        }
        for slot in wanted {
            try store.run(
                "INSERT INTO slots(zone, minute, medication) VALUES(?, ?, ?)",
                [.integer(slot[0]), .integer(slot[1]), .integer(place)])
        }
    }

    private static func add(
        _ event: DoseEvent, _ encoding: [UInt8], _ store: borrowing StoreTransaction
    ) throws {
        let place = try nextPlace("doses", store)
        let columns = store.columns
        var slot: [SQLValue] = [.null, .null]
        if let planned = event.planned {
            slot = [.integer(Int64(planned.day)), .integer(Int64(planned.minute))]
        }
        // A device's own events replace at most one.
        let corrects = event.replaces.first.map { SQLValue.blob(tag(of: $0, columns)) } ?? .null
        try store.run(
            """
            INSERT INTO doses(id, name, day, minute, action, event, corrects, body)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [.integer(place), .integer(try number(of: event.medication, store))] + slot + [
                .integer(Int64(event.statusCode)), .blob(tag(of: event.id, columns)),
                corrects,
                .blob(columns.seal(encoding, table: DeviceSchema.Table.doses, row: place)),
            ])
        if place > DeviceSchema.doseCapacity {
            try removeDoses(through: place - DeviceSchema.doseCapacity, store)
        }
    }

    private static func removeDoses(
        through place: Int64, _ store: borrowing StoreTransaction
    ) throws {
        let names = try store.query(
            "SELECT DISTINCT name FROM doses WHERE id <= ?", [.integer(place)]
        ) { (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0) }
        try store.run("DELETE FROM doses WHERE id <= ?", [.integer(place)])
        for name in names { try forget(name, store) }
    }

    /// Takes a name out once nothing refers to it: otherwise every medication that ever was, and
    /// every one that a dose ever named, would stay in the file for good.
    private static func forget(_ name: Int64, _ store: borrowing StoreTransaction) throws {
        try store.run(
            """
            DELETE FROM names WHERE id = ?
            AND NOT EXISTS(SELECT 1 FROM medications WHERE name = names.id)
            AND NOT EXISTS(SELECT 1 FROM doses WHERE name = names.id)
            """, [.integer(name)])
    }

    static func nextPlace(
        _ table: String, _ store: borrowing StoreTransaction
    ) throws -> Int64 {
        try store.query("SELECT coalesce(max(id), 0) + 1 FROM \(table)") {
            (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
        }.first ?? 1
    }

    /// The number by which the tables speak of a medication.
    private static func number(
        of id: MedicationID, _ store: borrowing StoreTransaction
    ) throws -> Int64 {
        let tag = SQLValue.blob(tag(of: id, store.columns))
        let known = try store.query("SELECT id FROM names WHERE tag = ?", [tag]) {
            (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
        }.first
        if let known { return known }
        let number = try nextPlace("names", store)
        try store.run("INSERT INTO names(id, tag) VALUES(?, ?)", [.integer(number), tag])
        return number
    }

    static func tag(of id: MedicationID, _ columns: StoreColumns) -> [UInt8] {
        tag(1, id.rawValue, columns)
    }

    static func tag(of id: DoseEventID, _ columns: StoreColumns) -> [UInt8] {
        tag(2, id.rawValue, columns)
    }

    static func tag(_ kind: UInt8, _ value: UInt128, _ columns: StoreColumns) -> [UInt8] {
        var writer = WireWriter()
        writer.byte(kind)
        writer.uint128(value)
        return columns.lookupTag(writer.bytes)
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
