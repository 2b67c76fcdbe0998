internal import CSQLite

/// The changes that opening makes, once the file is claimed and found whole.
extension JournalOpening {
    /// Configures the connection, brings the schemas up to date and begins a log.
    func prepare(_ contents: JournalContents) throws {
        let database = contents.database
        try configure(database)
        // The log that a crash left is copied before anything new is written: leftovers of a torn
        // commit must not stand behind it (see `LogInspection`).
        try copyLog(database)
        let migrator = Migrator(
            path: path, database: database, progress: options.progress, sealing: contents.sealing,
            notesApart: options.mutants.contains(.migratesApart))
        try migrator.migrateJournal(options.schema)
        for store in options.stores { try migrator.migrate(store) }
        try finishErasing(contents)
        try beginLog(contents)
        _ = contents.makeRoom(options)
    }

    /// Configures the connection.
    func configure(_ database: Database) throws {
        database.fault = options.fault
        try database.run("PRAGMA journal_mode = WAL")
        let isSynced = !options.mutants.contains(.doesNotSync)
        try database.run("PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")")
        try database.run("PRAGMA foreign_keys = ON")
        try database.run("PRAGMA cache_size = -\(max(64, options.pageCacheBytes >> 10))")
        // A page that leaves the cache within a transaction and changes again costs the log all its
        // checksums from there on. A small cache therefore keeps some more of them until the
        // commit. (SQLite takes a multiple of 256 for OFF.)
        try database.run("PRAGMA cache_spill = 255")
        // A statement's own journal stays in memory, not in a file somewhere else.
        try database.run("PRAGMA temp_store = MEMORY")
        try database.run("PRAGMA wal_autocheckpoint = 0")
        database.mark = try LogMark(lock: file + "-lock", fileSystem: options.fileSystem)
        database.marksEarly = options.mutants.contains(.marksBeforeCommit)
        if options.mutants.contains(.leavesErasedBytes) {
            try database.run("PRAGMA secure_delete = OFF")
        }
        database.callsNever = options.mutants.contains(.callsForNoLog)
        // wal_autocheckpoint takes the hook's place.
        database.watchLog()
        let limitBytes = 4 * options.logPagesBeforeCheckpoint * JournalSchema.pageBytes
        try database.run("PRAGMA journal_size_limit = \(limitBytes)")
        if let limit = options.filePageLimit {
            try database.run("PRAGMA max_page_count = \(limit)")
        }
    }

    /// Copies the log into the file, without the remains of a torn commit. If the disk is too full,
    /// the log stays: it can be read without room.
    private func copyLog(_ database: Database) throws {
        try database.cutLog()
        do {
            try database.copyLog(truncating: true)
        } catch let error as SQLiteFailure where error.kind == .diskFull {
            guard database.logPages > 0 else { throw error }
            try database.cutLog()
        }
    }

    /// Writes the file anew. If the disk is too full, the next opening does it.
    private func finishErasing(_ contents: JournalContents) throws {
        do {
            try contents.finishErasing()
        } catch let error as SQLiteFailure where error.kind == .diskFull {
            try contents.database.cutLog()
        }
    }

    /// Makes the first commit of the log, if there is none yet. Room is made only behind a commit.
    /// Without one it would look like a log that somebody overwrote with zeros (see
    /// `LogInspection`).
    func beginLog(_ contents: JournalContents) throws {
        let database = contents.database
        guard database.callsForLog || options.logPagesAhead > 0 && database.logPages == 0 else {
            return
        }
        do {
            try contents.countOpening()
        } catch let error as SQLiteFailure where error.kind == .diskFull {
            // The file can be read without room.
        }
    }
}
