internal import CPosix
internal import CSQLite
internal import Glibc
internal import WatchProto

/// Opens a journal's file: everything is looked at before anything is changed.
struct JournalOpening {
    /// What it is called in messages.
    let path: String
    /// The same without symbolic links: SQLite puts the log beside the file itself, and whoever
    /// comes by another name must find that log, and the same claim.
    let file: String
    let options: JournalOptions

    init(path: String, options: JournalOptions) throws(JournalError) {
        self.path = path
        self.options = options
        file = try FileLook.resolved(path)
    }

    /// The claim on the file, and what it holds.
    func open() throws(JournalError) -> (FileLock, JournalContents) {
        guard let journal = OpenJournal.enter(file) else {
            throw JournalError(.held, path: path, "it is open in this process already")
        }
        // What is refused as it stands gets no lock beside it.
        _ = try look()
        let lock = try claim(journal)
        // Whoever had the claim until now may have made it.
        let isMissing = try look() == .nothing
        do {
            if isMissing {
                try create()
                journal.wasMade()
            }
            let contents = try inspectLeavingNothing()
            // A loss of power may have kept the new name, and brought back what stood beside the
            // old one.
            if !isMissing { try? removeDraft() }
            try prepare(contents)
            return (lock, contents)
        } catch let error as JournalError {
            throw error
        } catch let error as SQLiteFailure {
            throw error.error(at: path)
        } catch let error as StoreFailure {
            throw JournalError(error.kind, path: path, "a migration failed: \(error)")
        } catch {
            throw JournalError(.storeWrite, path: path, "a migration failed: \(error)")
        }
    }

    private func claim(_ journal: OpenJournal) throws(JournalError) -> FileLock {
        if let code = options.fault?.code(.claim) {
            throw JournalError(.system, path: path, "a planted fault (\(code))")
        }
        return try FileLock(for: file, calledBy: path, journal)
    }

    // MARK: Looking

    /// What stands at the path, where a journal could be opened or made.
    private func look() throws(JournalError) -> FileLook.Kind {
        let (kind, size) = try FileLook.kind(of: file)
        switch kind {
        case .directory:
            throw JournalError(.notAJournal, path: path, "it is a directory")
        case .other:
            throw JournalError(.notAJournal, path: path, "it is not a regular file")
        case .file: try checkHeader(size)
        case .nothing: try checkDirectory()
        }
        return kind
    }

