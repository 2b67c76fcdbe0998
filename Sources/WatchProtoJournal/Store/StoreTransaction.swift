internal import CSQLite
import WatchProtoTransport

/// The open transaction of an ``SQLWrite``. Its changes become durable together with the journal
/// entries beside it.
package struct StoreTransaction: ~Copyable {
    private let database: Database
    private let sealing: any PayloadSealing

    init(_ database: Database, sealing: any PayloadSealing) {
        self.database = database
        self.sealing = sealing
    }

    /// Seals and opens columns that nobody else may read, with the journal's key.
    package var columns: StoreColumns { StoreColumns(sealing: sealing) }

    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - sql: one statement, kept prepared; write values as `?`.
    ///   - values: the values for its parameters, in order.
    /// - Returns: how many rows it changed.
    /// - Throws: ``StoreFailure``.
    @discardableResult
    package func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreFailure) -> Int {
        _ = try query(sql, values) { (_: borrowing SQLRow) throws(StoreFailure) in }
        return database.changedRows
    }

    /// Runs one statement and returns the result of `body` for each of its rows.
    ///
    /// - Throws: ``StoreFailure``, or the error of `body`.
    package func query<Value>(
        _ sql: String, _ values: [SQLValue] = [],
        _ body: (borrowing SQLRow) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> [Value] {
        try demandTransaction(sql)
        try database.refuseControl(sql)
        let made = try database.query(sql, values, body)
        precondition(
            database.isInTransaction, "a store write ended the journal's transaction: \(sql)")
        return made
    }

    /// Runs one statement of the application. It may change the application's own tables only.
    ///
    /// - Parameters:
    ///   - sql: one statement, kept prepared.
    ///   - values: a value for each of its parameters, in order.
    ///   - tables: the names of the library's tables beside the journal's own, in lower case.
    /// - Throws: ``StoreFailure``.
    package func run(
        _ sql: String, _ values: [SQLValue], protecting tables: Set<String>
    ) throws(StoreFailure) {
        try demandTransaction(sql)
        _ = try database.query(sql, values, protecting: tables, isReading: false) {
            (_: borrowing SQLRow) throws(StoreFailure) in
        }
    }

    /// SQLite itself ends a transaction on some failures of the disk. A write that ignores one must
    /// not continue outside it: it would be durable without the journal's entries.
    private func demandTransaction(_ sql: String) throws(StoreFailure) {
        guard !database.isInTransaction else { return }
        throw StoreFailure(
            SQLiteFailure(
                call: sql, code: SQLITE_ABORT,
                message: "a statement before it failed, which was passed over, and ended "
                    + "the transaction"))
    }
}

extension Database {
    /// Refuses COMMIT, ROLLBACK, SAVEPOINT and the like, which read nothing and change no row.
    ///
    /// - Throws: ``StoreFailure``; the author of the statement is at fault.
    fileprivate func refuseControl(_ sql: String) throws(StoreFailure) {
        do throws(SQLiteFailure) {
            let statement = try prepared(sql)
            guard statement.isReadOnly, statement.columnCount == 0 else { return }
            throw SQLiteFailure(
                call: sql, code: SQLITE_MISUSE,
                message: "the transaction is the journal's; give statements on tables only")
        } catch {
            throw StoreFailure(error)
        }
    }
}

/// Reads the store between transactions.
package struct StoreReader: ~Copyable {
    private let database: Database
    private let sealing: any PayloadSealing

    init(_ database: Database, sealing: any PayloadSealing) {
        self.database = database
        self.sealing = sealing
    }

    /// Opens sealed columns, with the journal's key.
    package var columns: StoreColumns { StoreColumns(sealing: sealing) }

    /// Runs one statement that changes nothing, and returns the result of `body` for each of its
    /// rows.
    ///
    /// - Throws: ``StoreFailure``, or the error of `body`.
    package func query<Value>(
        _ sql: String, _ values: [SQLValue] = [],
        _ body: (borrowing SQLRow) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> [Value] {
        try database.query(sql, values, isReading: true, body)
    }

    /// Runs one statement of the application as ``query(_:_:_:)`` does. It may read every table.
    ///
    /// - Parameters:
    ///   - sql: one statement, kept prepared.
    ///   - values: a value for each of its parameters, in order.
    ///   - body: reads a row.
    /// - Throws: ``StoreFailure``, or the error of `body`.
    package func queryForApplication<Value>(
        _ sql: String, _ values: [SQLValue],
        _ body: (borrowing SQLRow) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> [Value] {
        try database.query(sql, values, protecting: [], isReading: true, body)
    }
}

/// A failed statement of the store, or the reason for which its rows were refused.
package struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failure and its cause.
    package var description: String
    /// SQLite's extended result code; 0 if SQLite did not refuse.
    package var code: Int32
    /// The kind of the error: another one if the disk or the file is at fault, and not the
    /// statement.
    var kind = JournalError.Kind.storeWrite

    /// Whether the statement is at fault; else the disk or the file is.
    package var isOfTheStatement: Bool { kind == .storeWrite }

    /// Refuses the contents of a row.
    package init(_ description: String) {
        self.description = description
        code = 0
    }
}

extension StoreFailure: SQLiteFailureConvertible {
    init(_ failure: SQLiteFailure) {
        description = failure.text
        code = failure.code
        if failure.isOfTheDisk { kind = failure.kind }
    }
}

/// A change to the application's tables in a ``JournalFile``, in the transaction of the journal
/// entries that it was given with.
///
/// It runs on the journal's writer thread, and must not fail because of the data that it finds. If
/// it throws, the transaction is rolled back, and the journal accepts nothing more until it is
/// opened again. Statements of an application are given as ``ofApplication(deciding:_:)``.
package struct SQLWrite: StoreWrite {
    /// The part of a write that an application's statements have.
    struct Trial {
        /// Whether the write goes with the application's word on a record.
        var decides: Bool
        /// Called when a statement failed, on the journal's thread.
        var failed: @Sendable (StoreFailure) -> Void
    }

    let body: @Sendable (borrowing StoreTransaction) throws -> Void
    /// Nil for a write that must not fail.
    private(set) var trial: Trial?

    /// Makes a write that runs `body`.
    package init(_ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Void) {
        self.body = body
    }

    /// Makes the write of one statement.
    package init(_ sql: String, _ values: [SQLValue] = []) {
        body = { store in try store.run(sql, values) }
    }

    /// The same write as one that may fail because of its statements: then it counts for nothing,
    /// and the journal stays open.
    ///
    /// - Parameters:
    ///   - decides: whether it was given together with the application's word on a record. Then
    ///     that word counts for nothing either: the batch is reported as failed, and the record is
    ///     pending when the pairing is restored. Everything else of the batch is durable, and so
    ///     are the later batches of the pairing, which are reported as failed as well.
    ///   - failed: called with the reason, on the journal's thread.
    package func ofApplication(
        deciding decides: Bool, _ failed: @escaping @Sendable (StoreFailure) -> Void = { _ in }
    ) -> SQLWrite {
        var write = self
        write.trial = Trial(decides: decides, failed: failed)
        return write
    }
}
