import CPosix
import Glibc

/// A system call that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name: `write`.
    package var call: String
    /// The path or the descriptor of the call.
    package var subject: String
    /// The error number.
    package var number: Int32

    /// Makes the error of `call` from `number`; without one from the calling thread's `errno`.
    package init(_ call: String, _ subject: String, number: Int32? = nil) {
        self.call = call
        self.subject = subject
        self.number = number ?? errno
    }

    /// `write out/results.json: No space left on device`.
    package var description: String { "\(call) \(subject): \(reason)" }

    /// Whether what was named is not there: a file, or a directory on the way to it.
    package var isMissing: Bool { [ENOENT, ENOTDIR].contains(number) }

    /// Advice for the user: `Try: `, then a remedy where the number has one, then `otherwise`.
    ///
    /// - Parameters:
    ///   - isWriting: whether something was to be written there, rather than read.
    ///   - otherwise: what always helps, such as `give another directory with --out.`
    package func advice(isWriting: Bool, otherwise: String) -> String {
        "Try: " + (remedy(isWriting: isWriting).map { "\($0), or " } ?? "") + otherwise
    }

    private func remedy(isWriting: Bool) -> String? {
        switch number {
        // Directories are made with those above them: where one cannot be, no other helps.
        case ENOENT where call == "mkdir": nil
        case ENOENT: isWriting ? "make the directory above it first" : "check the path"
        case EACCES, EPERM: "allow this user to \(isWriting ? "write" : "read") there"
        case EISDIR: isWriting ? "move the directory of that name away" : "name a file in it"
        case ENOTDIR: "take a path that leads through directories alone"
        case ENOSPC, EDQUOT: "free space there"
        case ENAMETOOLONG: "shorten the path (a name has at most 255 bytes)"
        case EROFS: "mount that file system for writing"
        case ELOOP: "take a path whose symbolic links lead in no circle"
        case EFBIG: isWriting ? "raise the limit on file sizes" : "take a smaller file"
        case EMFILE, ENFILE: "close other files (ulimit -n)"
        case EPIPE: "keep open what reads it"
        default: nil
        }
    }

    /// The number in words.
    package var reason: String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text)
    }
}
