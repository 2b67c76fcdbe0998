internal import CSodium
internal import WatchProtoCore

/// The keys of what stands outside a session: MAC and mask of message 1, MAC of a refusal, reset
/// token. All follow from the pairing's psk, one set a sender.
///
/// ```text
/// key = HMAC-BLAKE2b(psk, label ‖ 0 ‖ role of the sender), the first 32 bytes
/// ```
struct OuterKeys: Sendable {
    let initiationMAC: Secret
    let counterMask: Secret
    let refusalMAC: Secret
    let resetToken: Secret

    /// Derives the keys of what `sender` sends.
    ///
    /// - Throws: `noSecretMemory` without memory for keys.
    init(_ psk: Secret, sender: DeviceRole) throws(SecurityFailure) {
        initiationMAC = try Self.derive(psk, "WatchProto message 1 MAC, version 1", sender)
        counterMask = try Self.derive(psk, "WatchProto counter mask, version 1", sender)
        refusalMAC = try Self.derive(psk, "WatchProto refusal MAC, version 1", sender)
        resetToken = try Self.derive(psk, "WatchProto reset token, version 1", sender)
    }

    private static func derive(
        _ psk: Secret, _ label: String, _ sender: DeviceRole
    ) throws(SecurityFailure) -> Secret {
        let input = Array(label.utf8) + [0, sender.rawValue]
        return unsafe try Secret(.small, in: psk.arena) { output in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: BLAKE2b.byteCount) {
                hash in
                let start = hash.baseAddress!
                unsafe psk.withBytes { key in
                    unsafe input.withUnsafeBufferPointer { input in
                        unsafe HMACBLAKE2b.authenticate(
                            into: start, key: key, input,
                            UnsafeBufferPointer(start: nil, count: 0))
                    }
                }
                for index in 0..<Secret.keyByteCount { unsafe output[index] = start[index] }
                unsafe sodium_memzero(start, BLAKE2b.byteCount)
            }
        }
    }

    /// 16 bytes of keyed BLAKE2b (RFC 7693) over `bytes`.
    static func mac(_ bytes: [UInt8], key: Secret) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 16) { buffer, initialized in
            let status = unsafe key.withBytes { key in
                unsafe crypto_generichash_blake2b(
                    buffer.baseAddress!, 16, bytes, UInt64(bytes.count), key.baseAddress!,
                    key.count)
            }
            precondition(status == 0, "crypto_generichash_blake2b: \(status)")
            initialized = 16
        }
    }

    /// Whether two values of one length are equal, in a time that depends on their length alone.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe sodium_memcmp(one, other, one.count) == 0
    }
}
