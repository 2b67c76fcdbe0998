/// A key and the number of its next message (Noise, revision 34, section 5.1). Without a key it
/// leaves messages unchanged.
struct CipherState: Sendable {
    private(set) var key: Secret?
    private(set) var number: UInt64 = 0

    init(_ key: Secret? = nil) { self.key = key }

    /// The number that no message uses: it is reserved for REKEY.
    static let reservedNumber = UInt64.max

    mutating func encrypt(
        _ plaintext: [UInt8], associatedData: [UInt8]
    ) throws(SecurityFailure) -> [UInt8] {
        guard let key else { return plaintext }
        guard number < Self.reservedNumber else { throw .authenticationFailure }
        defer { number += 1 }
        return ChaCha20Poly1305.seal(
            plaintext, associatedData: associatedData, key: key, number: number)
    }

    /// Decrypts a message. The number advances only if it authenticates.
    mutating func decrypt(
        _ ciphertext: [UInt8], associatedData: [UInt8]
    ) throws(SecurityFailure) -> [UInt8] {
        guard let key else { return ciphertext }
        guard number < Self.reservedNumber,
            let plaintext = ChaCha20Poly1305.open(
                ciphertext, associatedData: associatedData, key: key, number: number)
        else { throw .authenticationFailure }
        number += 1
        return plaintext
    }
}
