internal import CSodium

/// Seals payloads for a journal and opens them again (XChaCha20-Poly1305), with its own keys,
/// derived from an ``AtRestKey``.
///
/// Threads may share a value. It holds its keys in protected memory until the last copy is
/// released.
package struct AtRestSealer: Sendable {
    /// The additional length of a sealed payload: a nonce of 24 bytes before it, a tag of 16 bytes
    /// after it.
    package static var overheadBytes: Int { XChaCha20Poly1305.overheadBytes }
    /// The bytes of ``keyCheck``.
    package static let keyCheckByteCount = 16

    /// A value that distinguishes keys and reveals nothing else of them. A journal stores it when
    /// it is made. If the value differs, the journal was sealed with another key and must not be
    /// changed.
    ///
    /// It is a keyed BLAKE2b-128 of a fixed text, under a key that seals nothing.
    package let keyCheck: [UInt8]

    private let payloadKey: SecretBytes
    private let lookupKey: SecretBytes

    /// Derives this sealer's keys. `key` itself is not kept.
    ///
    /// - Throws: ``AtRestKeyError/Fault/systemRefused`` if there is no memory.
    package init(key: AtRestKey) throws(AtRestKeyError) {
        payloadKey = try Self.subkey(.payloads, of: key)
        lookupKey = try Self.subkey(.lookup, of: key)
        keyCheck = Self.keyCheck(under: try Self.subkey(.keyCheck, of: key))
    }

    /// Seals `payload`, which may be empty. The result is a fresh random nonce, the ciphertext, and
    /// its tag. Two results are never equal.
    ///
    /// - Parameters:
    ///   - payload: the secret data; its length stays visible.
    ///   - associatedData: the place of the payload (peer, channel, number), in a form that no
    ///     other place can have. It is not stored, and is needed again to open.
    /// - Returns: the payload's length plus ``overheadBytes``.
    package func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8] {
        XChaCha20Poly1305.seal(payload, associatedData: associatedData, key: payloadKey)
    }

    /// Opens `sealed` and returns its payload.
    ///
    /// - Parameters:
    ///   - sealed: the stored bytes.
    ///   - associatedData: that of the sealing.
    /// - Throws: ``SealedPayloadError``, unless `sealed` is a result of ``seal(_:associatedData:)``
    ///   for the same associated data under the same key. The stored bytes are at fault, or the
    ///   caller named the wrong place. No part of the payload is returned.
    package func open(
        _ sealed: [UInt8], associatedData: [UInt8]
    ) throws(SealedPayloadError) -> [UInt8] {
        let payload = XChaCha20Poly1305.open(
            sealed, associatedData: associatedData, key: payloadKey)
        guard let payload else { throw SealedPayloadError(sealedByteCount: sealed.count) }
        return payload
    }

    /// A tag by which `name` is found: a keyed BLAKE2b-128. Equal names have equal tags. Without
    /// the key a tag reveals nothing else.
    package func lookupTag(_ name: [UInt8]) -> [UInt8] { Self.hash(name, under: lookupKey) }

    // MARK: Keys

    /// The purpose of a derived key. Numbers are permanent: another number yields another key.
    private enum Purpose: UInt64 {
        case payloads = 1
        case keyCheck = 2
        case lookup = 3
    }

    /// Eight bytes that separate these keys from others of the same master.
    private static let context: [CChar] = "WPAtRest".utf8.map { CChar($0) }
    private static let keyCheckText = Array("WatchProto at-rest key check, version 1".utf8)

    private static func subkey(
        _ purpose: Purpose, of key: AtRestKey
    ) throws(AtRestKeyError) -> SecretBytes {
        unsafe try SecretBytes(count: AtRestKey.byteCount) { output throws(AtRestKeyError) in
            let status = unsafe key.bytes.withBytes { master in
                unsafe crypto_kdf_derive_from_key(
                    output, AtRestKey.byteCount, purpose.rawValue, context, master)
            }
            precondition(status == 0, "crypto_kdf_derive_from_key: \(status)")
        }
    }

    private static func keyCheck(under key: SecretBytes) -> [UInt8] {
        hash(keyCheckText, under: key)
    }

    private static func hash(_ text: [UInt8], under key: SecretBytes) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: keyCheckByteCount)
        let status = unsafe key.withBytes { bytes in
            unsafe crypto_generichash(
                &hash, keyCheckByteCount, text, UInt64(text.count), bytes, key.count)
        }
        precondition(status == 0, "crypto_generichash: \(status)")
        return hash
    }
}

/// Stored bytes that do not open: changed, cut short, moved to another place, or sealed with
/// another key. These cases cannot be distinguished, and an attacker must not learn which one it
/// is.
package struct SealedPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes to be opened.
    package let sealedByteCount: Int

    /// The failure in words, without any of the bytes.
    package var description: String {
        "sealed payload: seen \(sealedByteCount) bytes that do not authenticate; expected what was "
            + "sealed here, at least \(AtRestSealer.overheadBytes) bytes; try: the key that the "
            + "journal was made with, or a backup of the journal"
    }
}
