/// The chaining key and the hash of the transcript (Noise, revision 34, section 5.2).
struct SymmetricState: Sendable {
    private var chainingKey: Secret
    /// The hash of the transcript: public once the handshake is over (section 11.2).
    private(set) var hash: [UInt8]
    private var cipher = CipherState()

    /// Whether the next data is encrypted.
    var isEncrypting: Bool { cipher.key != nil }

    init(protocolName: [UInt8], in arena: KeyArena) throws(SecurityFailure) {
        let size = BLAKE2b.byteCount
        hash =
            protocolName.count > size
            ? BLAKE2b.hash(protocolName)
            : protocolName + [UInt8](repeating: 0, count: size - protocolName.count)
        // A copy of its own, since the array is wiped; the name itself is no secret.
        var first = hash.map { $0 }
        chainingKey = try Secret(taking: &first, in: arena)
    }

    mutating func mixHash(_ bytes: [UInt8]) { hash = BLAKE2b.hash(hash, bytes) }

    mutating func mixKey(_ secret: Secret) throws(SecurityFailure) {
        let outputs = unsafe try secret.withBytes { input throws(SecurityFailure) in
            unsafe try NoiseHKDF.two(chainingKey, input)
        }
        (chainingKey, cipher) = (outputs.chainingKey, CipherState(outputs.key))
    }

    /// Mixes in public bytes: an ephemeral key, if there is a pre-shared one.
    mutating func mixKey(_ bytes: [UInt8]) throws(SecurityFailure) {
        let outputs = try Self.derive(chainingKey, bytes)
        (chainingKey, cipher) = (outputs.chainingKey, CipherState(outputs.key))
    }

    mutating func mixKeyAndHash(_ secret: Secret) throws(SecurityFailure) {
        let outputs = unsafe try secret.withBytes { input throws(SecurityFailure) in
            unsafe try NoiseHKDF.three(chainingKey, input)
        }
        chainingKey = outputs.chainingKey
        mixHash(outputs.hashed)
        cipher = CipherState(outputs.key)
    }

    mutating func encryptAndHash(_ plaintext: [UInt8]) throws(SecurityFailure) -> [UInt8] {
        let ciphertext = try cipher.encrypt(plaintext, associatedData: hash)
        mixHash(ciphertext)
        return ciphertext
    }

    mutating func decryptAndHash(_ ciphertext: [UInt8]) throws(SecurityFailure) -> [UInt8] {
        let plaintext = try cipher.decrypt(ciphertext, associatedData: hash)
        mixHash(ciphertext)
        return plaintext
    }

    /// The keys of both directions: the initiator's first.
    func split() throws(SecurityFailure) -> (first: Secret, second: Secret) {
        unsafe try NoiseHKDF.twoKeys(chainingKey, UnsafeBufferPointer(start: nil, count: 0))
    }

    /// Derives a further key for one purpose from the state of the handshake.
    ///
    /// It is HKDF over the chaining key, like Noise's own steps. Its input is `label`, a zero byte
    /// and the hash. No step of Noise has an input of that length, so the key is none of Noise's.
    func exported(_ label: String) throws(SecurityFailure) -> Secret {
        try Self.derive(chainingKey, Array(label.utf8) + [0] + hash).key
    }

    private static func derive(
        _ chainingKey: Secret, _ input: [UInt8]
    ) throws(SecurityFailure) -> (chainingKey: Secret, key: Secret) {
        let result: Result<(chainingKey: Secret, key: Secret), SecurityFailure> =
            unsafe input.withUnsafeBufferPointer { input in
                do throws(SecurityFailure) {
                    return .success(unsafe try NoiseHKDF.two(chainingKey, input))
                } catch {
                    return .failure(error)
                }
            }
        return try result.get()
    }
}
