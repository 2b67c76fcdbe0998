/// Why there is no key: what is wrong, where, what was seen, what was expected, what to do.
///
/// Whoever set up the key is at fault, or this host; the journal has not been touched. No text
/// holds any part of a key or a passphrase.
package struct AtRestKeyError: Error, Hashable, Sendable {
    /// The kinds, for programs.
    package enum Fault: Hashable, Sendable {
        /// No file stands at the path.
        case missing
        /// A key file is to be made where something stands already.
        case alreadyThere
        /// The path leads to a directory, a pipe or a device.
        case notAFile
        /// Group or others may do something with the key file.
        case openToOthers
        /// The key file, the passphrase or the salt has a length it cannot have.
        case wrongLength
        /// 64 bytes that are not all hexadecimal digits.
        case notHexadecimal
        /// All bytes are zero: a file that was never written to.
        case blank
        /// Argon2id parameters beyond the limits of ``Argon2idParameters``.
        case parametersOutOfRange
        /// The system refused: a file, memory, randomness.
        case systemRefused
    }

    /// The kind.
    package var fault: Fault
    /// Where: `key file '/etc/watch.key'`, `passphrase`.
    package var place: String
    /// What was seen there.
    package var seen: String
    /// What should have been there.
    package var expected: String
    /// What to do about it.
    package var remedy: String

    init(_ fault: Fault, _ place: String, seen: String, expected: String, remedy: String) {
        self.fault = fault
        self.place = place
        self.seen = seen
        self.expected = expected
        self.remedy = remedy
    }

    static func noSecretMemory(count: Int) -> AtRestKeyError {
        AtRestKeyError(
            .systemRefused, "memory for a key",
            seen: Sodium.isReady ? "none to be had" : "no source of randomness",
            expected: "\(count) bytes in pages of their own",
            remedy: "free memory, or raise the limit of this process")
    }
}

extension AtRestKeyError: CustomStringConvertible {
    /// All of it in one line: `key file '/etc/watch.key': seen …; expected …; try: …`.
    package var description: String {
        "\(place): seen \(seen); expected \(expected); try: \(remedy)"
    }
}
