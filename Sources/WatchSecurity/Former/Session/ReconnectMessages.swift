internal import WatchProto

/// What both halves of a reconnection share.
enum Reconnection {
    /// Bytes the first message is longer than its payload: an ephemeral key, a tag, and inside the
    /// counter.
    static let firstOverheadBytes = 32 + 16 + counterByteCount
    /// Bytes the second is longer than its payload.
    static let secondOverheadBytes = 32 + 16
    static let counterByteCount = 8

    private static let earlyLabel = "WatchProto early data key, version 1"

    /// Everything that both must agree on beside their keys.
    static func prologue(_ device: PairedDevice, _ prologue: [UInt8]) -> [UInt8] {
        CPace.withLength(Array(Suite.name.utf8)) + [Suite.version]
            + LittleEndian.bytes(device.pairing.rawValue) + prologue
    }

    static func handshake(
        _ role: NoiseHandshake.Role, _ device: PairedDevice, prologue: [UInt8],
        random: RandomSource
    ) throws(SecurityFailure) -> NoiseHandshake {
        try NoiseHandshake(
            .reconnection, role, prologue: Self.prologue(device, prologue),
            ownStatic: device.keyPair, remoteStatic: device.counterpartKey, psk: device.psk,
            random: random, arena: device.psk.arena)
    }

    /// What seals the packets that follow a first message at once, in numbers of their own.
    static func earlySealer(_ noise: NoiseHandshake) throws(SecurityFailure) -> SessionSealer {
        SessionSealer(try noise.symmetric.exported(earlyLabel))
    }

    /// The sealers of the session.
    static func sealers(
        _ noise: NoiseHandshake
    ) throws(SecurityFailure) -> (sending: SessionSealer, receiving: SessionSealer) {
        let keys = try noise.symmetric.split()
        let first = SessionSealer(keys.first)
        let second = SessionSealer(keys.second)
        return noise.role == .initiator ? (first, second) : (second, first)
    }
}
