internal import CPosix
internal import CSQLite
internal import Glibc
internal import WatchProtoCore

/// Makes a journal that does not exist yet.
extension JournalOpening {
    /// Makes a new file under another name, and renames it when it is whole.
    func create() throws {
        try refuseOrphan(file + "-wal")
        try refuseOrphan(file + "-journal")
        // The mark there was noted of a file that is gone.
        if LogMark.isSet(lock: file + "-lock") {
            try LogMark(lock: file + "-lock", fileSystem: options.fileSystem)
                .clear(isSynced: !options.mutants.contains(.leavesMarkUnsynced))
        }
        let draft = file + "-new"
        try removeDraft()
        defer { try? removeDraft() }
        try fill(draft, header: try newHeader())
        _ = unsafe chmod(draft, 0o600)
        try meet(.rename(draft, to: file))
        // Never over a file that somebody made without asking for the claim.
        guard unsafe watchproto_rename_new(draft, file) == 0 else {
            if errno == EEXIST {
                throw JournalError(.held, path: path, "another program has just made it")
            }
            throw FileLook.systemError("rename", errno, path)
        }
    }

    /// Makes the file's name durable.
    func syncDirectory() throws {
        guard !options.mutants.contains(.leavesNameUnsynced) else { return }
        let directory = FileLook.directory(of: file)
        try meet(.syncDirectory(directory))
        guard unsafe watchproto_sync_directory(directory) == 0 else {
            throw FileLook.systemError("fsync of the directory", errno, path)
        }
    }

    /// Refuses an old log without its file, because SQLite would apply it to the new file.
    private func refuseOrphan(_ log: String) throws(JournalError) {
        guard try FileLook.kind(of: log).0 != .nothing else { return }
        throw JournalError(
            .damaged, path: path, "the file is missing, but its log '\(log)' is there")
    }

    /// Removes the draft of an interrupted making.
    func removeDraft() throws {
        for ending in ["-new", "-new-wal", "-new-journal", "-new-shm"] {
            let name = file + ending
            guard try FileLook.kind(of: name).0 != .nothing else { continue }
            try meet(.remove(name))
            guard unsafe unlink(name) == 0 else {
                throw FileLook.systemError("unlink '\(name)'", errno, path)
            }
        }
    }

    private func meet(_ call: JournalFault.Call) throws(SQLiteFailure) {
        guard let code = options.fault?.code(call) else { return }
        throw SQLiteFailure(call: "\(call)", code: code, message: "a planted fault")
    }

    private func newHeader() throws(JournalError) -> [UInt8] {
        do throws(PayloadKeyRefusal) {
            return try options.key.unlock(nil).header
        } catch {
            throw JournalError(.wrongKey, path: path, error.description)
        }
    }

    private func fill(_ draft: String, header: [UInt8]) throws {
        let database = try Database(
            path: draft, creating: true, fileSystem: options.fileSystem)
        let isSynced = !options.mutants.contains(.makesUnsynced)
        try database.run("PRAGMA synchronous = \(isSynced ? "FULL" : "OFF")")
        try database.run("PRAGMA application_id = \(JournalSchema.applicationID)")
        try Migrator(path: path, database: database, progress: { _ in })
            .migrateJournal(options.schema)
        try database.run(
            "INSERT INTO journal_meta(name, value) VALUES('sealing', ?)", [.blob(header)])
        if let owner = options.owner {
            try database.run(
                "INSERT INTO journal_meta(name, value) VALUES('owner', ?)", [.blob(owner.bytes)])
        }
        database.setsCheckpointOnClose(true)
        try database.run("PRAGMA journal_mode = WAL")
    }
}
