/// Why a step of the key exchange gave nothing. What does not authenticate says no more than that:
/// a wrong key, a changed byte and a point of low order are one and the same.
enum SecurityFailure: Error, Hashable, Sendable {
    /// The message does not authenticate, or is not what this step allows.
    case authenticationFailure
    /// The message is too short or too long to be one. Its length is no secret.
    case malformed
    /// There is no memory for a key: this host is at fault, and nothing was said to the other.
    case noSecretMemory
}

/// Why an arena gave no memory; this host is at fault.
package enum KeyArenaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system gave no pages, or libsodium finds no randomness for its canary.
    case noMemory(byteCount: Int)
    /// Pages could not be kept out of swap, and the arena was made to insist on it. The limit is
    /// `RLIMIT_MEMLOCK` (getrlimit(2)), which `ulimit -l` shows in KiB.
    case notLocked(byteCount: Int)

    /// What was seen, what was expected, and what to do.
    package var description: String {
        switch self {
        case .noMemory(let count):
            "memory for keys: seen none to be had; expected \(count) bytes in pages of their own; "
                + "try: free memory, or raise the limit of this process"
        case .notLocked(let count):
            "memory for keys: seen \(count) bytes that may be swapped out; expected locked pages; "
                + "try: raise the limit of locked memory (ulimit -l), or allow unlocked keys"
        }
    }
}
