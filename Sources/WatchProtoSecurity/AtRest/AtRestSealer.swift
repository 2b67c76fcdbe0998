internal import CSodium

/// Seals payloads for a journal and opens them again (XChaCha20-Poly1305), with keys of its own
/// derived from an ``AtRestKey``.
///
/// A value may be shared by threads; it holds its keys in protected memory until the last copy
/// goes.
package struct AtRestSealer: Sendable {
    /// How much longer than its payload a sealed payload is: 24 bytes of nonce before it, 16 of
    /// authentication after it.
    package static var overheadBytes: Int { XChaCha20Poly1305.overheadBytes }
    /// Bytes of ``keyCheck``.
    package static let keyCheckByteCount = 16

    /// Tells keys apart and nothing more about them: a journal stores it when it is made, and one
    /// with a different value was sealed with another key and must not be touched.
    ///
    /// It is a keyed BLAKE2b-128 of a fixed text, under a key that seals nothing.
    package let keyCheck: [UInt8]

    private let payloadKey: SecretBytes
    private let lookupKey: SecretBytes

    /// Derives this sealer's keys; `key` itself is not kept.
    ///
    /// - Throws: ``AtRestKeyError/Fault/systemRefused`` without memory.
    package init(key: AtRestKey) throws(AtRestKeyError) {
        payloadKey = try Self.subkey(.payloads, of: key)
        lookupKey = try Self.subkey(.lookup, of: key)
        keyCheck = Self.keyCheck(under: try Self.subkey(.keyCheck, of: key))
    }

    /// Seals `payload`, which may be empty: a fresh random nonce, the ciphertext, and its
    /// authentication code. Two results are never equal.
    ///
    /// - Parameters:
    ///   - payload: what nobody else is to read; its length stays visible.
    ///   - associatedData: where the payload belongs (peer, lane, number), in a form that no other
    ///     place can have; not stored, and needed again to open.
    /// - Returns: ``overheadBytes`` more than the payload has.
    package func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8] {
        XChaCha20Poly1305.seal(payload, associatedData: associatedData, key: payloadKey)
    }

    /// Gives back the payload of `sealed`.
    ///
    /// - Parameters:
    ///   - sealed: what was stored.
    ///   - associatedData: that of the sealing.
    /// - Throws: ``SealedPayloadError``, unless `sealed` is what ``seal(_:associatedData:)`` gave
    ///   for the same associated data under the same key. The stored bytes are at fault, or
    ///   whoever names the wrong place; nothing of the payload is given.
    package func open(
        _ sealed: [UInt8], associatedData: [UInt8]
    ) throws(SealedPayloadError) -> [UInt8] {
        let payload = XChaCha20Poly1305.open(
            sealed, associatedData: associatedData, key: payloadKey)
        guard let payload else { throw SealedPayloadError(sealedByteCount: sealed.count) }
        return payload
    }

    /// A stand-in for `name` by which it can be looked up: a keyed BLAKE2b-128. Equal names have
    /// equal ones; without the key nothing else can be told of them.
    package func lookupTag(_ name: [UInt8]) -> [UInt8] { Self.hash(name, under: lookupKey) }

    // MARK: Keys

    /// What a derived key is for. Numbers are for life: another one gives another key.
    private enum Purpose: UInt64 {
        case payloads = 1
        case keyCheck = 2
        case lookup = 3
    }

    /// Eight bytes that set these keys apart from any others of the same master.
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

/// Stored bytes that are not what was sealed: changed, cut short, moved to another place, or sealed
/// with another key. Which of these cannot be told, and an attacker is not to be told.
package struct SealedPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// How many bytes were to be opened.
    package let sealedByteCount: Int

    /// The fault in words, without any of the bytes.
    package var description: String {
        "sealed payload: seen \(sealedByteCount) bytes that do not authenticate; expected what was "
            + "sealed here, at least \(AtRestSealer.overheadBytes) bytes; try: the key that the "
            + "journal was made with, or a backup of the journal"
    }
}
