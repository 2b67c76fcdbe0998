internal import CSodium

/// The master key of a device's stored data: 32 bytes that never leave protected memory. They are
/// wiped when the last owner releases them.
///
/// It seals nothing itself. An ``AtRestSealer`` derives its own keys from it; then the key may be
/// dropped. It cannot be printed, compared or exported.
package final class AtRestKey: Sendable {
    /// The bytes of a key.
    package static let byteCount = 32
    /// The bytes of a passphrase's salt.
    package static let saltByteCount = 16
    /// The accepted lengths of a passphrase, in bytes.
    package static let passphraseRangeBytes = 1...1024

    let bytes: SecretBytes

    init(bytes: SecretBytes) { self.bytes = bytes }

    /// Makes a key from the system's randomness.
    ///
    /// - Throws: ``AtRestKeyError/Fault/systemRefused`` if there is no memory.
    package static func random() throws(AtRestKeyError) -> AtRestKey {
        let bytes = unsafe try SecretBytes(count: byteCount) { bytes throws(AtRestKeyError) in
            unsafe randombytes_buf(bytes, byteCount)
        }
        return AtRestKey(bytes: bytes)
    }

    /// Makes a key of these bytes, which the caller wipes.
    ///
    /// - Throws: ``AtRestKeyError/Fault/wrongLength`` for other than 32 bytes,
    ///   ``AtRestKeyError/Fault/blank`` for zeros; the caller is at fault.
    package convenience init(copying bytes: [UInt8]) throws(AtRestKeyError) {
        guard bytes.count == Self.byteCount, bytes.contains(where: { $0 != 0 }) else {
            throw AtRestKeyError(
                bytes.count == Self.byteCount ? .blank : .wrongLength, "key of the provider",
                seen: bytes.count == Self.byteCount ? "zeros" : "\(bytes.count) bytes",
                expected: "\(Self.byteCount) random bytes",
                remedy: "provide the bytes that the journal was sealed with")
        }
        self.init(
            bytes: unsafe try SecretBytes(count: Self.byteCount) { secret throws(AtRestKeyError) in
                for (place, byte) in bytes.enumerated() { unsafe secret[place] = byte }
            })
    }

    /// Derives the key from a passphrase with Argon2id: about 140 ms and 64 MiB with
    /// ``Argon2idParameters/standard``, on the calling thread.
    ///
    /// Passphrases are bytes: two that look alike but are encoded differently yield different keys.
    /// A wrong passphrase is no error here. It yields a key whose ``AtRestSealer/keyCheck``
    /// differs.
    ///
    /// - Parameters:
    ///   - passphrase: as typed, without the line's end. The owner of the bytes clears them with
    ///     ``wipe(_:)``.
    ///   - salt: 16 bytes from ``makeSalt()``, kept by the journal; not secret.
    ///   - parameters: as kept by the journal.
    /// - Throws: ``AtRestKeyError/Fault/wrongLength`` for a passphrase or a salt of an invalid
    ///   length; ``AtRestKeyError/Fault/systemRefused`` if there is no memory.
    package convenience init(
        passphrase: Span<UInt8>, salt: [UInt8], parameters: Argon2idParameters = .standard
    ) throws(AtRestKeyError) {
        let range = Self.passphraseRangeBytes
        guard range.contains(passphrase.count) else {
            throw AtRestKeyError(
                .wrongLength, "passphrase", seen: "\(passphrase.count) bytes",
                expected: "\(range.lowerBound) to \(range.upperBound) bytes",
                remedy: "give a passphrase of several words")
        }
        guard salt.count == Self.saltByteCount else {
            throw AtRestKeyError(
                .wrongLength, "salt of the passphrase", seen: "\(salt.count) bytes",
                expected: "\(Self.saltByteCount) bytes",
                remedy: "the journal is damaged; restore it from a backup")
        }
        let bytes = unsafe try SecretBytes(count: Self.byteCount) { output throws(AtRestKeyError) in
            unsafe try Argon2id.derive(
                into: output, count: Self.byteCount, passphrase: passphrase, salt: salt,
                parameters: parameters)
        }
        self.init(bytes: bytes)
    }

    /// Makes a salt for a new journal: 16 bytes from the system's randomness.
    package static func makeSalt() -> [UInt8] {
        precondition(Sodium.isReady, "libsodium has no source of randomness")
        return unsafe [UInt8](unsafeUninitializedCapacity: saltByteCount) { buffer, count in
            unsafe randombytes_buf(buffer.baseAddress!, saltByteCount)
            count = saltByteCount
        }
    }

    /// Overwrites `bytes` with zeros in a way that no compiler removes, then empties the array,
    /// which keeps its memory. It reaches only this array's own memory, not earlier copies.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { unsafe sodium_memzero(start, buffer.count) }
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
