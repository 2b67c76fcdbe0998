internal import CPosix
internal import CSQLite
internal import Glibc
internal import WatchProtoCore

/// Opens a journal's file. Everything is checked before anything is changed.
struct JournalOpening: Sendable {
    /// The name in messages.
    let path: String
    /// The path without symbolic links. SQLite puts the log beside the file itself. A program that
    /// uses another name must find that log, and the same claim.
    let file: String
    let options: JournalOptions

    init(path: String, options: JournalOptions) throws(JournalError) {
        self.path = path
        self.options = options
        file = try FileLook.resolved(path)
    }

    /// Claims the file and opens it.
    func open() throws(JournalError) -> (FileLock, JournalContents) {
        guard let journal = OpenJournal.enter(file) else {
            throw JournalError(
                .held, path: path,
                "it is open in this process already, until close() has ended that")
        }
        // A file that is refused gets no lock beside it.
        _ = try look()
        let lock = try claim(journal)
        return (
            lock,
            try attempt {
                // The program that had the claim until now may have made it.
                let isMissing = try look() == .nothing
                if isMissing {
                    try create()
                    journal.wasMade()
                }
                // An earlier opening may have failed between the name and this. SQLite makes a log
                // when it looks into the file, and a log without the file is refused.
                let checksLater = try options.checksLater && !isMissing && wasUsed()
                if !checksLater { try syncDirectory() }
                let contents = try inspectLeavingNothing(checksLater)
                guard contents.pending == nil else {
                    try configure(contents.database)
                    return contents
                }
                // A loss of power may have kept the new name, and brought back the draft beside
                // the old one.
                if !isMissing { try? removeDraft() }
                try prepare(contents)
                return contents
            }
        )
    }

    /// Opens a claimed file again after a failure. One commit shows that it can be written.
    func reopen() throws(JournalError) -> JournalContents {
        try attempt {
            guard try look() == .file else {
                throw JournalError(.system, path: path, "the file is missing")
            }
            let contents = try inspectLeavingNothing(false)
            try prepare(contents)
            try contents.countOpening()
            return contents
        }
    }

    private func attempt(
        _ body: () throws -> JournalContents
    ) throws(JournalError) -> JournalContents {
        do {
            return try body()
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

    // MARK: Reading

    /// Inspects as ``inspect(_:)``, and removes a log that SQLite made only for reading.
    private func inspectLeavingNothing(_ checksLater: Bool) throws -> JournalContents {
        let log = file + "-wal"
        let hadLog = try FileLook.kind(of: log).0 != .nothing
        do {
            return try inspect(checksLater, hadLog: hadLog)
        } catch {
            if !hadLog, try FileLook.kind(of: log) == (.file, 0),
                options.fault?.code(.remove(log)) == nil
            {
                _ = unsafe unlink(log)
            }
            throw error
        }
    }

    /// Reads everything once without changes. SQLite recovers the log of a crash into memory only.
    /// With `checksLater`, and if nothing is to be brought up to date, it reads only what does not
    /// grow with the contents; the rest is pending then.
    private func inspect(_ checksLater: Bool, hadLog: Bool) throws -> JournalContents {
        let log = try inspectLog()
        let mark = LogMark.read(lock: file + "-lock")
        let missesLog = try missesLog()
        if missesLog, mark == nil { throw logIsMissing(nil) }
        return try withoutLog(log, mark) {
            let (contents, migrator) = try read(log, checkingPages: !checksLater)
            if checksLater, try isUpToDate(contents, migrator) {
                try contents.readFacts()
                try compare(contents, log, mark, missesLog)
                contents.database.hasRemains = log.size > 0
                contents.pending = PendingCheck(
                    opening: self, log: log, mark: mark, missesLog: missesLog, madeLog: !hadLog,
                    sealing: contents.sealing)
                return contents
            }
            if checksLater { try checkPages(contents.database) }
            try checkRows(contents, log, mark, missesLog)
            return contents
        }
    }

    /// Reports damage as missing commits where the log may have been copied in part when it went.
    func withoutLog<Value>(
        _ log: LogInspection, _ mark: LogMark.Extent?, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as JournalError
            where error.kind == .damaged && mark != nil && log.committedPages == 0
        {
            throw JournalError(
                .commitsMissing, path: path, "\(log.words), and without it \(error.detail)")
        }
    }

    /// Opens the connection, and refuses a file of another version, owner or key.
    private func read(
        _ log: LogInspection, checkingPages: Bool
    ) throws -> (JournalContents, Migrator) {
        if log.size == 0 { try checkLength() }
        let database = try Database(
            path: file, creating: false, fileSystem: options.fileSystem)
        database.takeUpLog(
            ofPages: log.committedPages,
            options.mutants.contains(.trustsLog) ? nil : file + "-wal")
        // Nobody else may open it, and no index of the log is shared: there is no -shm file.
        try database.run("PRAGMA locking_mode = EXCLUSIVE")
        let migrator = Migrator(path: path, database: database, progress: options.progress)
        if checkingPages { try checkPages(database) }
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
        let contents = JournalContents(database, sealing: try unlock(database), path: path)
        contents.mutants = options.mutants
        return (contents, migrator)
    }

    /// Reads all rows, and compares them with the mark, the stores' own checks and the tag of a
    /// closed file.
    func checkRows(
        _ contents: JournalContents, _ log: LogInspection, _ mark: LogMark.Extent?,
        _ missesLog: Bool
    ) throws {
        try contents.readAll()
        try compare(contents, log, mark, missesLog)
        try contents.database.findsCallForLog()
        let migrator = Migrator(path: path, database: contents.database, progress: { _ in })
        for store in options.stores {
            try check(store, try migrator.storeVersion(store.name), contents)
        }
        let isAsClosed = try contents.areAsClosed { () throws(SQLiteFailure) in
            try Database(alone: file, fileSystem: options.fileSystem)
        }
        guard isAsClosed else {
            throw JournalError(
                .damaged, path: path,
                "somebody without its key has changed it since it was closed: its contents are not "
                    + "those that its tag was made of")
        }
    }

    private func compare(
        _ contents: JournalContents, _ log: LogInspection, _ mark: LogMark.Extent?,
        _ missesLog: Bool
    ) throws {
        let extent = contents.database.extent
        if let mark, extent < mark {
            throw JournalError(
                .commitsMissing, path: path,
                "\(log.words): \(mark) were durable, and there are \(extent)")
        }
        // A mark that says less was on the disk before the power failed.
        if missesLog, mark != extent { throw logIsMissing(extent) }
    }

    private func inspectLog() throws(JournalError) -> LogInspection {
        let log = file + "-wal"
        let (_, size) = try FileLook.kind(of: log)
        let inspection = LogInspection(of: log, size: size)
        if let damage = inspection.damage { throw JournalError(.damaged, path: path, damage) }
        return inspection
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
}
