/// Why a step of the key exchange failed. A message that does not authenticate has one error,
/// whether the key was wrong, a byte was changed or a point has low order.
enum SecurityFailure: Error, Hashable, Sendable {
    /// The message does not authenticate, or is not valid in this step.
    case authenticationFailure
    /// The message is too short or too long. Its length is not secret.
    case malformed
    /// There is no memory for a key. This host is at fault, and nothing was sent.
    case noSecretMemory
}

/// Why an arena gave no memory; this host is at fault.
package enum KeyArenaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system gave no pages, or libsodium has no randomness for its guard bytes.
    case noMemory(byteCount: Int)
    /// Pages could not be kept out of swap, and the arena requires it. The limit is
    /// `RLIMIT_MEMLOCK` (getrlimit(2)), which `ulimit -l` shows in KiB.
    case notLocked(byteCount: Int)

    /// The finding, the expectation and the remedy.
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
