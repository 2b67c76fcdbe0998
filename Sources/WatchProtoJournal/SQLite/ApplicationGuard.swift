internal import CSQLite

/// Limits what the statements of the application do: they read, and change the application's own
/// tables. SQLite asks while it prepares a statement, also if it does so again in a later call.
@safe final class ApplicationGuard {
    /// The tables of the library, in lower case, while a statement of the application is prepared
    /// or runs; nil for the statements of the library.
    var protected: Set<String>? { didSet { refusal = nil } }
    /// Why the present statement is refused.
    private(set) var refusal: String?
    /// The application's prepared statements.
    let statements = StatementCache()

    /// Questions about tables, which change nothing. Full-text tables ask the last two themselves.
    private static let questions: Set<String> = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
        "foreign_key_list", "data_version", "page_size",
    ]

    /// Asks this guard about each statement of the connection, which keeps it.
    func watch(_ handle: OpaquePointer) {
        _ = unsafe sqlite3_set_authorizer(
            handle,
            { context, action, first, second, database, _ in
                guard let context = unsafe context else { return SQLITE_DENY }
                let own = unsafe Unmanaged<ApplicationGuard>.fromOpaque(context)
                    .takeUnretainedValue()
                guard let protected = own.protected else { return SQLITE_OK }
                let reason = ApplicationGuard.refusal(
                    action, unsafe ApplicationGuard.text(first),
                    unsafe ApplicationGuard.text(second),
                    in: unsafe ApplicationGuard.text(database), protected)
                own.refusal = own.refusal ?? reason
                return reason == nil ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        guard let text = unsafe text else { return "" }
        return unsafe String(cString: text).lowercased()
    }

    /// Why SQLite may not do that; nil if it may.
    private static func refusal(
        _ action: Int32, _ first: String, _ second: String, in database: String,
        _ protected: Set<String>
    ) -> String? {
        let table: String
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE: return nil
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT:
            return "the transaction is the journal's; give statements on tables only"
        case SQLITE_ATTACH, SQLITE_DETACH:
            return "the journal is one file; keep the application's tables in it"
        case SQLITE_PRAGMA:
            if questions.contains(first) { return nil }
            return "the connection is the journal's, and so is PRAGMA \(first)"
        case SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_VIEW,
            SQLITE_CREATE_TEMP_TRIGGER:
            return "a temporary table would hide one of the file; make a table of the file"
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE,
            SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE, SQLITE_ANALYZE:
            table = first
        // These name the table second.
        case SQLITE_ALTER_TABLE, SQLITE_CREATE_INDEX, SQLITE_DROP_INDEX, SQLITE_CREATE_TRIGGER,
            SQLITE_DROP_TRIGGER:
            table = second
        default: return nil
        }
        // To rename a table, SQLite looks for it in the list of temporary ones, too.
        if database == "temp", table != "sqlite_temp_master" {
            return "a temporary table would hide one of the file; make a table of the file"
        }
        guard table.hasPrefix("journal_") || protected.contains(table) else { return nil }
        return "the table \(table) is the library's; change the application's own tables only"
    }

    /// The refusal of a statement, in place of SQLite's own words.
    func refusal(of sql: String, _ failure: SQLiteFailure) -> SQLiteFailure {
        guard failure.primaryCode == SQLITE_AUTH, let refusal else { return failure }
        return SQLiteFailure(call: sql, code: SQLITE_AUTH, message: refusal)
    }
}

extension Database {
    /// Runs one statement of the application, and returns the result of `body` for each row. Its
    /// author is at fault for a refusal.
    ///
    /// - Parameters:
    ///   - tables: the library's tables beside the journal's own, in lower case, which the
    ///     statement may read and not change.
    ///   - isReading: whether it may change nothing.
    func query<Value, Failure: SQLiteFailureConvertible>(
        _ sql: String, _ values: [SQLValue], protecting tables: Set<String>, isReading: Bool,
        _ body: (borrowing SQLRow) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        application.protected = tables
        defer { application.protected = nil }
        let statement: Statement
        do throws(SQLiteFailure) {
            statement = try preparedForApplication(sql)
            try check(statement, sql, values, isReading: isReading)
        } catch {
            throw Failure(application.refusal(of: sql, error))
        }
        return try rows(of: statement, sql, values, body)
    }

    private func check(
        _ statement: Statement, _ sql: String, _ values: [SQLValue], isReading: Bool
    ) throws(SQLiteFailure) {
        if isReading, !statement.isReadOnly || statement.columnCount == 0 {
            throw Self.misuse(sql, Self.changesStore)
        }
        let count = statement.parameterCount
        guard count == values.count else {
            throw Self.misuse(
                sql,
                "the statement has \(count) parameters, and \(values.count) values were given; "
                    + "give one value for each")
        }
    }

    private func preparedForApplication(_ sql: String) throws(SQLiteFailure) -> Statement {
        if let known = application.statements[sql] { return known }
        guard !sql.utf8.contains(0) else {
            throw Self.misuse(sql, "the text has a NUL, at which SQLite would end it; remove it")
        }
        let (first, length) = try prepare(sql)
        guard let statement = first else { throw Self.misuse(sql, "it is no statement") }
        let rest = String(decoding: sql.utf8.dropFirst(length), as: UTF8.self)
        guard isBlank(rest) else {
            statement.end()
            throw Self.misuse(
                sql, "behind the first statement is '\(rest)'; give one statement in each call")
        }
        application.statements.keep(statement, for: sql)
        return statement
    }

    /// Whether a text has blanks, comments and semicolons only.
    private func isBlank(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while !rest.isEmpty {
            guard let (more, length) = try? prepare(String(decoding: rest, as: UTF8.self)) else {
                return false
            }
            more?.end()
            guard more == nil, length > 0 else { return more == nil }
            rest = rest.dropFirst(length)
        }
        return true
    }

    static let changesStore = "a read must not change the store"

    static func misuse(_ sql: String, _ message: String) -> SQLiteFailure {
        SQLiteFailure(call: sql, code: SQLITE_MISUSE, message: message)
    }
}
