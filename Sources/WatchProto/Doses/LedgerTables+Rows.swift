import WatchProtoCore
package import WatchProtoJournal
package import WatchProtoRecords

/// The rows of a ledger.
extension LedgerTables {
    package func marks(in buckets: ClosedRange<Int>) throws -> [LedgerMark] {
        try file.read { store in
            let columns = store.columns
            return try store.query(
                "SELECT id, body FROM dose_events WHERE bucket BETWEEN ? AND ?",
                [.integer(Int64(buckets.lowerBound)), .integer(Int64(buckets.upperBound))]
            ) { (row: borrowing SQLRow) throws(StoreFailure) in
                let (event, body) = try Self.opened(row, columns)
                return LedgerMark(
                    identity: event.id.rawValue, fingerprint: LedgerDigest.fingerprint(body))
            }
        }
    }

    /// The event in a row that begins with its place and its body.
    static func event(
        _ row: borrowing SQLRow, _ columns: StoreColumns
    ) throws(StoreFailure) -> DoseEvent { try opened(row, columns).event }

    private static func opened(
        _ row: borrowing SQLRow, _ columns: StoreColumns
    ) throws(StoreFailure) -> (event: DoseEvent, body: [UInt8]) {
        let body = try columns.open(row.blob(1), table: table, row: row.integer(0))
        guard let event = try? DoseEvent(decoding: body) else {
            throw StoreFailure("dose event \(row.integer(0)) cannot be read")
        }
        return (event, body)
    }

    /// Adds the event and counts it in its bucket, unless its identity is there.
    static func insert(
        _ event: DoseEvent, _ encoding: [UInt8], _ store: borrowing StoreTransaction
    ) throws {
        let columns = store.columns
        let place =
            try store.query("SELECT coalesce(max(id), 0) + 1 FROM dose_events") {
                (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
            }.first ?? 1
        let fingerprint = LedgerDigest.fingerprint(encoding)
        let bucket = LedgerDigest.bucket(of: fingerprint)
        func whole(_ value: UInt16?) -> SQLValue { value.map { .integer(Int64($0)) } ?? .null }
        let added = try store.run(
            """
            INSERT OR IGNORE INTO dose_events(
                id, tag, bucket, medication, day, entry, status, moment_day, body)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(place), .blob(tag(event.id.rawValue, columns)), .integer(Int64(bucket)),
                .blob(tag(of: event.medication, columns)), whole(event.planned?.day),
                whole(event.planned?.entry), .integer(Int64(event.statusCode)),
                .integer(event.moment.day),
                .blob(columns.seal(encoding, table: table, row: place)),
            ])
        guard added == 1 else { return }
        for replaced in event.replaces {
            try store.run(
                "INSERT INTO dose_replacements(tag, event) VALUES(?, ?)",
                [.blob(tag(replaced.rawValue, columns)), .integer(place)])
        }
        try count(fingerprint, in: bucket, store)
    }

    private static func count(
        _ fingerprint: UInt64, in bucket: Int, _ store: borrowing StoreTransaction
    ) throws {
        let known = try store.query(
            "SELECT count, sum FROM dose_buckets WHERE bucket = ?", [.integer(Int64(bucket))]
        ) { (row: borrowing SQLRow) throws(StoreFailure) in
            LedgerDigest(
                count: UInt32(truncatingIfNeeded: row.integer(0)),
                sum: UInt64(bitPattern: row.integer(1)))
        }.first
        var digest = known ?? LedgerDigest()
        digest.insert(fingerprint)
        try store.run(
            "INSERT OR REPLACE INTO dose_buckets(bucket, count, sum) VALUES(?, ?, ?)",
            [
                .integer(Int64(bucket)), .integer(Int64(digest.count)),
                .integer(Int64(bitPattern: digest.sum)),
            ])
    }

    static func tag(_ identity: UInt128, _ columns: StoreColumns) -> [UInt8] {
        columns.lookupTag(named(table, identity))
    }

    /// The tag of a medication in the column `medication`.
    package static func tag(of medication: MedicationID, _ columns: StoreColumns) -> [UInt8] {
        columns.lookupTag(named(table + 1, medication.rawValue))
    }

    private static func named(_ table: UInt8, _ identity: UInt128) -> [UInt8] {
        var writer = WireWriter([table])
        writer.uint128(identity)
        return writer.bytes
    }

    // MARK: The check

    /// Every event must open, and the columns beside it in clear must agree with it.
    ///
    /// - Throws: `StoreFailure` for the first row that is not as it was written.
    static func check(_ store: borrowing StoreReader) throws {
        let columns = store.columns
        var digests = [LedgerDigest](repeating: LedgerDigest(), count: LedgerDigest.bucketCount)
        var replaced = 0
        _ = try store.query(
            """
            SELECT id, body, tag, bucket, medication, day, entry, status, moment_day
            FROM dose_events
            """
        ) { (row: borrowing SQLRow) throws(StoreFailure) in
            let event = try event(row, columns)
            let what = "dose event \(row.integer(0))"
            guard let encoding = try? event.encoded() else { throw differs("body", what) }
            let fingerprint = LedgerDigest.fingerprint(encoding)
            let bucket = LedgerDigest.bucket(of: fingerprint)
            guard row.blob(2) == tag(event.id.rawValue, columns) else {
                throw differs("tag", what)
            }
            guard row.integer(3) == Int64(bucket) else { throw differs("bucket", what) }
            guard row.blob(4) == tag(of: event.medication, columns) else {
                throw differs("medication", what)
            }
            guard row.number(5) == event.planned.map({ Int64($0.day) }) else {
                throw differs("day", what)
            }
            guard row.number(6) == event.planned.map({ Int64($0.entry) }) else {
                throw differs("entry", what)
            }
            guard row.integer(7) == Int64(event.statusCode) else { throw differs("status", what) }
            guard row.integer(8) == event.moment.day else {
                throw differs("moment_day", what)
            }
            digests[bucket].insert(fingerprint)
            replaced += event.replaces.count
        }
        guard try Self.digests(store) == digests else {
            throw StoreFailure("the digests of the dose ledger are not those of its events")
        }
        let rows = try store.query("SELECT count(*) FROM dose_replacements") {
            (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
        }
        guard rows == [Int64(replaced)] else {
            throw StoreFailure("the replacements of the dose ledger are not those of its events")
        }
    }

    private static func differs(_ column: String, _ what: String) -> StoreFailure {
        StoreFailure("\(what): the column '\(column)' does not say what its event says")
    }
}

extension WallTime {
    /// The day in UTC since 1970, in which the table keeps a moment.
    var day: Int64 {
        let (day, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        return rest < 0 ? day - 1 : day
    }
}

extension SQLRow {
    /// A column as a whole number; nil for no value.
    fileprivate borrowing func number(_ column: Int) -> Int64? {
        isNull(column) ? nil : integer(column)
    }
}
