/// Why there is no key: the place, the finding, the expectation and the remedy.
///
/// The owner of the key is at fault, or this host. The journal was not changed. The text contains
/// no part of a key or a passphrase.
package struct AtRestKeyError: Error, Hashable, Sendable {
    /// The kinds, for programs.
    package enum Fault: Hashable, Sendable {
        /// There is no file at the path.
        case missing
        /// A new key file would replace an existing file.
        case alreadyThere
        /// The path is a directory, a pipe or a device.
        case notAFile
        /// Group or others have rights to the key file.
        case openToOthers
        /// The key file, the passphrase or the salt has an invalid length.
        case wrongLength
        /// 64 bytes that are not all hexadecimal digits.
        case notHexadecimal
        /// All bytes are zero: the file was never written.
        case blank
        /// Argon2id parameters beyond the limits of ``Argon2idParameters``.
        case parametersOutOfRange
        /// The system refused: a file, memory, randomness.
        case systemRefused
    }

    /// The kind.
    package var fault: Fault
    /// The place: `key file '/etc/watch.key'`, `passphrase`.
    package var place: String
    /// The finding.
    package var seen: String
    /// The expectation.
    package var expected: String
    /// The remedy.
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
    /// The whole message in one line: `key file '/etc/watch.key': seen …; expected …; try: …`.
    package var description: String {
        "\(place): seen \(seen); expected \(expected); try: \(remedy)"
    }
}
