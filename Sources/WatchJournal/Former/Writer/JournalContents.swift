internal import WatchProto
internal import WatchSecurity

/// An open journal: the connection, and what its rows amount to. Used under the lock of its writer.
final class JournalContents {
    /// One pairing of the file.
    struct Slot {
        var pairing: PairingID
        /// Its key in the tables.
        var rowID: Int64
        /// Whether it stands in the tables already.
        var isStored: Bool
        /// What its durable entries amount to.
        var image: JournalImage
        /// Whether the log holds rows of it.
        var isInLog = false
        /// The last row of the log that the stored image holds.
        var foldedThrough: Int64 = 0
    }

    let database: Database
    let sealing: any PayloadSealing
    var slots: [Slot] = []
    var nextSequence: Int64 = 1
    /// Bytes of all rows of the log, and of all images.
    var logBytes = 0
    var imageBytes = 0

    /// Pages the write-ahead log has room for without growing.
    var logRoom = 0

    /// What this device is called when it pairs; nil before it was asked for.
    var device: DeviceID?
    /// The devices it is paired with, by the keys of their rows, the one in use
    /// last.
    var paired: [(rowID: Int64, device: PairedDevice)] = []

    /// For tests: bugs planted in it.
    var canaries: Set<JournalCanary> = []

    init(_ database: Database, sealing: any PayloadSealing) {
        self.database = database
        self.sealing = sealing
    }

    /// The slot of a pairing, made if need be; nothing is written before its first entry.
    func slot(of pairing: PairingID) -> Int {
        if let known = slots.firstIndex(where: { $0.pairing == pairing }) { return known }
        let highest = slots.map(\.rowID).max() ?? 0
        slots.append(
            Slot(
                pairing: pairing, rowID: highest + 1, isStored: false, image: JournalImage()))
        return slots.count - 1
    }

    /// Whether rows are taken that are sealed in their payloads alone: an older schema wrote them,
    /// and they have not been sealed anew yet.
    var takesRowsSealedInPart = false

    /// How the journal of a pairing is written as bytes.
    func coding(_ pairing: PairingID) -> JournalCoding {
        let sealing = sealing
        // Without a seal nobody asks for the place.
        guard !(sealing is UnsealedPayloads) else { return JournalCoding(pairing: pairing) }
        return JournalCoding(pairing: pairing) {
            try? sealing.open($0, associatedData: $1.associatedData)
        }
    }

    /// Makes the write-ahead log longer when less than a quarter of the room ahead is left; says
    /// whether it did. What fails here does no harm: if it lasts, the next commit meets it too.
    /// Never behind a log without a commit, which may have no header yet.
    func makeRoom(_ options: JournalOptions) -> Bool {
        let ahead = min(options.logPagesAhead, options.logPagesBeforeCheckpoint)
        let pages = database.logPages
        guard ahead > 0, pages > 0, logRoom < pages + (ahead + 3) / 4 else { return false }
        // Tried once for each stretch, also where it fails.
        logRoom = pages + ahead
        return (try? database.extendLog(by: ahead)) != nil
    }

    /// A commit as small as any.
    func countOpening() throws {
        try database.transaction(.opening) {
            try database.run(
                """
                INSERT INTO journal_meta(name, value) VALUES('openings', 1)
                ON CONFLICT(name) DO UPDATE SET value = value + 1
                """)
        }
    }

    /// Commits that left no row of the log.
    func changes() throws(SQLiteFailure) -> Int64 {
        try database.integer("SELECT value FROM journal_meta WHERE name = 'changes'") ?? 0
    }

    /// Makes a commit count that leaves no row of the log, in its transaction.
    func countChange() throws(SQLiteFailure) {
        try database.run(
            """
            INSERT INTO journal_meta(name, value) VALUES('changes', 1)
            ON CONFLICT(name) DO UPDATE SET value = value + 1
            """)
        database.extent.changes += 1
    }

    // MARK: Rows

    func store(_ slot: Int) throws(SQLiteFailure) {
        guard !slots[slot].isStored else { return }
        var writer = WireWriter()
        writer.uint128(slots[slot].pairing.rawValue)
        let row = JournalRow.seal(writer.bytes, pairing: slots[slot].rowID, sequence: 0)
        try database.run(
            "INSERT INTO journal_pairings(id, pairing) VALUES(?, ?)",
            [.integer(slots[slot].rowID), .blob(row)])
    }

    func insert(_ body: [UInt8], slot: Int, sequence: Int64) throws(SQLiteFailure) {
        let row = sealedRow(body, rowID: slots[slot].rowID, sequence: sequence)
        try database.run(
            "INSERT INTO journal_log(seq, pairing, body) VALUES(?, ?, ?)",
            [.integer(sequence), .integer(slots[slot].rowID), .blob(row)])
        guard canaries.contains(.keepsCopyInClear) else { return }
        try database.run("INSERT OR REPLACE INTO journal_meta VALUES('copy', ?)", [.blob(body)])
    }

    /// Folds the whole log into new images of the pairings it speaks of, and empties it.
    func fold() throws {
        try database.transaction(.image) {
            for slot in slots where slot.isInLog {
                let row = sealedRow(
                    coding(slot.pairing).encoded(slot.image), rowID: slot.rowID,
                    sequence: nextSequence - 1)
                try database.run(
                    """
                    INSERT OR REPLACE INTO journal_image(pairing, through_seq, body)
                    VALUES(?, ?, ?)
                    """,
                    [.integer(slot.rowID), .integer(nextSequence - 1), .blob(row)])
            }
            try database.run("DELETE FROM journal_log")
        }
        for index in slots.indices where slots[index].isInLog {
            slots[index].isInLog = false
            slots[index].foldedThrough = nextSequence - 1
        }
        logBytes = 0
        imageBytes = Int(
            clamping: try database.integer("SELECT total(length(body)) FROM journal_image") ?? 0)
    }
}
