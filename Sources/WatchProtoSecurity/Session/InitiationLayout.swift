internal import WatchProtoCore

/// The body of a sealed message 1.
///
/// ```text
/// ephemeral key 32 · masked counter 8 · MAC 8 · sealed payload · tag 16
/// ```
/// The MAC is the first 8 bytes of keyed BLAKE2b-128 over version, connection ID, ephemeral key,
/// masked counter, sealed payload and tag. The mask of the counter is the first 8 bytes of keyed
/// BLAKE2b-128 over the ephemeral key. Ephemeral key, sealed payload and tag are the message of
/// Noise.
enum InitiationLayout {
    static let overheadBytes = 32 + 8 + 8 + ChaCha20Poly1305.tagByteCount

    /// Puts counter and MAC into a message of Noise.
    static func body(
        _ noise: [UInt8], counter: UInt64, of id: ConnectionID, keys: OuterKeys
    ) -> [UInt8] {
        let share = Array(noise[..<32])
        let sealed = Array(noise[32...])
        let masked = LittleEndian.bytes(counter ^ mask(share, keys))
        let mac = OuterKeys.mac(
            input(id, share + masked + sealed), key: keys.initiationMAC)
        return share + masked + mac[..<8] + sealed
    }

    /// The counter where the MAC is right; nil for every other message. One hash for a wrong one.
    static func counter(of message: InitiationPacket, keys: OuterKeys) -> UInt64? {
        let body = message.body
        guard body.count >= overheadBytes else { return nil }
        let covered = Array(body[..<40] + body[48...])
        let mac = OuterKeys.mac(input(message.connectionID, covered), key: keys.initiationMAC)
        guard OuterKeys.areEqual(Array(mac[..<8]), Array(body[40..<48])) else { return nil }
        let masked: UInt64 = LittleEndian.value(body[32..<40])
        return masked ^ mask(Array(body[..<32]), keys)
    }

    /// The message of Noise within a body whose length was checked.
    static func noise(_ body: [UInt8]) -> [UInt8] { Array(body[..<32] + body[48...]) }

    private static func mask(_ share: [UInt8], _ keys: OuterKeys) -> UInt64 {
        LittleEndian.value(OuterKeys.mac(share, key: keys.counterMask)[..<8])
    }

    private static func input(_ id: ConnectionID, _ rest: [UInt8]) -> [UInt8] {
        [Suite.version] + LittleEndian.bytes(id.rawValue) + rest
    }
}
