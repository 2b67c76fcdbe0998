internal import WatchProtoCore
internal import WatchProtoSecurity

/// An open journal: the connection, and the state of its rows. Used under the lock of its writer.
final class JournalContents {
    /// One pairing of the file.
    struct Slot {
        let pairing: PairingID
        /// The state of its durable entries; nil before a peer was opened on it.
        var image: JournalImage?
        /// Whether the log holds rows of it.
        var hasRows = false
    }

    let path: String
    let database: Database
    let sealing: any PayloadSealing
    private(set) var slots: [Slot] = []
    var nextSequence: Int64 = 1
    /// The bytes of the rows since the last fold, and of the rows that it wrote.
    var logBytes = 0
    var imageBytes = 0

    /// The pages of room in the write-ahead log.
    var logRoom = 0

    /// The name of this device in pairings; nil before it was first needed.
    var device: DeviceID?
    /// The paired devices by the keys of their rows, with the one in use last.
    var paired: [(rowID: Int64, device: PairedDevice)] = []

    /// The check that the opening left for later; nil once it is done.
    var pending: PendingCheck?

    /// The application's copy of a payload that it has in memory; nil for none.
    var sharedPayload: (@Sendable (RecordKey, [UInt8]) -> [UInt8]?)?

    /// For tests: mutants, bugs planted in it.
    var mutants: Set<JournalMutant> = []

    init(_ database: Database, sealing: any PayloadSealing, path: String) {
        self.database = database
        self.sealing = sealing
        self.path = path
    }

    /// The place of a pairing in ``slots``, made if there is none.
    func slot(of pairing: PairingID) -> Int {
        if let known = slots.firstIndex(where: { $0.pairing == pairing }) { return known }
        slots.append(Slot(pairing: pairing))
        return slots.count - 1
    }

    /// Keeps the state of a pairing's durable entries.
    func keep(_ image: JournalImage?, of pairing: PairingID) {
        slots[slot(of: pairing)].image = image
    }

    // MARK: Rows

    /// Writes entries of a pairing as row `sequence` of the log, in the open transaction.
    private func insert(
        _ body: [UInt8], of pairing: PairingID, sequence: Int64
    ) throws(SQLiteFailure) {
        let place = SealedPlace.row(sequence, of: pairing)
        try database.run(
            "INSERT INTO journal_log(seq, pairing, body) VALUES(?, ?, ?)",
            [
                .integer(sequence), .blob(Self.bytes(pairing)),
                .blob(sealing.seal(body, associatedData: place)),
            ])
        database.extent.lastRow = sequence
        guard mutants.contains(.keepsCopyInClear) else { return }
        try database.run("INSERT OR REPLACE INTO journal_meta VALUES('copy', ?)", [.blob(body)])
    }

    /// Records that the inserted row is durable.
    func inserted(_ bytes: Int, of pairing: PairingID) {
        logBytes += bytes
        nextSequence += 1
        slots[slot(of: pairing)].hasRows = true
    }

    /// Folds durable entries into the image, if there is one.
    func apply(_ entries: [JournalEntry], of pairing: PairingID) {
        slots[slot(of: pairing)].image?.apply(entries)
    }

    /// Folds the whole log.
    func fold() throws { finishRewriting(try database.transaction(.image) { try rewriteLog() }) }

    /// A row that was written.
    struct Row {
        var pairing: PairingID
        var bytes: Int
    }

    /// Writes the entries that `giveEach` gives as rows of a pairing behind `count` new ones, in
    /// the open transaction; at least one row. A row ends when it is longer than ``rowBytes``, so
    /// that a long log is neither written nor read in one piece.
    func insert(
        of pairing: PairingID, after count: Int,
        _ giveEach: (_ add: (JournalEntry) throws -> Void) throws -> Void
    ) throws -> [Row] {
        var rows: [Row] = []
        var body = JournalCoding.emptyBody
        func endRow() throws(SQLiteFailure) {
            try insert(body, of: pairing, sequence: nextSequence + Int64(count + rows.count))
            rows.append(Row(pairing: pairing, bytes: body.count))
            body = JournalCoding.emptyBody
        }
        try giveEach { entry in
            JournalCoding.append([entry], to: &body)
            if body.count > Self.rowBytes { try endRow() }
        }
        if rows.isEmpty || body.count > JournalCoding.emptyBody.count { try endRow() }
        return rows
    }

    private static let rowBytes = 1 << 16

    /// Replaces all rows of each pairing, but those in `gone`, by rows that restore its state, in
    /// the open transaction.
    func rewriteLog(without gone: [PairingID] = []) throws -> [Row] {
        let kept = slots.filter { $0.hasRows && !gone.contains($0.pairing) }
        // Those without an open peer have no image: their entries are read before the rows go.
        let read = try kept.map { $0.image == nil ? try entries(of: $0.pairing) : [] }
        try database.run("DELETE FROM journal_log")
        var rows: [Row] = []
        for (slot, entries) in zip(kept, read) {
            rows += try insert(of: slot.pairing, after: rows.count) { add in
                if let image = slot.image {
                    try image.forEachEntry(add)
                } else {
                    try entries.forEach(add)
                }
            }
        }
        try database.run(
            "INSERT OR REPLACE INTO journal_meta(name, value) VALUES('first row', ?), "
                + "('folded through', ?)",
            [.integer(nextSequence), .integer(nextSequence + Int64(rows.count) - 1)])
        return rows
    }

    /// Records that the rows of ``rewriteLog(without:)`` are durable.
    func finishRewriting(_ rows: [Row]) {
        for index in slots.indices { slots[index].hasRows = false }
        imageBytes = 0
        for row in rows {
            inserted(0, of: row.pairing)
            imageBytes += row.bytes
        }
        logBytes = 0
    }

    static func bytes(_ pairing: PairingID) -> [UInt8] {
        var writer = WireWriter()
        writer.uint128(pairing.rawValue)
        return writer.bytes
    }

    // MARK: Commits without a row

    /// Makes a commit that is as small as possible.
    func countOpening() throws {
        try database.transaction(.opening) { try count("openings") }
    }

    /// The number of commits without a row of the log.
    func changes() throws(SQLiteFailure) -> Int64 { try number("changes") ?? 0 }

    /// Counts a commit without a row of the log, in its transaction.
    func countChange() throws(SQLiteFailure) {
        try count("changes")
        database.extent.changes += 1
    }

    /// A number in the table of facts about the file.
    func number(_ name: String) throws(SQLiteFailure) -> Int64? {
        try database.integer(
            "SELECT value FROM journal_meta WHERE name = ?", [.text(name)])
    }

    private func count(_ name: String) throws(SQLiteFailure) {
        try database.run(
            """
            INSERT INTO journal_meta(name, value) VALUES(?, 1)
            ON CONFLICT(name) DO UPDATE SET value = value + 1
            """, [.text(name)])
    }

    /// Makes the write-ahead log longer if less than a quarter of the room is left; returns whether
    /// it did. A failure here does no harm: if it lasts, the next commit fails too. It never
    /// extends a log without a commit, which may have no header yet.
    func makeRoom(_ options: JournalOptions) -> Bool {
        let ahead = min(options.logPagesAhead, options.logPagesBeforeCheckpoint)
        let pages = database.logPages
        guard ahead > 0, pages > 0, logRoom < pages + (ahead + 3) / 4 else { return false }
        // Tried once for each stretch, also where it fails.
        logRoom = pages + ahead
        return (try? database.extendLog(by: ahead)) != nil
    }
}
