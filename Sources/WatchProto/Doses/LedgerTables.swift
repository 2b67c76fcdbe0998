import WatchProtoCore
package import WatchProtoJournal
package import WatchProtoRecords

/// A ledger in the tables of a journal's file.
///
/// With a key, `body` is sealed and tags are keyed hashes. The other columns stay readable, and
/// none of them names anything.
package struct LedgerTables: LedgerStore {
    /// The file.
    package let file: JournalFile

    /// The ledger in `file`, which was opened with ``schema``.
    package init(_ file: JournalFile) { self.file = file }

    /// The tables of the ledger.
    ///
    /// `dose_events.bucket` is the highest byte of the fingerprint, `status` the code of the
    /// status, 3 for a withdrawal, and `moment_day` the day of the moment, in UTC since 1970: the
    /// hour stays sealed. `dose_replacements` has a row for each event that a later one replaces.
    /// `dose_checks.minute` is that of ``LedgerStore/checks()``.
    package static let schema = StoreSchema(
        name: "doses",
        migrations: [
            Migration(
                adding: "makes the tables of the dose ledger",
                [
                    """
                    CREATE TABLE dose_events(
                        id INTEGER PRIMARY KEY, tag BLOB NOT NULL UNIQUE, bucket INTEGER NOT NULL,
                        medication BLOB NOT NULL, day INTEGER, entry INTEGER,
                        status INTEGER NOT NULL, moment_day INTEGER NOT NULL, body BLOB NOT NULL)
                    """,
                    "CREATE INDEX dose_events_bucket ON dose_events(bucket)",
                    """
                    CREATE INDEX dose_events_slot ON dose_events(medication, day, entry)
                    WHERE day IS NOT NULL
                    """,
                    "CREATE INDEX dose_events_medication ON dose_events(medication)",
                    "CREATE INDEX dose_events_moment ON dose_events(medication, moment_day)",
                    "CREATE INDEX dose_events_day ON dose_events(day, status)",
                    """
                    CREATE TABLE dose_replacements(
                        tag BLOB NOT NULL, event INTEGER NOT NULL, PRIMARY KEY(tag, event))
                    WITHOUT ROWID
                    """,
                    """
                    CREATE TABLE dose_buckets(
                        bucket INTEGER PRIMARY KEY, count INTEGER NOT NULL, sum INTEGER NOT NULL)
                    """,
                    """
                    CREATE TABLE dose_checks(pairing BLOB PRIMARY KEY, minute INTEGER NOT NULL)
                    WITHOUT ROWID
                    """,
                ])
        ], check: { store, _ in try check(store) })

    /// Names the table among those whose columns are sealed.
    static let table: UInt8 = 0x71

    /// Erases everything: the ledger belongs to another person.
    package static let deleteAll = [
        "dose_events", "dose_replacements", "dose_buckets", "dose_checks",
    ].map { SQLWrite("DELETE FROM \($0)") }

    package func event(_ identity: UInt128) throws -> [UInt8]? {
        try file.read { store in
            let columns = store.columns
            return try store.query(
                "SELECT id, body FROM dose_events WHERE tag = ?",
                [.blob(Self.tag(identity, columns))]
            ) { (row: borrowing SQLRow) throws(StoreFailure) in
                try columns.open(row.blob(1), table: Self.table, row: row.integer(0))
            }.first
        }
    }

    package func digests() throws -> [LedgerDigest] {
        try file.read { store in try Self.digests(store) }
    }

    static func digests(_ store: borrowing StoreReader) throws(StoreFailure) -> [LedgerDigest] {
        let rows = try store.query("SELECT bucket, count, sum FROM dose_buckets") {
            (row: borrowing SQLRow) throws(StoreFailure) in
            (Int(row.integer(0)), row.integer(1), row.integer(2))
        }
        var digests = [LedgerDigest](repeating: LedgerDigest(), count: LedgerDigest.bucketCount)
        for (bucket, count, sum) in rows where digests.indices.contains(bucket) {
            digests[bucket] = LedgerDigest(
                count: UInt32(truncatingIfNeeded: count), sum: UInt64(bitPattern: sum))
        }
        return digests
    }

    package func events(of slot: DoseSlot) throws -> [DoseEvent] {
        try file.read { store in
            try Self.events(
                in: store, of: Self.tag(of: slot.medication, store.columns), day: slot.day,
                entry: slot.entry)
        }
    }

    /// The events of one slot, by the tag of its medication.
    ///
    /// - Throws: `StoreFailure`; the file is at fault.
    package static func events(
        in store: borrowing StoreReader, of tag: [UInt8], day: UInt16, entry: UInt16
    ) throws(StoreFailure) -> [DoseEvent] {
        let columns = store.columns
        return try store.query(
            """
            SELECT id, body FROM dose_events WHERE medication = ? AND day = ? AND entry = ?
            ORDER BY id
            """, [.blob(tag), .integer(Int64(day)), .integer(Int64(entry))]
        ) { (row: borrowing SQLRow) throws(StoreFailure) in try event(row, columns) }
    }

    package func events(on days: ClosedRange<UInt16>) throws -> [DoseEvent] {
        try events(
            "SELECT id, body FROM dose_events WHERE day BETWEEN ? AND ? ORDER BY id",
            { _ in [.integer(Int64(days.lowerBound)), .integer(Int64(days.upperBound))] })
    }

    package func events(
        of medication: MedicationID, at moments: ClosedRange<WallTime>
    ) throws -> [DoseEvent] {
        let days = [moments.lowerBound, moments.upperBound].map { SQLValue.integer($0.day) }
        return try events(
            Self.onDays, { [.blob(Self.tag(of: medication, $0))] + days }
        ).filter { moments.contains($0.moment) }
    }

    package func events(replacing identity: UInt128) throws -> [DoseEvent] {
        try events(
            """
            SELECT id, body FROM dose_events
            WHERE id IN (SELECT event FROM dose_replacements WHERE tag = ?) ORDER BY id
            """, { [.blob(Self.tag(identity, $0))] })
    }

    private func events(
        _ sql: String, _ values: (StoreColumns) -> [SQLValue]
    ) throws -> [DoseEvent] {
        try file.read { store in
            let columns = store.columns
            return try store.query(sql, values(columns)) {
                (row: borrowing SQLRow) throws(StoreFailure) in
                try Self.event(row, columns)
            }
        }
    }

    package func newest(
        of medication: MedicationID?, before place: Int64?, limit: Int
    ) throws -> [(place: Int64, encoding: [UInt8])] {
        try file.read { store in
            let columns = store.columns
            let tag = medication.map { [SQLValue.blob(Self.tag(of: $0, columns))] } ?? []
            return try store.query(
                medication == nil ? Self.newest : Self.newestOfOne,
                tag + [.integer(place ?? .max), .integer(Int64(limit))]
            ) { (row: borrowing SQLRow) throws(StoreFailure) in
                let place = row.integer(0)
                return (place, try columns.open(row.blob(1), table: Self.table, row: place))
            }
        }
    }

    package static let onDays = """
        SELECT id, body FROM dose_events WHERE medication = ? AND moment_day BETWEEN ? AND ?
        """
    static let newest = "SELECT id, body FROM dose_events WHERE id < ? ORDER BY id DESC LIMIT ?"
    static let newestOfOne = """
        SELECT id, body FROM dose_events WHERE medication = ? AND id < ? ORDER BY id DESC LIMIT ?
        """

    package func removeAll() -> [SQLWrite] { Self.deleteAll }
    package func write(_ writes: [SQLWrite]) throws(JournalError) { try file.write(writes) }
    package func reopen() throws(JournalError) { try file.reopen() }
    package func flush() throws(JournalError) { try file.flush() }

    package func checks() throws -> [PairingID: WallMinute] {
        try file.read { store in
            let rows = try store.query("SELECT pairing, minute FROM dose_checks") {
                (row: borrowing SQLRow) throws(StoreFailure) in (row.blob(0), row.integer(1))
            }
            return Dictionary(
                rows.compactMap { pairing, minute in
                    var reader = WireReader(pairing.span)
                    guard let value = try? reader.uint128("a pairing") else { return nil }
                    return (
                        PairingID(rawValue: value), WallMinute(minutes: Int32(clamping: minute))
                    )
                }, uniquingKeysWith: min)
        }
    }

    package func checked(_ pairing: PairingID, at minute: WallMinute?) -> [SQLWrite] {
        var writer = WireWriter()
        writer.uint128(pairing.rawValue)
        let key = SQLValue.blob(writer.bytes)
        guard let minute else {
            return [SQLWrite("DELETE FROM dose_checks WHERE pairing = ?", [key])]
        }
        let values = [key, .integer(Int64(minute.minutes))]
        return [
            SQLWrite("INSERT OR REPLACE INTO dose_checks(pairing, minute) VALUES(?, ?)", values)
        ]
    }

    package func insertion(_ event: DoseEvent, _ encoding: [UInt8]) -> [SQLWrite] {
        [Self.insertion(event, encoding)]
    }

    package func insertion(of events: EncodedEvents) -> [SQLWrite] {
        let write = SQLWrite { store in
            for encoding in events {
                try Self.insert(DoseEvent(decoding: encoding), encoding, store)
            }
        }
        return [write]
    }

    package func inserted(_ event: DoseEvent, _ encoding: [UInt8]) {}

    /// The write that adds an event.
    package static func insertion(_ event: DoseEvent, _ encoding: [UInt8]) -> SQLWrite {
        SQLWrite { store in try insert(event, encoding, store) }
    }
}
