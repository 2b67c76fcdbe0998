internal import CSQLite

/// Keeps in the file itself that commits are in its log. SQLite takes a file that was moved without
/// its log as an older one, and the mark of the log (`LogMark`) is not moved either.
///
/// The row `log` of `journal_meta` says so. It is the last commit of a log, and is copied into the
/// file with it. The first commit of the next log removes it, in the log. A program that copies
/// that log into the file, or both into another file, therefore removes it too.
extension Database {
    /// Whether the file of a journal, read without its log, says that there is one. It opens and
    /// makes no other file, because an empty log would look like a real one.
    static func callsForLog(
        path: String, fileSystem: String?
    ) throws(SQLiteFailure) -> Bool {
        do throws(SQLiteFailure) {
            return try Database(alone: path, fileSystem: fileSystem).findsCallForLog()
        } catch  where [SQLITE_IOERR, SQLITE_CANTOPEN].contains(error.primaryCode) {
            throw error
        } catch {
            // The check of the whole file reports its fault.
            return false
        }
    }

    /// Opens a file that no connection has open, to read it without its log.
    convenience init(alone path: String, fileSystem: String?) throws(SQLiteFailure) {
        var name = ""
        for byte in path.utf8 {
            let isPlain = byte > 0x20 && byte < 0x7F && !Array("%?#".utf8).contains(byte)
            let digits = String(byte, radix: 16)
            name +=
                isPlain
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }
        try self.init(
            "file:\(name)?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, fileSystem)
    }

    /// Reads whether the row is in the visible contents, and keeps the result.
    @discardableResult
    func findsCallForLog() throws(SQLiteFailure) -> Bool {
        callsForLog =
            try integer("SELECT count(*) FROM journal_meta WHERE name = 'log'") ?? 0 > 0
        return callsForLog
    }

    /// Copies the log into the file, which then says that the next log is needed. If there is no
    /// room for that row, a missing next log is not detected.
    func copyLog(truncating: Bool = false) throws {
        if !callsForLog, !callsNever {
            try unlessFull {
                try transaction(.log) {
                    try run("INSERT OR REPLACE INTO journal_meta VALUES('log', x'01')")
                }
                callsForLog = true
            }
        }
        // With that tag in it, the file would not be the one that the tag is of.
        guard !holdsKeptTag else {
            throw SQLiteFailure(call: "checkpoint", code: SQLITE_FULL, message: "no room")
        }
        try checkpoint(truncating: truncating)
    }

    /// Makes the first commit of a log that the file needs, if it is not made yet. Without it, a
    /// program that copies the log into the file would leave the row there. If that commit is also
    /// the last, it may hold a tag of the contents.
    func beginLog(closing tag: [UInt8]? = nil) throws {
        guard callsForLog || tag != nil else { return }
        try unlessFull {
            try transaction(.log) {
                guard let tag else { return }
                try run("INSERT INTO journal_meta VALUES('closed', ?)", [.blob(tag)])
            }
        }
    }

    /// Copies the log so that the file needs none, and removes the row `log`; writes a tag of the
    /// contents if there is one. True if the log may be removed when the file is closed.
    func endLog(keepingCall: Bool = false, closing tag: [UInt8]? = nil) -> Bool {
        do {
            try copyLog()
            // For tests.
            if keepingCall { return true }
            try beginLog(closing: tag)
        } catch {
            // The next opening copies it.
            return false
        }
        return !callsForLog
    }

    /// Removes the row and the tag. It is part of every transaction: any commit can be the first of
    /// its log, and changes the contents. A tag that was not compared yet stays, as `kept`. It is
    /// of the file without the log, which is not copied before the comparison.
    func takeBackCallForLog() throws(SQLiteFailure) {
        guard callsForLog || holdsContentTag || holdsKeptTag && !keepsContentTag else { return }
        guard keepsContentTag else {
            try run("DELETE FROM journal_meta WHERE name IN ('log', 'closed', 'kept')")
            return
        }
        try run("DELETE FROM journal_meta WHERE name = 'log'")
        try run("UPDATE journal_meta SET name = 'kept' WHERE name = 'closed'")
    }

    /// Runs `body`. A full disk puts it off, and no part of the attempt stays behind the log.
    private func unlessFull(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as SQLiteFailure where error.kind == .diskFull {
            do { try cutLog() } catch  where error.kind == .diskFull {}
        }
    }
}
