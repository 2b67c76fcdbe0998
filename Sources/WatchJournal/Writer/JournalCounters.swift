/// What a journal did, by cause. The figures only grow.
public struct JournalCounters: Hashable, Sendable {
    /// Transactions committed for entries and writes: groups.
    public var commits: UInt64 = 0
    /// Batches they held.
    public var batches: UInt64 = 0
    /// Entries they held.
    public var entries: UInt64 = 0
    /// Changes to the application's store.
    public var storeWrites: UInt64 = 0
    /// Bytes of the rows written to the log.
    public var logBytes: UInt64 = 0
    /// Batches in the largest group.
    public var largestGroup: UInt64 = 0
    /// Times the log was folded into images.
    public var folds: UInt64 = 0
    /// Times folding or copying was put off because the disk was full.
    public var putOff: UInt64 = 0
    /// Times the write-ahead log was copied into the file.
    public var checkpoints: UInt64 = 0
    /// Times room was made in the write-ahead log.
    public var extensions: UInt64 = 0
    /// Times the writer's thread came back from sleep.
    public var wakeUps: UInt64 = 0

    /// All zero.
    public init() {}
}
