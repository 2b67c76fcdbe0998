internal import CSQLite
internal import WatchProtoTransport

/// One connection to one SQLite file, used by one thread at a time.
@safe final class Database {
    let handle: OpaquePointer
    let pages: UnsafeMutablePointer<Int32>
    private let cache = StatementCache()
    /// Limits the statements of the application.
    let application = ApplicationGuard()
    /// For tests: called before each call of the writer, returns the code with which it fails.
    var fault: JournalFault?
    /// The mark of the durable commits; nil if none is kept.
    var mark: LogMark?
    /// The amount of contents in the file; raised by each addition, in its transaction.
    var extent = LogMark.Extent()
    /// Whether the contents say that commits are in another log, and have a closed file's tag.
    var (callsForLog, holdsContentTag) = (false, false)
    /// Whether the tag is kept until somebody compares it; whether the contents have a kept one.
    var (keepsContentTag, holdsKeptTag) = (false, false)
    /// The path of an adopted log whose pages may not be on the disk; nil once it was written anew.
    var unprovenLog: String?
    /// Whether the remains of a torn commit may stand behind the log. They are removed before
    /// anything is written.
    var hasRemains = false
    /// For tests: the mark is written before the commit; the file never says that it needs a log.
    var (marksEarly, callsNever) = (false, false)

    /// Opens an existing file, or makes it, on SQLite's own file system or the named one.
    convenience init(
        path: String, creating: Bool, fileSystem: String? = nil
    ) throws(SQLiteFailure) {
        let flags = SQLITE_OPEN_READWRITE | (creating ? SQLITE_OPEN_CREATE : 0)
        try self.init(path, flags, fileSystem)
    }

