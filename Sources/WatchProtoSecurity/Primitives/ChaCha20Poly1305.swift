internal import CSodium

/// ChaCha20-Poly1305 (RFC 8439) with the nonces of Noise (revision 34, section 12.3): four zero
/// bytes and a 64-bit number, lowest byte first.
enum ChaCha20Poly1305 {
    static let tagByteCount = 16
    static let nonceByteCount = 12

    /// Replaces `bytes[start...]` by its ciphertext and appends the tag; `bytes[..<start]` is the
    /// associated data. Allocates only if the array has no room for the tag.
    ///
    /// `prefix` is the nonce's first four bytes: zeros, except for published vectors.
    static func seal(
        _ bytes: inout [UInt8], from start: Int, key: Secret, number: UInt64, prefix: UInt32 = 0
    ) {
        let end = bytes.count
        precondition(start <= end)
        bytes.append(contentsOf: repeatElement(0, count: tagByteCount))
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            let base = buffer.baseAddress!
            let status = unsafe key.withBytes { key in
                unsafe withNonce(number, prefix) { nonce in
                    unsafe crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                        base + start, base + end, nil, base + start, UInt64(end - start), base,
                        UInt64(start), nil, nonce, key.baseAddress!)
                }
            }
            precondition(status == 0, "crypto_aead_chacha20poly1305_ietf_encrypt: \(status)")
        }
    }

    /// Replaces `bytes[start...]` by its plaintext, and returns whether it is authentic. If it is
    /// not, the ciphertext is replaced by zeros, and nothing was decrypted.
    static func open(
        _ bytes: inout [UInt8], from start: Int, key: Secret, number: UInt64, prefix: UInt32 = 0
    ) -> Bool {
        let end = bytes.count - tagByteCount
        guard start <= end else { return false }
        let status = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            let base = buffer.baseAddress!
            return unsafe key.withBytes { key in
                unsafe withNonce(number, prefix) { nonce in
                    unsafe crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                        base + start, nil, base + start, UInt64(end - start), base + end, base,
                        UInt64(start), nonce, key.baseAddress!)
                }
            }
        }
        guard status == 0 else { return false }
        bytes.removeLast(tagByteCount)
        return true
    }

    /// The ciphertext and tag of `plaintext` (Noise: ENCRYPT).
    static func seal(
        _ plaintext: [UInt8], associatedData: [UInt8], key: Secret, number: UInt64
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(associatedData.count + plaintext.count + tagByteCount)
        bytes += associatedData
        bytes += plaintext
        seal(&bytes, from: associatedData.count, key: key, number: number)
        return Array(bytes[associatedData.count...])
    }

    /// The plaintext (Noise: DECRYPT); nil if it does not authenticate.
    static func open(
        _ sealed: [UInt8], associatedData: [UInt8], key: Secret, number: UInt64
    ) -> [UInt8]? {
        var bytes = associatedData + sealed
        guard open(&bytes, from: associatedData.count, key: key, number: number) else { return nil }
        return Array(bytes[associatedData.count...])
    }

    /// The key after `key` (Noise: REKEY, revision 34, section 4.2): the first 32 bytes of
    /// ENCRYPT(key, 2⁶⁴ − 1, no data, 32 zeros). Reversing it is as hard as breaking the cipher.
    static func rekey(_ key: Secret) throws(SecurityFailure) -> Secret {
        unsafe try Secret(.small, in: key.arena) { output in
            var tag = [UInt8](repeating: 0, count: tagByteCount)
            let status = unsafe key.withBytes { key in
                unsafe withNonce(.max, 0) { nonce in
                    // The slot is all zeros, and is encrypted in place.
                    unsafe crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                        output, &tag, nil, output, 32, nil, 0, nil, nonce, key.baseAddress!)
                }
            }
            precondition(status == 0, "crypto_aead_chacha20poly1305_ietf_encrypt: \(status)")
        }
    }

    private static func withNonce<Value>(
        _ number: UInt64, _ prefix: UInt32, _ body: (UnsafePointer<UInt8>) -> Value
    ) -> Value {
        let words: (UInt32, UInt32, UInt32) = (
            prefix.littleEndian, UInt32(truncatingIfNeeded: number).littleEndian,
            UInt32(truncatingIfNeeded: number >> 32).littleEndian
        )
        return unsafe withUnsafeBytes(of: words) { bytes in
            unsafe body(bytes.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
    }
}

/// Comparison in constant time, wherever two byte strings differ.
enum ConstantTime {
    /// Whether both are equal. Their lengths are not secret.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe sodium_memcmp(left, right, left.count) == 0
    }
}
