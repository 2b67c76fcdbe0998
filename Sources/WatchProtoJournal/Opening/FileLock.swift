internal import CPosix
internal import Glibc

/// The claim on a journal: a lock on a file beside it (`…-lock`). The file names the process that
/// has it, and holds the mark of the log (``LogMark``).
///
/// The lock is not on the journal itself: closing any descriptor of a file releases every lock that
/// SQLite holds on it in this process.
@safe final class FileLock: Sendable {
    private let descriptor: Int32
    /// Prevents this process from opening the journal a second time.
    private let journal: OpenJournal

    /// Claims a file; `name` is its name in messages.
    init(
        for file: String, calledBy name: String, _ journal: OpenJournal
    ) throws(JournalError) {
        self.journal = journal
        let path = file + "-lock"
        descriptor = unsafe watchproto_open_lock(path)
        guard descriptor >= 0 else {
            if errno == ELOOP {
                throw JournalError(
                    .system, path: name,
                    "what stands beside it as '\(path)' is no file of its own; remove it")
            }
            throw FileLook.systemError("open '\(path)'", errno, name)
        }
        guard watchproto_claim(descriptor) == 0 else {
            let number = errno
            let holder = Self.holder(path)
            _ = close(descriptor)
            guard number == EWOULDBLOCK else {
                throw FileLook.systemError("flock '\(path)'", number, name)
            }
            throw JournalError(.held, path: name, "it is open in \(holder)")
        }
        // The bytes after it stay (see `LogMark`).
        let number = Array("\(getpid())\n".utf8)
        let text = number + [UInt8](repeating: 0, count: max(0, 32 - number.count))
        unsafe text.withUnsafeBytes { bytes in
            _ = unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, 0)
        }
    }

    deinit {
        // Closing alone would leave it to a child that another thread is just starting.
        _ = watchproto_unclaim(descriptor)
        _ = close(descriptor)
    }

    private static func holder(_ path: String) -> String {
        let bytes = FileLook.bytes(of: path, count: 20) ?? []
        guard let number = Int32(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)) else {
            return "another process"
        }
        return "process \(number)"
    }
}
