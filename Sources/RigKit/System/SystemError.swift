import CPosix
import Glibc

/// A system call that failed.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name: `write`.
    public var call: String
    /// What it was about: a path or a descriptor.
    public var subject: String
    /// The error number.
    public var number: Int32

    /// Makes the error of `call` from `number`; without one from the calling thread's `errno`.
    public init(_ call: String, _ subject: String, number: Int32? = nil) {
        self.call = call
        self.subject = subject
        self.number = number ?? errno
    }

    /// `write out/results.json: No space left on device`.
    public var description: String { "\(call) \(subject): \(reason)" }

    /// Whether what was named is not there: a file, or a directory on the way to it.
    public var isMissing: Bool { [ENOENT, ENOTDIR].contains(number) }

    /// The number in words.
    public var reason: String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text)
    }
}