    /// Opens it with these SQLite flags.
    init(_ name: String, _ flags: Int32, _ fileSystem: String?) throws(SQLiteFailure) {
        var opened: OpaquePointer?
        let flags = flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(name, &opened, flags, fileSystem)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let failure = unsafe Self.failure("sqlite3_open_v2", code, opened)
            _ = unsafe sqlite3_close_v2(opened)
            throw failure
        }
        unsafe handle = opened
        unsafe pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        unsafe pages.initialize(to: 0)
        watchLog()
        _ = unsafe watchproto_sqlite_defend(opened)
        unsafe application.watch(opened)
        // Until it is known to be ours and whole, closing must change nothing.
        setsCheckpointOnClose(false)
    }

    deinit {
        cache.removeAll()
        application.statements.removeAll()
        _ = unsafe sqlite3_close_v2(handle)
        unsafe pages.deallocate()
    }

    /// Whether closing copies the write-ahead log into the file and removes it.
    func setsCheckpointOnClose(_ isOn: Bool) {
        _ = unsafe watchproto_sqlite_set_checkpoint_on_close(handle, isOn ? 1 : 0)
    }

    /// Records the length of the write-ahead log after each commit; `wal_autocheckpoint` ends it.
    func watchLog() { unsafe watchproto_sqlite_watch_log(handle, pages) }

    /// Pages in the write-ahead log after the last commit.
    var logPages: Int { Int(unsafe pages.pointee) }

    /// Whether a transaction is open.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Rows changed by the last statement.
    var changedRows: Int { Int(unsafe sqlite3_changes64(handle)) }

    // MARK: Statements

    /// Runs a statement without rows, or whose rows are ignored.
    func run(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteFailure) {
        _ = try query(sql, values) { (_: borrowing SQLRow) throws(SQLiteFailure) in }
    }

    /// Runs a statement and returns the result of `body` for each row.
    func query<Value, Failure: SQLiteFailureConvertible>(
        _ sql: String, _ values: [SQLValue] = [], isReading: Bool = false,
        _ body: (borrowing SQLRow) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        let statement: Statement
        do throws(SQLiteFailure) { statement = try prepared(sql) } catch { throw Failure(error) }
        if isReading, !statement.isReadOnly {
            throw Failure(Self.misuse(sql, Self.changesStore))
        }
        return try rows(of: statement, sql, values, body)
    }

    /// Runs a prepared statement with these values.
    func rows<Value, Failure: SQLiteFailureConvertible>(
        of statement: Statement, _ sql: String, _ values: [SQLValue],
        _ body: (borrowing SQLRow) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        var code = statement.bind(values)
        guard code == SQLITE_OK else { throw Failure(failure(sql, code)) }
        defer { statement.reset() }
        var made: [Value] = []
        while true {
            code = unsafe sqlite3_step(statement.handle)
            if code == SQLITE_DONE { return made }
            guard code == SQLITE_ROW else { throw Failure(failure(sql, code)) }
            made.append(try body(SQLRow(statement: statement)))
        }
    }

    /// The integer in the first column of the first row; nil if there is no row.
    func integer(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteFailure) -> Int64? {
        try query(sql, values) { (row: borrowing SQLRow) throws(SQLiteFailure) in
            row.integer(0)
        }.first
    }

    func prepared(_ sql: String) throws(SQLiteFailure) -> Statement {
        if let known = cache[sql] { return known }
        guard let statement = try prepare(sql).statement else {
            // No failure to SQLite, and none of the disk's.
            throw Self.misuse(sql, "it is no statement")
        }
        cache.keep(statement, for: sql)
        return statement
    }

    // MARK: Transactions

    /// Runs `body` in one transaction that takes the write lock at once.
    func transaction<Value>(
        _ place: JournalFault.Place, _ body: () throws -> Value
    ) throws -> Value {
        try meet(fault: .begin(place))
        if hasRemains {
            try cutLog()
            hasRemains = false
        }
        try proveLog()
        let before = extent
        try run("BEGIN IMMEDIATE")
        do {
            try takeBackCallForLog()
            let value = try body()
            try meet(fault: .commit(place))
            if marksEarly { mark?.note(extent) }
            try run("COMMIT")
            holdsKeptTag = keepsContentTag && (holdsContentTag || holdsKeptTag)
            (callsForLog, holdsContentTag) = (false, false)
            mark?.note(extent)
            return value
        } catch {
            extent = before
            // SQLite may have rolled back by itself.
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Copies the write-ahead log into the file. Nobody reads meanwhile, so all of it is copied.
    func checkpoint(truncating: Bool = false) throws(SQLiteFailure) {
        try meet(fault: .checkpoint)
        try proveLog()
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        guard code == SQLITE_OK else { throw failure("sqlite3_wal_checkpoint_v2", code) }
        unsafe pages.pointee = 0
    }

    /// Reads the file and its log from end to end. Throws the first read that fails.
    func readThrough() throws(SQLiteFailure) {
        let code = unsafe watchproto_sqlite_read_through(handle)
        guard code == SQLITE_OK else { throw failure("reading the file through", code) }
    }

    /// Makes room for `count` more pages in the write-ahead log. A commit that makes the file
    /// longer also waits for the file system's bookkeeping.
    func extendLog(by count: Int) throws(SQLiteFailure) {
        try meet(fault: .extendLog)
        let size = Int64(LogInspection.bytes(ofPages: logPages + count))
        let code = unsafe watchproto_sqlite_extend_log(handle, size)
        guard code == SQLITE_OK else { throw failure("write ahead of the log", code) }
    }

    /// Removes the remains of a commit that failed at its very end behind the last good one. Its
    /// last frame ends a commit, and behind a torn frame it would look like damage (see
    /// `LogInspection`).
    func cutLog() throws(SQLiteFailure) {
        // All of the log is in the file then, and SQLite empties it without needing room.
        guard logPages > 0 else { return try checkpoint(truncating: true) }
        let size = Int64(LogInspection.bytes(ofPages: logPages))
        let code = unsafe watchproto_sqlite_cut_log(handle, size)
        guard code == SQLITE_OK else { throw failure("cut the log", code) }
    }

    private func meet(fault call: JournalFault.Call) throws(SQLiteFailure) {
        guard let code = fault?.code(call) else { return }
        throw SQLiteFailure(call: "\(call)", code: code, message: "a planted fault")
    }

    // MARK: Failures

    func failure(_ call: String, _ code: Int32) -> SQLiteFailure {
        unsafe Self.failure(call, code, handle)
    }

    private static func failure(
        _ call: String, _ code: Int32, _ handle: OpaquePointer?
    ) -> SQLiteFailure {
        var message = "out of memory"
        var systemNumber: Int32 = 0
        if let handle = unsafe handle, let text = unsafe sqlite3_errmsg(handle) {
            message = unsafe String(cString: text)
            // A call on the file itself leaves no message with the connection.
            if unsafe sqlite3_errcode(handle) & 0xFF != code & 0xFF,
                let text = unsafe sqlite3_errstr(code)
            {
                message = unsafe String(cString: text)
            }
            var number = unsafe sqlite3_system_errno(handle)
            let primary = code & 0xFF
            if number == 0, primary == SQLITE_IOERR {
                number = unsafe watchproto_sqlite_file_errno(handle)
            }
            if number != 0, [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL].contains(primary) {
                message += "; \(SystemErrorText.of(number))"
                systemNumber = number
            }
        }
        return SQLiteFailure(
            call: call, code: code, message: message, systemNumber: systemNumber)
    }
}
