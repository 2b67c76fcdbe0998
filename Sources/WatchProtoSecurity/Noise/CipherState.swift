/// A key and the number of its next message (Noise, revision 34, section 5.1). Without a key what
/// goes through stays as it is.
struct CipherState: Sendable {
    private(set) var key: Secret?
    private(set) var number: UInt64 = 0

    init(_ key: Secret? = nil) { self.key = key }

    /// The number that is never used for a message: REKEY has it.
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

    /// The number moves on only for what authenticates.
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
