/// Faults planted under the journal, for tests: asked before a call, gives the code it fails with.
/// May also block, to look at what stands still.
package struct JournalFault: Sendable {
    /// Where in the journal's work a transaction stands.
    package enum Place: Hashable, Sendable { case group, image, migration, opening, keys, log }

    /// A call that can be made to fail.
    package enum Call: Hashable, Sendable {
        /// Claiming the file, after the first look at it.
        case claim
        /// The beginning of a transaction.
        case begin(Place)
        /// Its end.
        case commit(Place)
        /// Copying the write-ahead log into the file.
        case checkpoint
        /// Making room in the write-ahead log.
        case extendLog
        /// Removing what is left of a file that was being made.
        case remove(String)
        /// Giving a file that was made its name.
        case rename(String, to: String)
        /// Making the names in a directory durable.
        case syncDirectory(String)
    }

    /// The SQLite code the call fails with; nil lets it go on.
    package var code: @Sendable (Call) -> Int32?

    /// Plants `code`.
    package init(_ code: @escaping @Sendable (Call) -> Int32?) { self.code = code }
}

/// Known bugs that can be planted, for tests only: each must be caught.
package enum JournalCanary: Hashable, Sendable, CaseIterable {
    /// Receipts are posted before the commit.
    case acknowledgesBeforeCommit
    /// Commits do not wait for the disk (`synchronous=NORMAL`).
    case doesNotSync
    /// Store writes run in a transaction of their own, after the entries.
    case writesApart
    /// A new file gets its name before what it holds is durable.
    case makesUnsynced
    /// The name of a new file is not made durable before it is used.
    case leavesNameUnsynced
    /// What is durable is noted before it is.
    case marksBeforeCommit
    /// What was noted of an earlier file is taken back, and that is not made durable.
    case leavesMarkUnsynced
    /// The file says nothing of a log that holds commits.
    case callsForNoLog
    /// A file that was closed calls for a log still.
    case callsForLogWhenClosed
    /// What is sealed is kept in clear as well.
    case keepsCopyInClear
    /// The keys of a pairing that is forgotten go in a transaction of their own.
    case forgetsByHalves
    /// What was erased leaves its bytes in the file.
    case leavesErasedBytes
    /// A step of a schema and its version's number are written apart.
    case migratesApart
    /// A log that was taken up counts as it is read, and is not written once more.
    case trustsLog
}
