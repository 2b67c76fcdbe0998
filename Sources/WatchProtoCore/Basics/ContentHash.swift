/// A 64-bit fingerprint of bytes (FNV-1a, 64 bits; Fowler, Noll and Vo). Finds accidents, not
/// attackers: everything it guards travels inside the seal.
package enum ContentHash {
    /// The fingerprint of `bytes`.
    package static func of(_ bytes: Span<UInt8>) -> UInt64 {
        var hash = Self.start
        for index in bytes.indices {
            hash = (hash ^ UInt64(bytes[index])) &* Self.prime
        }
        return hash
    }

    /// The fingerprint of `bytes`.
    package static func of(_ bytes: [UInt8]) -> UInt64 { of(bytes.span) }

    /// `hash` continued over the eight bytes of `value`, lowest first.
    package static func continued(_ hash: UInt64, with value: UInt64) -> UInt64 {
        var hash = hash
        for shift in stride(from: 0, to: 64, by: 8) {
            hash = (hash ^ ((value >> UInt64(shift)) & 0xFF)) &* Self.prime
        }
        return hash
    }

    /// The fingerprint of no bytes.
    package static let start: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let prime: UInt64 = 0x0000_0100_0000_01B3
}
