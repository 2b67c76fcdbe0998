internal import CSQLite

/// A prepared statement. Belongs to its ``Database``, which outlives it.
@safe struct Statement {
    let handle: OpaquePointer

    /// Whether the statement changes nothing.
    var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }

    var columnCount: Int { Int(unsafe sqlite3_column_count(handle)) }

    /// The number of the values that it takes.
    var parameterCount: Int { Int(unsafe sqlite3_bind_parameter_count(handle)) }

    func bind(_ values: [SQLValue]) -> Int32 {
        for (index, value) in values.enumerated() {
            let code = bind(value, at: Int32(index + 1))
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    private func bind(_ value: SQLValue, at place: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(handle, place)
        case .integer(let number): return unsafe sqlite3_bind_int64(handle, place, number)
        case .real(let number): return unsafe sqlite3_bind_double(handle, place, number)
        case .text(let text):
            var text = text
            return text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                    unsafe watchproto_sqlite_bind_text(
                        handle, place, bytes.baseAddress, UInt64(bytes.count))
                }
            }
        case .blob(let bytes):
            return unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe watchproto_sqlite_bind_blob(
                    handle, place, bytes.baseAddress, UInt64(bytes.count))
            }
        }
    }

    func reset() {
        _ = unsafe sqlite3_reset(handle)
        _ = unsafe sqlite3_clear_bindings(handle)
    }

    /// Frees the statement, which nobody uses any more.
    func end() { _ = unsafe sqlite3_finalize(handle) }
}

/// Prepared statements by their text.
final class StatementCache {
    /// The number of statements that are kept. A store that uses more prepares them anew.
    static let limit = 200

    private var statements: [String: Statement] = [:]

    subscript(sql: String) -> Statement? { statements[sql] }

    func keep(_ statement: Statement, for sql: String) {
        if statements.count >= Self.limit { removeAll() }
        statements[sql] = statement
    }

    func removeAll() {
        for statement in statements.values { statement.end() }
        statements = [:]
    }
}

extension Database {
    /// Prepares the first statement of a text.
    ///
    /// - Returns: the statement, nil for none, and the bytes of the text up to its end.
    func prepare(
        _ sql: String
    ) throws(SQLiteFailure) -> (statement: Statement?, length: Int) {
        var (text, length) = (sql, 0)
        var made: OpaquePointer?
        let code = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                var tail: UnsafePointer<CChar>?
                let code = unsafe sqlite3_prepare_v3(
                    handle, bytes.baseAddress, Int32(clamping: bytes.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT), &made, &tail)
                if let start = bytes.baseAddress, let tail = unsafe tail {
                    length = unsafe start.distance(to: tail)
                }
                return code
            }
        }
        guard code == SQLITE_OK else { throw failure(sql, code) }
        guard let made = unsafe made else { return (nil, length) }
        return (unsafe Statement(handle: made), length)
    }
}

/// The current row of a query. Valid inside the closure that receives it.
package struct SQLRow: ~Copyable {
    let statement: Statement

    /// Whether a column holds no value.
    package func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(statement.handle, checked(column)) == SQLITE_NULL
    }

    /// A column as a whole number; 0 for no value.
    package func integer(_ column: Int) -> Int64 {
        unsafe sqlite3_column_int64(statement.handle, checked(column))
    }

    /// A column as a floating-point number; 0 for no value.
    package func real(_ column: Int) -> Double {
        unsafe sqlite3_column_double(statement.handle, checked(column))
    }

    /// A column as text; empty for no value.
    package func text(_ column: Int) -> String {
        let place = checked(column)
        guard let bytes = unsafe sqlite3_column_text(statement.handle, place) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(statement.handle, place))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// A column as bytes; empty for no value.
    package func blob(_ column: Int) -> [UInt8] {
        let place = checked(column)
        guard let bytes = unsafe sqlite3_column_blob(statement.handle, place) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(statement.handle, place))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Every column, with its own type.
    package var values: [SQLValue] {
        (0..<statement.columnCount).map { column in
            switch unsafe sqlite3_column_type(statement.handle, Int32(column)) {
            case SQLITE_INTEGER: .integer(integer(column))
            case SQLITE_FLOAT: .real(real(column))
            case SQLITE_TEXT: .text(text(column))
            case SQLITE_BLOB: .blob(blob(column))
            default: .null
            }
        }
    }

    private func checked(_ column: Int) -> Int32 {
        precondition(
            column >= 0 && column < statement.columnCount,
            "column \(column) of a row with \(statement.columnCount)")
        return Int32(column)
    }
}
