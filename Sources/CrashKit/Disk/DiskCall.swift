/// One call that SQLite made of a disk.
public struct DiskCall: Hashable, Sendable {
    /// What was asked.
    public enum Kind: Int32, Hashable, Sendable, CaseIterable {
        /// A file was opened that did not exist before.
        case create = 0
        /// Bytes were written.
        case write = 1
        /// The file was cut to ``DiskCall/offset`` bytes.
        case truncate = 2
        /// What was written to the file before is durable once the call returns.
        case sync = 3
        /// The file is gone.
        case delete = 4
        /// Bytes were read; nothing changed.
        case read = 5

        /// Whether the call leaves anything on the disk.
        public var changesTheDisk: Bool { self != .read }
    }

    /// What was asked.
    public var kind: Kind
    /// The file's path.
    public var path: String
    /// Where, in bytes from the file's start.
    public var offset: Int
    /// What was written; empty for other calls.
    public var bytes: [UInt8]
}
