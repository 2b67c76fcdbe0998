internal import CPosix
internal import Synchronization

/// Stands for a journal that this process has open, or is opening, for as long as it lives.
///
/// Whoever opens one of them a second time must be refused before anything is opened: closing any
/// descriptor of a file gives up every lock that SQLite holds on it in this process, and another
/// program could then take the write-ahead log away.
final class OpenJournal: Sendable {
    private struct Entry: Sendable {
        var file: String
        /// Nil while there is no file yet.
        var identity: FileIdentity?
    }

    private static let all = Mutex<[Entry]>([])

    private let file: String

    /// A file without symbolic links in its name, which may be missing yet. Nil where this process
    /// has it already, be it by another name.
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

    /// The file was missing, and has been made.
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

/// Which file it is, whatever its name.
struct FileIdentity: Hashable, Sendable {
    private var device: UInt64 = 0
    private var inode: UInt64 = 0

    /// Nil where there is none.
    init?(of path: String) {
        guard unsafe watchproto_file_identity(path, &device, &inode) == 0 else { return nil }
    }
}
