internal import CSQLite
internal import Glibc
internal import WatchProtoTransport

/// A failed call of SQLite: the call, its extended code and the text.
struct SQLiteFailure: Error, Hashable, Sendable {
    /// The function or statement that failed.
    var call: String
    /// SQLite's extended result code.
    var code: Int32
    /// SQLite's own text, with the system's if there is one.
    var message: String
    /// The system's error number behind it; 0 if there is none.
    var systemNumber: Int32 = 0

    /// The code without its extension.
    var primaryCode: Int32 { code & 0xFF }

    /// The meaning of the code for the caller who opened or uses the journal.
    var kind: JournalError.Kind {
        switch primaryCode {
        case SQLITE_FULL: .diskFull
        case SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(systemNumber): .diskFull
        case SQLITE_CANTOPEN where [EACCES, EROFS, EPERM].contains(systemNumber): .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED: .held
        case SQLITE_CORRUPT: .damaged
        case SQLITE_NOTADB: .notAJournal
        case SQLITE_READONLY, SQLITE_PERM: .readOnly
        default: .system
        }
    }

    /// Whether the disk, the file or its host is at fault, not the statement.
    var isOfTheDisk: Bool {
        ![
            SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_TOOBIG,
            SQLITE_MISUSE, SQLITE_ABORT, SQLITE_AUTH,
        ].contains(primaryCode)
    }

    var text: String { "\(call): \(message) (SQLite code \(code))" }

    func error(at path: String) -> JournalError {
        JournalError(kind, path: path, text)
    }
}

/// An error that a query's rows may throw besides SQLite's own failures.
protocol SQLiteFailureConvertible: Error {
    init(_ failure: SQLiteFailure)
}

extension SQLiteFailure: SQLiteFailureConvertible {
    init(_ failure: SQLiteFailure) { self = failure }
}
