internal import CPosix
internal import Locks

/// Represents a journal that this process has open, or is opening, for as long as it lives.
///
/// A second opening in this process must be refused before any file is opened. Closing any
/// descriptor of a file releases every lock that SQLite holds on it in this process. Another
/// program could then remove the write-ahead log.
final class OpenJournal: Sendable {
    private struct Entry: Sendable {
        var file: String
        /// Nil while there is no file yet.
        var identity: FileIdentity?
    }

    private static let all = Mutex<[Entry]>([])

    private let file: String

    /// Enters a file, which may not exist yet. Its name has no symbolic links. Nil if this process
    /// has it already, under any name.
    static func enter(_ file: String) -> OpenJournal? {
        let identity = FileIdentity(of: file)
        return all.withLock { all in
            let isHere = all.contains {
                $0.file == file || (identity != nil && $0.identity == identity)
            }
            guard !isHere else { return nil }
            all.append(Entry(file: file, identity: identity))
            return OpenJournal(file)
        }
    }

    private init(_ file: String) { self.file = file }

    /// Records that the missing file has been made.
    func wasMade() {
        let identity = FileIdentity(of: file)
        Self.all.withLock { all in
            for place in all.indices where all[place].file == file {
                all[place].identity = identity
            }
        }
    }

    deinit { Self.all.withLock { all in all.removeAll { $0.file == file } } }
}

/// The identity of a file, under any name.
struct FileIdentity: Hashable, Sendable {
    private var device: UInt64 = 0
    private var inode: UInt64 = 0

    /// Nil if there is no file.
    init?(of path: String) {
        guard unsafe watchproto_file_identity(path, &device, &inode) == 0 else { return nil }
    }
}
