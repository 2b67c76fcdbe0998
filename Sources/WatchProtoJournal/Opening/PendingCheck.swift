internal import CSQLite
internal import Glibc
internal import WatchProtoCore

/// The check of a whole file that its opening left for later.
struct PendingCheck: Sendable {
    let opening: JournalOpening
    /// The log and its mark as the opening found them.
    let log: LogInspection
    let mark: LogMark.Extent?
    /// Whether the file misses a log that it calls for.
    let missesLog: Bool
    /// Whether there was no file of the log; SQLite has made an empty one.
    let madeLog: Bool
    let sealing: any PayloadSealing

    /// Whether the file alone held all contents when it was opened. No byte of it changes before
    /// it was checked, so a connection of its own can read it.
    var readsFileAlone: Bool { log.committedPages == 0 }

    /// Checks the file without its log.
    func check() throws -> JournalContents.Found {
        let database = try Database(
            alone: opening.file, fileSystem: opening.options.fileSystem)
        try database.run("PRAGMA cache_size = -\(max(64, opening.options.pageCacheBytes >> 10))")
        return try check(database)
    }

    /// Checks all contents that a connection sees.
    func check(_ database: Database) throws -> JournalContents.Found {
        try opening.withoutLog(log, mark) {
            try opening.checkPages(database)
            let contents = JournalContents(database, sealing: sealing, path: opening.path)
            try opening.checkRows(contents, log, mark, missesLog)
            return contents.found
        }
    }

    /// Removes the log that SQLite made only for reading.
    func removeEmptyLog() {
        let path = opening.file + "-wal"
        guard madeLog, let (kind, size) = try? FileLook.kind(of: path), kind == .file, size == 0
        else { return }
        _ = unsafe unlink(path)
    }
}

extension JournalContents {
    /// The counts that a check finds.
    struct Found: Sendable {
        var pairings: [PairingID]
        var logBytes: Int
        var imageBytes: Int
    }

    var found: Found {
        Found(
            pairings: slots.filter(\.hasRows).map(\.pairing), logBytes: logBytes,
            imageBytes: imageBytes)
    }

    /// Adopts the counts of a check. No row was added meanwhile.
    func takeUp(_ found: Found) {
        let next = nextSequence
        for pairing in found.pairings { inserted(0, of: pairing) }
        nextSequence = next
        logBytes = found.logBytes
        imageBytes = found.imageBytes
    }

    /// Reads the facts whose number does not grow with the contents.
    func readFacts() throws {
        let last = try database.integer("SELECT max(seq) FROM journal_log") ?? 0
        nextSequence = max(try number("first row") ?? 1, last + 1)
        database.extent = LogMark.Extent(changes: try changes(), lastRow: nextSequence - 1)
        try database.findsCallForLog()
        database.holdsContentTag =
            try database.integer("SELECT count(*) FROM journal_meta WHERE name = 'closed'") == 1
        database.keepsContentTag = true
        try readKeys()
    }
}

extension JournalOpening {
    /// Whether an earlier opening has used the file: its name is durable then.
    func wasUsed() throws(JournalError) -> Bool {
        // 2 is the code of a file with a write-ahead log.
        guard let header = FileLook.bytes(of: file, count: 100), header[18...19] == [2, 2] else {
            return false
        }
        if try FileLook.kind(of: file + "-wal").0 == .file { return true }
        let stores = "SELECT count(*) FROM journal_meta WHERE name LIKE 'store %'"
        let database = try? Database(alone: file, fileSystem: options.fileSystem)
        return (try? database?.integer(stores)) ?? 0 > 0
    }

    /// Whether nothing in the file is to be brought up to date.
    func isUpToDate(_ contents: JournalContents, _ migrator: Migrator) throws -> Bool {
        guard try migrator.journalVersion() == options.schema.count,
            try contents.number("erasing") == nil
        else { return false }
        // The first commit removes the tag of a closed file; one in the log would not be compared.
        if contents.database.logPages > 0, try contents.number("closed") != nil { return false }
        for store in options.stores
        where try migrator.storeVersion(store.name) != store.migrations.count {
            return false
        }
        return true
    }

    /// Makes the changes that an opening with a check makes at once.
    func begin(_ contents: JournalContents) throws {
        contents.database.keepsContentTag = false
        if contents.database.hasRemains {
            try contents.database.cutLog()
            contents.database.hasRemains = false
        }
        try? removeDraft()
        try beginLog(contents)
        _ = contents.makeRoom(options)
    }
}
