internal import WatchProtoCore
internal import WatchProtoSecurity

/// Reads the rows of a journal.
extension JournalContents {
    /// Reads every row once, and counts the rows and their pairings.
    func readAll() throws {
        nextSequence = try number("first row") ?? 1
        let folded = try number("folded through") ?? 0
        try eachRow("SELECT pairing, seq, body FROM journal_log ORDER BY seq") {
            (pairing, sequence, bytes, _) throws(JournalError) in
            guard sequence == self.nextSequence else {
                throw self.damaged("row \(self.nextSequence) of the log is missing")
            }
            self.inserted(sequence > folded ? bytes : 0, of: pairing)
            if sequence <= folded { self.imageBytes += bytes }
        }
        database.extent = LogMark.Extent(changes: try changes(), lastRow: nextSequence - 1)
        try readKeys()
    }

    /// The state of a pairing's rows, kept up to date from here on. If there are none, the journal
    /// begins with `beginning`.
    func restore(
        _ pairing: PairingID, beginning: [JournalEntry], _ configuration: PeerConfiguration
    ) throws -> JournalImage {
        let place = slot(of: pairing)
        if !slots[place].hasRows, !beginning.isEmpty { try begin(pairing, with: beginning) }
        let image = try image(of: pairing, configuration)
        keep(image, of: pairing)
        return image
    }

    /// The state of a pairing's rows as it is now.
    func image(
        of pairing: PairingID, _ configuration: PeerConfiguration
    ) throws -> JournalImage {
        var image = JournalImage(kinds: configuration.kinds, limits: configuration.limits)
        // A row at a time: all of them take several times the memory of what they amount to.
        try eachRow(of: pairing) { entries in image.apply(entries.map(sharing)) }
        return image
    }

    /// An entry whose payload the application has in memory shares that copy.
    private func sharing(_ entry: JournalEntry) -> JournalEntry {
        guard let sharedPayload, case .received(let record, let disposition, let time) = entry,
            let key = record.key, let payload = sharedPayload(key, record.payload)
        else { return entry }
        return .received(record.with(payload), disposition, at: time)
    }

    private func begin(_ pairing: PairingID, with entries: [JournalEntry]) throws {
        let rows = try database.transaction(.group) {
            try insert(of: pairing, after: 0) { add in try entries.forEach(add) }
        }
        for row in rows { inserted(row.bytes, of: pairing) }
    }

    /// The entries of a pairing, in order.
    func entries(of pairing: PairingID) throws -> [JournalEntry] {
        var all: [JournalEntry] = []
        try eachRow(of: pairing) { all += $0 }
        return all
    }

    private func eachRow(of pairing: PairingID, _ body: ([JournalEntry]) -> Void) throws {
        try eachRow(
            "SELECT pairing, seq, body FROM journal_log WHERE pairing = ? ORDER BY seq",
            [.blob(Self.bytes(pairing))]
        ) { (_, _, _, entries) in body(entries) }
    }

    private func eachRow(
        _ sql: String, _ values: [SQLValue] = [],
        _ body: (PairingID, Int64, Int, [JournalEntry]) throws(JournalError) -> Void
    ) throws {
        _ = try rows(sql, values) { (row: borrowing SQLRow) throws(JournalError) in
            let sequence = row.integer(1)
            let name = row.blob(0)
            var reader = WireReader(name.span)
            guard name.count == 16, let raw = try? reader.uint128("pairing") else {
                throw self.damaged("the pairing of row \(sequence) of the log was altered")
            }
            let (pairing, sealed) = (PairingID(rawValue: raw), row.blob(2))
            let place = SealedPlace.row(sequence, of: pairing)
            guard let bytes = try? self.sealing.open(sealed, associatedData: place) else {
                throw self.damaged(
                    "row \(sequence) of the log was altered (\(sealed.count) bytes)")
            }
            let entries: [JournalEntry]
            do throws(WireError) {
                entries = try JournalCoding.entries(of: bytes.span)
            } catch {
                throw self.damaged("row \(sequence) of the log: \(error)")
            }
            try body(pairing, sequence, bytes.count, entries)
        }
    }

    /// The device's name and the keys of those it is paired with.
    func readKeys() throws {
        let names = try database.query("SELECT value FROM journal_meta WHERE name = 'device'") {
            (row: borrowing SQLRow) throws(SQLiteFailure) in row.blob(0)
        }
        if let row = names.first {
            guard let device = openDevice(row) else {
                throw damaged("the name of this device was altered")
            }
            self.device = device
        }
        paired = try rows("SELECT id, body FROM journal_keys ORDER BY id") {
            (row: borrowing SQLRow) throws(JournalError) in
            let id = row.integer(0)
            guard let device = self.openKeys(row.blob(1), rowID: id) else {
                throw self.damaged(
                    "the keys of row \(id) were altered, or there is no memory for them")
            }
            return (id, device)
        }
    }

    private func rows<Value>(
        _ sql: String, _ values: [SQLValue] = [],
        _ body: (borrowing SQLRow) throws(JournalError) -> Value
    ) throws -> [Value] {
        do throws(RowFailure) {
            return try database.query(sql, values) {
                (row: borrowing SQLRow) throws(RowFailure) in
                do throws(JournalError) {
                    return try body(row)
                } catch {
                    throw .row(error)
                }
            }
        } catch {
            switch error {
            case .row(let error): throw error
            case .database(let failure): throw failure.error(at: path)
            }
        }
    }

    private func damaged(_ detail: String) -> JournalError {
        JournalError(.damaged, path: path, detail)
    }

    /// Why a row was refused or is missing.
    private enum RowFailure: SQLiteFailureConvertible {
        case row(JournalError)
        case database(SQLiteFailure)

        init(_ failure: SQLiteFailure) { self = .database(failure) }
    }
}
