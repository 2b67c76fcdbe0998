internal import CSodium
internal import WatchProtoCore

/// The keys by which two paired devices recognise each other's handshake messages before any key
/// agreement. They are derived from the pairing's psk and the role of the device that uses them.
///
/// ```text
/// label = "WatchProto " ‖ purpose ‖ ", version 1" ‖ 00 ‖ role (0 phone, 1 watch)
/// key   = HMAC-BLAKE2b(psk, label), its first 32 bytes
/// ```
struct OuterKeys: Sendable {
    /// Hides the counter of a message 1.
    let mask: Secret
    /// Authenticates message 1.
    let message: Secret
    /// Authenticates refusals.
    let refusal: Secret
    /// Makes the tokens of resets.
    let reset: Secret

    /// Derives the keys of the device with this role.
    init(psk: Secret, role: DeviceRole) throws(SecurityFailure) {
        mask = try Self.derive(psk, "counter mask", role)
        message = try Self.derive(psk, "message 1 MAC", role)
        refusal = try Self.derive(psk, "refusal MAC", role)
        reset = try Self.derive(psk, "reset token", role)
    }

    private static func derive(
        _ psk: Secret, _ purpose: String, _ role: DeviceRole
    ) throws(SecurityFailure) -> Secret {
        let label = Array("WatchProto \(purpose), version 1".utf8) + [0, role.rawValue]
        let whole = unsafe try Secret(.large, in: psk.arena) { output in
            unsafe psk.withBytes { key in
                unsafe label.withUnsafeBufferPointer { label in
                    unsafe HMACBLAKE2b.authenticate(
                        into: output, key: key, label,
                        UnsafeBufferPointer(start: nil, count: 0))
                }
            }
        }
        return unsafe try Secret(.small, in: psk.arena) { output in
            unsafe whole.withBytes { bytes in
                for index in 0..<Secret.keyByteCount { unsafe output[index] = bytes[index] }
            }
        }
    }

    /// Bytes of a MAC.
    private static let macBytes = 16

    /// Keyed BLAKE2b-128 of `parts`, one after the other (RFC 7693, section 2.9).
    static func mac(_ key: Secret, _ parts: [UInt8]...) -> [UInt8] {
        let message = Array(parts.joined())
        return unsafe [UInt8](unsafeUninitializedCapacity: macBytes) { buffer, initialized in
            let status = unsafe key.withBytes { key in
                unsafe crypto_generichash_blake2b(
                    buffer.baseAddress!, macBytes, message, UInt64(message.count),
                    key.baseAddress!, key.count)
            }
            precondition(status == 0, "crypto_generichash_blake2b: \(status)")
            initialized = macBytes
        }
    }

    /// Whether two MACs are equal, in a time that does not depend on where they differ.
    static func areEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left, right) { difference |= one ^ other }
        return difference == 0
    }
}
