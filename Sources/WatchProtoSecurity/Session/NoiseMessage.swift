internal import WatchProtoCore

/// The body of a message 1.
struct NoiseMessage {
    /// The number of the message.
    let counter: UInt64
    /// The Noise handshake message: ephemeral key, sealed payload, tag.
    let noise: [UInt8]

    /// Ephemeral key, masked counter and MAC: 45 bytes.
    static let headBytes = 45
    private static let keyBytes = 32
    private static let counterBytes = 5
    private static let macBytes = 8

    /// Reads a body with a correct MAC; nil for every other, at the cost of one hash.
    init?(_ message: InitiationPacket, _ sender: OuterKeys) {
        let body = message.body
        guard message.version == Suite.version,
            body.count >= Self.headBytes + ChaCha20Poly1305.tagByteCount
        else { return nil }
        let key = Array(body[..<Self.keyBytes])
        let macStart = Self.keyBytes + Self.counterBytes
        let masked = Array(body[Self.keyBytes..<macStart])
        let sealed = Array(body[Self.headBytes...])
        let mac = Self.mac(key, masked, sealed, message.connectionID, sender)
        guard OuterKeys.areEqual(body[macStart..<Self.headBytes], mac) else {
            return nil
        }
        let number: UInt64 = LittleEndian.value(masked + [0, 0, 0])
        counter = number ^ Self.mask(key, sender)
        noise = key + sealed
    }

    /// The body of a message 1 that Noise made.
    static func sealed(
        _ noise: [UInt8], _ counter: UInt64, _ id: ConnectionID, _ sender: OuterKeys
    ) -> [UInt8] {
        let key = Array(noise[..<keyBytes])
        let sealed = Array(noise[keyBytes...])
        let masked = Array(
            LittleEndian.bytes(counter ^ mask(key, sender)).prefix(counterBytes))
        return key + masked + mac(key, masked, sealed, id, sender) + sealed
    }

    private static func mask(_ key: [UInt8], _ sender: OuterKeys) -> UInt64 {
        LittleEndian.value(OuterKeys.mac(sender.mask, key).prefix(counterBytes) + [0, 0, 0])
    }

    private static func mac(
        _ key: [UInt8], _ masked: [UInt8], _ sealed: [UInt8], _ id: ConnectionID,
        _ sender: OuterKeys
    ) -> [UInt8] {
        let whole = OuterKeys.mac(
            sender.message, [Suite.version], LittleEndian.bytes(id.rawValue), key, masked, sealed)
        return Array(whole.prefix(macBytes))
    }
}
