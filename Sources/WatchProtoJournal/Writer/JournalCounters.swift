/// Counts a journal's work by cause. Counters only grow.
package struct JournalCounters: Hashable, Sendable {
    /// Transactions committed for entries and writes: groups.
    package var commits: UInt64 = 0
    /// Batches they held.
    package var batches: UInt64 = 0
    /// Entries they held.
    package var entries: UInt64 = 0
    /// Changes to the application's store.
    package var storeWrites: UInt64 = 0
    /// Bytes of the rows written to the log.
    package var logBytes: UInt64 = 0
    /// Batches in the largest group.
    package var largestGroup: UInt64 = 0
    /// Times the log was folded into images.
    package var folds: UInt64 = 0
    /// Times that folding or copying was put off because the disk was full.
    package var putOff: UInt64 = 0
    /// Times the write-ahead log was copied into the file.
    package var checkpoints: UInt64 = 0
    /// Times room was made in the write-ahead log.
    package var extensions: UInt64 = 0
    /// Times that the writer's thread woke from sleep.
    package var wakeUps: UInt64 = 0

    /// All zero.
    package init() {}
}