    private func checkHeader(_ size: Int) throws(JournalError) {
        guard let header = FileLook.bytes(of: file, count: 100) else {
            throw FileLook.systemError("open", errno, path)
        }
        let magic = Array("SQLite format 3\0".utf8)
        let isBeginning = header.count < 100 && header.starts(with: magic.prefix(header.count))
        guard !isBeginning else {
            throw JournalError(.damaged, path: path, "it is cut short, at \(size) bytes")
        }
        guard header.starts(with: magic) else {
            throw JournalError(.notAJournal, path: path, "it is not an SQLite file")
        }
        let owner = header[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard owner == JournalSchema.applicationID else {
            throw JournalError(
                .notAJournal, path: path,
                "it is an SQLite file of another application (id \(owner))")
        }
        guard FileLook.canWrite(file) else {
            throw JournalError(.readOnly, path: path, "the file cannot be written")
        }
        try checkDirectory()
    }

    /// Without a log beside it the file must be as long as its header says; SQLite does not miss
    /// pages at the end that are free.
    private func checkLength() throws(JournalError) {
        let (_, size) = try FileLook.kind(of: file)
        guard let header = FileLook.bytes(of: file, count: 100), header.count == 100 else {
            throw JournalError(.damaged, path: path, "it is cut short, at \(size) bytes")
        }
        let pageBytes = Int(header[16]) << 8 | Int(header[17])
        let pages = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
        // A page of 65,536 bytes is written as 1.
        let expected = pages * (pageBytes == 1 ? 65_536 : pageBytes)
        guard size >= expected else {
            throw JournalError(
                .damaged, path: path, "it is cut short, at \(size) of \(expected) bytes")
        }
    }

    private func checkDirectory() throws(JournalError) {
        let directory = FileLook.directory(of: file)
        guard try FileLook.kind(of: directory).0 == .directory else {
            throw JournalError(.system, path: path, "there is no directory '\(directory)'")
        }
        guard FileLook.canWrite(directory) else {
            throw JournalError(
                .readOnly, path: path, "its directory '\(directory)' cannot be written")
        }
    }

    /// As ``inspect()``; a log that SQLite made only to look into goes again.
    private func inspectLeavingNothing() throws -> JournalContents {
        let log = file + "-wal"
        let hadLog = try FileLook.kind(of: log).0 != .nothing
        do {
            return try inspect()
        } catch {
            if !hadLog, try FileLook.kind(of: log) == (.file, 0),
                options.fault?.code(.remove(log)) == nil
            {
                _ = unsafe unlink(log)
            }
            throw error
        }
    }

    /// Reads everything once, changing nothing: SQLite only recovers into memory what a crash left.
    private func inspect() throws -> JournalContents {
        let (kind, size) = try FileLook.kind(of: file + "-wal")
        if kind == .file, let complaint = LogInspection.complaint(about: file + "-wal", size: size)
        {
            throw JournalError(.damaged, path: path, complaint)
        }
        if size == 0 { try checkLength() }
        let database = try Database(
            path: file, creating: false, fileSystem: options.fileSystem)
        // Nobody else may open it, and no index of the log is shared: there is no -shm file.
        try database.run("PRAGMA locking_mode = EXCLUSIVE")
        let migrator = Migrator(path: path, database: database, progress: options.progress)
        try checkPages(database)
        let version = try migrator.journalVersion()
        try migrator.refuseNewer("journal", found: version, known: options.schema.count)
        guard version > 0 else {
            throw JournalError(.damaged, path: path, "it holds no schema")
        }
        for store in options.stores {
            try migrator.refuseNewer(
                store.name, found: try migrator.storeVersion(store.name),
                known: store.migrations.count)
        }
        try checkOwner(database)
        let contents = JournalContents(database, sealing: try unlock(database))
        let reading = JournalReading(path: path, contents: contents)
        try reading.readAll()
        if version >= JournalSchema.versionWithKeys { try reading.readKeys() }
        for store in options.stores {
            try check(store, try migrator.storeVersion(store.name), contents)
        }
        return contents
    }

    private func unlock(_ database: Database) throws -> any PayloadSealing {
        let headers = try database.query("SELECT value FROM journal_meta WHERE name = 'sealing'") {
            (row: borrowing SQLRow) throws(SQLiteFailure) in row.blob(0)
        }
        guard let header = headers.first else {
            throw JournalError(.damaged, path: path, "it does not say how it is sealed")
        }
        do throws(PayloadKeyRefusal) {
            return try options.key.unlock(header).sealing
        } catch {
            throw JournalError(.wrongKey, path: path, error.description)
        }
    }

    // MARK: Changing

    /// From here on the file is ours and whole.
    private func prepare(_ contents: JournalContents) throws {
        let database = contents.database
        database.fault = options.fault
        try database.run("PRAGMA journal_mode = WAL")
        let isSynced = !options.canaries.contains(.doesNotSync)
        try database.run("PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")")
        try database.run("PRAGMA foreign_keys = ON")
        try database.run("PRAGMA cache_size = -\(max(64, options.pageCacheBytes >> 10))")
        // A page that leaves the cache within a transaction and changes again costs the log all its
        // checksums from there on.
        let spillPages = 4 * options.pageCacheBytes / JournalSchema.pageBytes
        try database.run("PRAGMA cache_spill = \(max(256, spillPages))")
        // What a statement may have to take back stays in memory, not in a file somewhere else.
        try database.run("PRAGMA temp_store = MEMORY")
        try database.run("PRAGMA wal_autocheckpoint = 0")
        // What a crash left is copied before anything new is written: leftovers of a torn commit
        // must not stand behind it (see `LogInspection`).
        try database.checkpoint(truncating: true)
        // wal_autocheckpoint takes the hook's place.
        database.watchLog()
        let limitBytes = 4 * options.logPagesBeforeCheckpoint * JournalSchema.pageBytes
        try database.run("PRAGMA journal_size_limit = \(limitBytes)")
        if let limit = options.filePageLimit {
            try database.run("PRAGMA max_page_count = \(limit)")
        }
        let migrator = Migrator(
            path: path, database: database, progress: options.progress, sealing: contents.sealing)
        try migrator.migrateJournal(options.schema)
        for store in options.stores { try migrator.migrate(store) }
        try contents.finishWhatWasBegun()
        try makeRoom(contents)
    }

    /// Room behind the log, after a commit: behind none it would look like a log that somebody
    /// overwrote with zeros (see `LogInspection`).
    private func makeRoom(_ contents: JournalContents) throws {
        guard options.logPagesAhead > 0 else { return }
        do {
            if contents.database.logPages == 0 { try contents.countOpening() }
        } catch let error as SQLiteFailure where error.kind == .diskFull {
            // What is there can be read without room.
        }
        _ = contents.makeRoom(options)
    }
}
