internal import CSodium

/// The group ristretto255 (RFC 9496), by libsodium.
enum Ristretto255 {
    /// Bytes of an encoded element, and of a scalar.
    static let byteCount = 32

    /// The element that 64 bytes of a hash are mapped to (RFC 9496, section 4.3.4).
    static func element(fromHash hash: [UInt8]) -> [UInt8] {
        precondition(hash.count == 64)
        var element = [UInt8](repeating: 0, count: byteCount)
        let status = unsafe crypto_core_ristretto255_from_hash(&element, hash)
        precondition(status == 0, "crypto_core_ristretto255_from_hash: \(status)")
        return element
    }

    /// A scalar, all equally likely: 64 random bytes modulo the group's order.
    static func scalar(_ random: RandomSource, in arena: KeyArena) throws(SecurityFailure) -> Secret
    {
        let wide = try random.secret(.large, in: arena)
        return unsafe try Secret(.small, in: arena) { output in
            unsafe wide.withBytes { wide in
                unsafe crypto_core_ristretto255_scalar_reduce(output, wide.baseAddress!)
            }
        }
    }

    /// The product of a secret scalar and an element.
    ///
    /// - Throws: `authenticationFailure` if `element` is no element, or the product is the
    ///   identity.
    static func multiply(
        _ scalar: Secret, _ element: [UInt8]
    ) throws(SecurityFailure) -> Secret {
        guard element.count == byteCount else { throw .malformed }
        return unsafe try Secret(.small, in: scalar.arena) { output throws(SecurityFailure) in
            let status = unsafe scalar.withBytes { scalar in
                unsafe crypto_scalarmult_ristretto255(output, scalar.baseAddress!, element)
            }
            guard status == 0, unsafe sodium_is_zero(output, byteCount) == 0 else {
                throw .authenticationFailure
            }
        }
    }
}

/// SHA-512 (FIPS 180-4), by libsodium: the hash of CPace over ristretto255.
enum SHA512 {
    static let byteCount = 64
    static let blockByteCount = 128

    static func hash(_ message: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: byteCount)
        unsafe crypto_hash_sha512(&hash, message, UInt64(message.count))
        return hash
    }
}
