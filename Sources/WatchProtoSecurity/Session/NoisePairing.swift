internal import WatchProtoCore

/// The state that all handshakes of a pairing share.
struct NoisePairing: Sendable {
    private let device: PairedDevice
    private var padding = PaddingClasses.standard
    private(set) var random = RandomSource.system
    private var known: KnownAgreements?
    /// The shared secret of the two static keys: the same in every handshake.
    private let staticShared: Secret
    /// The keys by which the counterpart recognises this side's messages.
    let own: OuterKeys
    /// The keys by which this side recognises the counterpart's messages.
    let counterpart: OuterKeys

    init(_ device: PairedDevice) throws(SecurityFailure) {
        self.device = device
        staticShared = try X25519.agree(device.keyPair.secret, device.counterpartKey)
        own = try OuterKeys(psk: device.psk, role: device.own.role)
        counterpart = try OuterKeys(psk: device.psk, role: device.counterpart.role)
    }

    /// Copies the pairing with these length classes and this source of ephemeral keys.
    func with(
        _ padding: PaddingClasses, _ random: RandomSource, _ known: KnownAgreements? = nil
    ) -> NoisePairing {
        var pairing = self
        pairing.known = known
        pairing.padding = padding
        pairing.random = random
        return pairing
    }

    var winsCrossing: Bool { device.ownKey.precedes(device.counterpartKey) }

    func handshake(
        _ role: NoiseHandshake.Role, _ id: ConnectionID, _ counter: UInt64
    ) throws(SecurityFailure) -> NoiseHandshake {
        try NoiseHandshake(
            .reconnection, role, prologue: prologue(id, counter), ownStatic: device.keyPair,
            remoteStatic: device.counterpartKey, psk: device.psk, staticShared: staticShared,
            known: known, random: random, arena: device.psk.arena)
    }

    /// The data on which both sides must agree beside their keys.
    func prologue(_ id: ConnectionID, _ counter: UInt64) -> [UInt8] {
        CPace.withLength(Array(Suite.name.utf8)) + [Suite.version]
            + LittleEndian.bytes(device.pairing.rawValue) + [Suite.version]
            + LittleEndian.bytes(id.rawValue) + LittleEndian.bytes(counter)
    }

    /// Seals the packets that follow message 1 at once.
    func earlySealer(_ noise: NoiseHandshake) throws(SecurityFailure) -> SessionSealer {
        sealer(try noise.symmetric.exported("WatchProto early data key, version 1"))
    }

    func keys(_ noise: NoiseHandshake) throws(SecurityFailure) -> SessionKeys<SessionSealer> {
        let (first, second) = try noise.symmetric.split()
        let isInitiator = noise.role == .initiator
        let ticket: UInt64 = LittleEndian.value(noise.symmetric.hash.prefix(8))
        return SessionKeys(
            sending: sealer(isInitiator ? first : second),
            receiving: sealer(isInitiator ? second : first), ticket: Ticket(rawValue: ticket))
    }

    private func sealer(_ key: Secret) -> SessionSealer {
        var sealer = SessionSealer(key)
        sealer.padding = padding
        return sealer
    }

    func refusal(
        of message: InitiationPacket, naming highest: UInt64, by refuser: OuterKeys
    ) -> UInt128 {
        // The bytes of the MAC travel as they are, highest first.
        LittleEndian.value(
            OuterKeys.mac(
                refuser.refusal, LittleEndian.bytes(highest),
                LittleEndian.bytes(message.connectionID.rawValue), message.body
            ).reversed())
    }
}
