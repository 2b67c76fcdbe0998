internal import CSQLite

/// The file itself says when commits stand in its log: SQLite takes a file that was moved without
/// its log for an older one, and what is noted of the log (`LogMark`) does not come along either.
///
/// The word is a row of `journal_meta`, `log`. It is the last commit of a log, and so goes into the
/// file with that; the first commit of the next log takes it back, in the log. Whoever copies that
/// log into the file, or both into another, therefore takes it back, too.
extension Database {
    /// Whether the file of a journal, looked at without its log, says that there is one. Opens
    /// nothing beside it, and makes nothing: an empty log would look like one from here on.
    static func callsForLog(
        path: String, fileSystem: String?
    ) throws(SQLiteFailure) -> Bool {
        do throws(SQLiteFailure) {
            return try Database(alone: path, fileSystem: fileSystem).findsCallForLog()
        } catch  where [SQLITE_IOERR, SQLITE_CANTOPEN].contains(error.primaryCode) {
            throw error
        } catch {
            // What is wrong with it is for those to say who look through all of it.
            return false
        }
    }

    /// Opens a file that nobody has open to read it as it is, without a look at its log.
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

    /// Looks whether the word stands in what is seen of the file, and takes note of it.
    @discardableResult
    func findsCallForLog() throws(SQLiteFailure) -> Bool {
        callsForLog =
            try integer("SELECT count(*) FROM journal_meta WHERE name = 'log'") ?? 0 > 0
        return callsForLog
    }

    /// Copies the log into the file, which calls for the next one from then on. Where there is no
    /// room for that word, the next log is not missed.
    func copyLog(truncating: Bool = false) throws {
        if !callsForLog, !callsNever {
            try unlessFull {
                try transaction(.log) {
                    try run("INSERT OR REPLACE INTO journal_meta VALUES('log', x'01')")
                }
                callsForLog = true
            }
        }
        try checkpoint(truncating: truncating)
    }

    /// Makes the first commit of a log that the file calls for, if it is still to be made: without
    /// it, whoever copies the log into the file would leave the call there. Where that commit is
    /// the last one too, it may hold a tag of the contents.
    func beginLog(closing tag: [UInt8]? = nil) throws {
        guard callsForLog || tag != nil else { return }
        try unlessFull {
            try transaction(.log) {
                guard let tag else { return }
                try run("INSERT INTO journal_meta VALUES('closed', ?)", [.blob(tag)])
            }
        }
    }

    /// Leaves nothing in the log that the file needs, and the file without a call for it, with a
    /// tag of its contents if there is one. Says whether the log may go when the file is closed.
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

    /// Part of every transaction: any commit is the first of its log, and changes the contents.
    func takeBackCallForLog() throws(SQLiteFailure) {
        guard callsForLog || holdsContentTag else { return }
        try run("DELETE FROM journal_meta WHERE name IN ('log', 'closed')")
    }

    /// A full disk puts it off, and leaves nothing of the attempt behind the log.
    private func unlessFull(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as SQLiteFailure where error.kind == .diskFull {
            do { try cutLog() } catch  where error.kind == .diskFull {}
        }
    }
}
