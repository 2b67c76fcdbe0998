import WatchProtoJournal
import WatchProtoTransport

/// Changes of the application's own tables in the transaction of a record. All of them become
/// durable together with the record, or none does.
public struct JournalTransaction {
    private var statements: [(sql: String, values: [SQLValue])] = []

    var isEmpty: Bool { statements.isEmpty }

    /// The statements as one write: all of them count, or none.
    var write: SQLWrite {
        let statements = statements
        return SQLWrite { store in
            for (sql, values) in statements {
                try store.run(sql, values, protecting: DeviceStorage.ownTables)
            }
        }
    }

    /// Adds a statement. Values are stored in clear, whatever key the journal has. It runs when the
    /// record's transaction is written, in the order of the calls. If it fails then, no statement
    /// of the record counts, and the record is rejected with ``Rejection/statementFailed``. Its
    /// session begins anew for that. No other record waits or is lost.
    ///
    /// A statement changes the application's tables only. One that changes a table of the library,
    /// the transaction, the connection or a temporary table fails.
    ///
    /// - Parameters:
    ///   - sql: one statement; values stand in it as `?`. More than one statement fails.
    ///   - values: one value for each `?`, in order.
    public mutating func run(_ sql: String, _ values: JournalValue...) {
        statements.append((sql, values.map(\.sql)))
    }
}

/// A value of a statement or of a row.
public enum JournalValue: Hashable, Sendable {
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A text.
    case text(String)
    /// Bytes.
    case bytes([UInt8])
    /// No value.
    case null

    var sql: SQLValue {
        switch self {
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .text(text)
        case .bytes(let bytes): .blob(bytes)
        case .null: .null
        }
    }

    init(_ value: SQLValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .text(let text): self = .text(text)
        case .blob(let bytes): self = .bytes(bytes)
        case .null: self = .null
        }
    }
}

/// A statement on the application's tables that failed: the statement is at fault, or the file is.
public struct TableError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed statement and the reason.
    public let description: String
}

extension DeviceStorage {
    /// The tables of ``schemas``, which the application's statements may not change.
    static let ownTables: Set<String> = [
        "stored_values", "dose_events", "dose_replacements", "dose_buckets", "dose_checks",
        "complication_plans",
    ]

    /// The application's tables, each statement a step.
    static func tables(_ statements: [String]) -> [StoreSchema] {
        guard !statements.isEmpty else { return [] }
        let steps = statements.enumerated().map { number, statement in
            Migration(rewriting: "step \(number + 1) of the application's tables") { store, _ in
                try store.run(statement, [], protecting: ownTables)
            }
        }
        return [StoreSchema(name: "application", migrations: steps)]
    }
}

extension CompanionSession {
    /// The rows that a statement finds in the application's tables. Everything seen is durable, and
    /// of one moment. The library's own tables can be read as well, but their form may change.
    ///
    /// - Parameters:
    ///   - sql: one statement that changes nothing; values stand in it as `?`.
    ///   - values: one value for each `?`, in order.
    /// - Throws: ``TableError``.
    public func rows(
        _ sql: String, _ values: JournalValue...
    ) async throws(TableError) -> [[JournalValue]] {
        let given = values.map(\.sql)
        let store = store
        return try await Offload.run(in: reads) { () throws(TableError) in
            do {
                return try store.read { reader in
                    try reader.queryForApplication(sql, given) {
                        (row: borrowing SQLRow) throws(StoreFailure) in
                        row.values.map { JournalValue($0) }
                    }
                }
            } catch {
                throw TableError(description: "\(error)")
            }
        }
    }

    /// Changes the application's tables where no record goes along, in order with what does. If a
    /// statement fails, none of them counts, and ``SessionEvent/journalFailed(_:)`` has its text.
    ///
    /// - Throws: ``Refusal``; nothing is written then.
    public func write(_ body: (inout JournalTransaction) -> Void) throws(Refusal) {
        var transaction = JournalTransaction()
        body(&transaction)
        guard !transaction.isEmpty else { return }
        let write = transaction.write.ofApplication(deciding: false) { [feeds] failure in
            feeds.add(.journalFailed("\(failure)"))
        }
        guard try driven().write([write]) else { throw .journalFailed }
    }
}
