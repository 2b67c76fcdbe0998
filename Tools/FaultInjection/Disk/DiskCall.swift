/// One call that SQLite, or the journal itself, made of a disk.
package struct DiskCall: Hashable, Sendable {
    /// The kind of a call.
    package enum Kind: Int32, Hashable, Sendable, CaseIterable {
        /// A file was opened that did not exist before.
        case create = 0
        /// Bytes were written.
        case write = 1
        /// The file was cut to ``DiskCall/offset`` bytes.
        case truncate = 2
        /// All bytes written to the file before are durable once the call returns.
        case sync = 3
        /// The file is gone.
        case delete = 4
        /// Bytes were read; nothing changed.
        case read = 5
        /// The file was given the name ``DiskCall/target``.
        case rename = 6
        /// The names in the directory are durable once the call returns.
        case syncDirectory = 7

        /// Whether the call leaves anything on the disk.
        package var changesTheDisk: Bool { self != .read }
    }

    /// The kind of the call.
    package var kind: Kind
    /// The file's path.
    package var path: String
    /// Where, in bytes from the file's start. For ``Kind/delete``: 1 when the call makes the names
    /// in the directory durable, too.
    package var offset: Int
    /// The bytes written; empty for other calls.
    package var bytes: [UInt8]
    /// The path that a file was given.
    package var target: String?
    /// Whether the disk said that the call failed; noted of ``Kind/sync`` only.
    package var isFailed = false

    init(
        kind: Kind, path: String, offset: Int = 0, bytes: [UInt8] = [], target: String? = nil
    ) {
        self.kind = kind
        self.path = path
        self.offset = offset
        self.bytes = bytes
        self.target = target
    }
}

extension DiskCall: CustomStringConvertible {
    /// The call in a few words: `write journal-wal 4152+4096`.
    package var description: String {
        let name = Self.name(of: path)
        switch kind {
        case .create: return "create \(name)"
        case .write: return "write \(name) \(offset)+\(bytes.count)"
        case .truncate: return "truncate \(name) to \(offset)"
        case .sync: return "sync \(name)" + (isFailed ? ", which fails" : "")
        case .delete: return "delete \(name)"
        case .read: return "read \(name)"
        case .rename: return "rename \(name) to \(Self.name(of: target ?? ""))"
        case .syncDirectory: return "sync the directory"
        }
    }

    /// All files stand in one directory.
    static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
