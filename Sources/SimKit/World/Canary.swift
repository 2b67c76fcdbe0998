/// A known way to build such a system wrongly, planted for a whole run, so that the checkers can
/// show that they would find it by exploring. For tests only.
public enum Canary: String, Hashable, Sendable, CaseIterable {
    /// A receipt is handed out as soon as its batch is given to the journal.
    case ackBeforeCommit
    /// What repetitions are known by is written in a transaction of its own, after the one that
    /// holds the application's writes.
    case dedupeOutsideTransaction
    /// What idempotency keys were answered is known in memory alone: a restart forgets them.
    case keysInMemory
    /// Used numbers are known from the queue alone: opened with an empty one, the journal counts
    /// from 1 again, in the epoch it always has then.
    case numberReuse
    /// What was to wait for its own commit leaves before: a phone knows of a dose that a kill takes
    /// away from the watch.
    case sendBeforeCommit
    /// A commit counts before it has reached the disk (SQLite's `synchronous=NORMAL`): a crash
    /// loses the last few.
    case synchronousNormal
}
