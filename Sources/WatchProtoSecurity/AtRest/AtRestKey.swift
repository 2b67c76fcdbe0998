internal import CSodium

/// The master key of what rests on a device: 32 bytes that never leave protected memory and are
/// wiped when the last owner lets go.
///
/// It seals nothing itself: an ``AtRestSealer`` derives its own keys from it, after which the key
/// may be dropped. Nothing prints, compares or exports it.
package final class AtRestKey: Sendable {
    /// Bytes of a key.
    package static let byteCount = 32
    /// Bytes of the salt that a passphrase is derived with.
    package static let saltByteCount = 16
    /// Lengths of a passphrase that are accepted, in bytes.
    package static let passphraseRangeBytes = 1...1024

    let bytes: SecretBytes

    init(bytes: SecretBytes) { self.bytes = bytes }

    /// Makes a key from the system's randomness.
    ///
    /// - Throws: ``AtRestKeyError/Fault/systemRefused`` without memory.
    package static func random() throws(AtRestKeyError) -> AtRestKey {
        let bytes = unsafe try SecretBytes(count: byteCount) { bytes throws(AtRestKeyError) in
            unsafe randombytes_buf(bytes, byteCount)
        }
        return AtRestKey(bytes: bytes)
    }

    /// Derives the key from a passphrase with Argon2id: about 140 ms and 64 MiB with
    /// ``Argon2idParameters/standard``, on the calling thread.
    ///
    /// Passphrases count as bytes: two that look alike but are encoded differently give different
    /// keys. A wrong passphrase is no error here; it gives a key whose ``AtRestSealer/keyCheck``
    /// differs.
    ///
    /// - Parameters:
    ///   - passphrase: as typed, without the line's end. Whoever owns the bytes clears them, with
    ///     ``wipe(_:)``.
    ///   - salt: 16 bytes from ``makeSalt()``, kept by the journal; no secret.
    ///   - parameters: as kept by the journal.
    /// - Throws: ``AtRestKeyError/Fault/wrongLength`` for a passphrase or a salt of an unusable
    ///   length; ``AtRestKeyError/Fault/systemRefused`` without memory.
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

    /// Overwrites `bytes` with zeros in a way that no compiler leaves out, then empties the array,
    /// which keeps its memory. Reaches this array's own memory only, not copies made before.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { unsafe sodium_memzero(start, buffer.count) }
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
