/// Plants faults under the journal, for tests. It is called before a call, and returns the code
/// with which that call fails. It may also block, so that a test can examine a stopped state.
package struct JournalFault: Sendable {
    /// The step of the journal's work that a transaction belongs to.
    package enum Place: Hashable, Sendable { case group, image, migration, opening, keys, log }

    /// A call that can be made to fail.
    package enum Call: Hashable, Sendable {
        /// The claim of the file, after the first check of it.
        case claim
        /// The beginning of a transaction.
        case begin(Place)
        /// The end of a transaction.
        case commit(Place)
        /// Copying the write-ahead log into the file.
        case checkpoint
        /// Making room in the write-ahead log.
        case extendLog
        /// The removal of an incomplete new file.
        case remove(String)
        /// The renaming of a complete new file.
        case rename(String, to: String)
        /// The sync of a directory, which makes its names durable.
        case syncDirectory(String)
    }

    /// Returns the SQLite code with which the call fails; nil lets it continue.
    package var code: @Sendable (Call) -> Int32?

    /// Plants `code`.
    package init(_ code: @escaping @Sendable (Call) -> Int32?) { self.code = code }
}

/// Known bugs to plant (mutants), for tests only. Each must be caught.
package enum JournalMutant: Hashable, Sendable, CaseIterable {
    /// Receipts are posted before the commit.
    case acknowledgesBeforeCommit
    /// Commits do not wait for the disk (`synchronous=NORMAL`).
    case doesNotSync
    /// Store writes run in a transaction of their own, after the entries.
    case writesApart
    /// A new file gets its name before its contents are durable.
    case makesUnsynced
    /// The name of a new file is not made durable before it is used.
    case leavesNameUnsynced
    /// The mark is written before the commit is durable.
    case marksBeforeCommit
    /// The mark of an earlier file is cleared, but not durably.
    case leavesMarkUnsynced
    /// The file does not say that its log holds commits.
    case callsForNoLog
    /// A closed file still says that it needs a log.
    case callsForLogWhenClosed
    /// A sealed value is kept in clear as well.
    case keepsCopyInClear
    /// The keys of a forgotten pairing are erased in a separate transaction.
    case forgetsByHalves
    /// Erased data leaves its bytes in the file.
    case leavesErasedBytes
    /// A step of a schema and its version's number are written in two transactions.
    case migratesApart
    /// An adopted log is trusted as read, and not written once more.
    case trustsLog
}
