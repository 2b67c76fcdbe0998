internal import CSodium

/// XChaCha20-Poly1305 of draft-irtf-cfrg-xchacha, by libsodium. With 24 bytes a nonce can be
/// random, so no counter must survive a crash or a restored backup.
enum XChaCha20Poly1305 {
    static let nonceByteCount = 24
    static let tagByteCount = 16
    static var overheadBytes: Int { nonceByteCount + tagByteCount }

    /// Returns nonce, ciphertext and tag. Without `nonce` a random one is drawn.
    ///
    /// - Precondition: `key` has 32 bytes, `nonce` 24.
    static func seal(
        _ payload: [UInt8], associatedData: [UInt8], key: SecretBytes, nonce: [UInt8]? = nil
    ) -> [UInt8] {
        precondition(key.count == AtRestKey.byteCount)
        precondition(nonce == nil || nonce?.count == nonceByteCount)
        let capacity = payload.count + overheadBytes
        return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            let start = buffer.baseAddress!
            if let nonce {
                for index in 0..<nonceByteCount { unsafe start[index] = nonce[index] }
            } else {
                unsafe randombytes_buf(start, nonceByteCount)
            }
            // Fails only for payloads that no memory can hold.
            let status = unsafe key.withBytes { key in
                unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
                    start + nonceByteCount, nil, payload, UInt64(payload.count), associatedData,
                    UInt64(associatedData.count), nil, start, key)
            }
            precondition(status == 0, "crypto_aead_xchacha20poly1305_ietf_encrypt: \(status)")
            count = capacity
        }
    }

    /// The payload of a result of ``seal(_:associatedData:key:nonce:)``; nil unless every byte of
    /// it, the associated data and the key are those of the sealing.
    ///
    /// - Precondition: `key` has 32 bytes.
    static func open(_ sealed: [UInt8], associatedData: [UInt8], key: SecretBytes) -> [UInt8]? {
        precondition(key.count == AtRestKey.byteCount)
        guard sealed.count >= overheadBytes else { return nil }
        let length = sealed.count - overheadBytes
        var isAuthentic = false
        let payload = unsafe sealed.withUnsafeBufferPointer { sealed in
            let start = sealed.baseAddress!
            return unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
                let status = unsafe key.withBytes { key in
                    unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                        buffer.baseAddress, nil, nil, start + nonceByteCount,
                        UInt64(sealed.count - nonceByteCount), associatedData,
                        UInt64(associatedData.count), start, key)
                }
                isAuthentic = status == 0
                count = isAuthentic ? length : 0
            }
        }
        return isAuthentic ? payload : nil
    }
}
