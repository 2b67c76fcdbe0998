internal import WatchProto
internal import WatchSecurity

/// Reads every row of a journal and folds it.
struct JournalReading {
    var path: String
    var contents: JournalContents

    func readAll() throws {
        try readPairings()
        try rows("SELECT pairing, through_seq, body FROM journal_image") {
            (slot: Int, row: borrowing SQLRow) throws(JournalError) in
            let body = try self.body(row, "the image of pairing \(row.integer(0))")
            contents.slots[slot].image = try decoded("the image of pairing \(row.integer(0))") {
                () throws(WireError) in
                try contents.coding(contents.slots[slot].pairing).image(of: body.span)
            }
            contents.slots[slot].foldedThrough = row.integer(1)
            contents.imageBytes += body.count
            contents.nextSequence = max(contents.nextSequence, row.integer(1) + 1)
        }
        try rows("SELECT pairing, seq, body FROM journal_log ORDER BY seq") {
            (slot: Int, row: borrowing SQLRow) throws(JournalError) in
            let sequence = row.integer(1)
            let body = try self.body(row, "row \(sequence) of the log")
            // Folding empties the whole log: its rows follow the newest image and each other.
            guard sequence == contents.nextSequence else {
                throw damaged("row \(contents.nextSequence) of the log is missing")
            }
            let entries = try decoded("row \(sequence) of the log") { () throws(WireError) in
                try contents.coding(contents.slots[slot].pairing).entries(of: body.span)
            }
            contents.nextSequence = sequence + 1
            contents.logBytes += body.count
            contents.slots[slot].isInLog = true
            guard sequence > contents.slots[slot].foldedThrough else { return }
            for entry in entries { contents.slots[slot].image.apply(entry) }
        }
        contents.database.extent = LogMark.Extent(
            changes: try contents.changes(), lastRow: contents.nextSequence - 1)
    }

    /// The device's name and the keys of those it is paired with; in files that have them.
    func readKeys() throws {
        let found = try contents.database.query(
            "SELECT value FROM journal_meta WHERE name = 'device'"
        ) { (row: borrowing SQLRow) throws(SQLiteFailure) in row.blob(0) }
        if let row = found.first {
            guard let device = contents.openDevice(row) else {
                throw damaged("the name of this device was altered")
            }
            contents.device = device
        }
        contents.paired = try keys()
    }

    private func keys() throws -> [(rowID: Int64, device: PairedDevice)] {
        do throws(RowFailure) {
            return try contents.database.query("SELECT id, body FROM journal_keys ORDER BY id") {
                (row: borrowing SQLRow) throws(RowFailure) in
                let id = row.integer(0)
                guard let device = contents.openKeys(row.blob(1), rowID: id) else {
                    throw RowFailure(
                        damaged(
                            "the keys of row \(id) were altered, or there is no memory for them"))
                }
                return (id, device)
            }
        } catch {
            throw error.error(at: path)
        }
    }

    private func readPairings() throws {
        _ = try contents.database.query("SELECT id, pairing FROM journal_pairings ORDER BY id") {
            (row: borrowing SQLRow) throws(RowFailure) in
            let bytes = JournalRow.open(row.blob(1), pairing: row.integer(0), sequence: 0) ?? []
            var reader = WireReader(bytes.span)
            guard bytes.count == 16, let raw = try? reader.uint128("pairing") else {
                throw RowFailure(damaged("the name of pairing \(row.integer(0)) was altered"))
            }
            contents.slots.append(
                JournalContents.Slot(
                    pairing: PairingID(rawValue: raw), rowID: row.integer(0), isStored: true,
                    image: JournalImage()))
        }
    }

    private func rows(
        _ sql: String, _ body: (Int, borrowing SQLRow) throws(JournalError) -> Void
    ) throws {
        do throws(RowFailure) {
            _ = try contents.database.query(sql) { (row: borrowing SQLRow) throws(RowFailure) in
                let id = row.integer(0)
                guard let slot = contents.slots.firstIndex(where: { $0.rowID == id }) else {
                    throw RowFailure(damaged("a row belongs to pairing \(id), which is missing"))
                }
                do throws(JournalError) { try body(slot, row) } catch { throw RowFailure(error) }
            }
        } catch {
            throw error.error(at: path)
        }
    }

    /// The body in the third column, under the numbers in the first two.
    private func body(_ row: borrowing SQLRow, _ what: String) throws(JournalError) -> [UInt8] {
        let bytes = row.blob(2)
        guard
            let body = contents.openRow(
                bytes, rowID: row.integer(0), sequence: row.integer(1))
        else {
            throw damaged("\(what) was altered (\(bytes.count) bytes)")
        }
        return body
    }

    private func decoded<Value>(
        _ what: String, _ body: () throws(WireError) -> Value
    ) throws(JournalError) -> Value {
        do throws(WireError) { return try body() } catch { throw damaged("\(what): \(error)") }
    }

    private func damaged(_ detail: String) -> JournalError {
        JournalError(.damaged, path: path, detail)
    }

    /// What a row was refused for, or why there was none.
    private enum RowFailure: SQLiteFailureConvertible {
        case row(JournalError)
        case database(SQLiteFailure)

        init(_ failure: SQLiteFailure) { self = .database(failure) }
        init(_ error: JournalError) { self = .row(error) }

        func error(at path: String) -> JournalError {
            switch self {
            case .row(let error): error
            case .database(let failure): failure.error(at: path)
            }
        }
    }
}
