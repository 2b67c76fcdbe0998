package import WatchProtoCore

/// The security of a paired device: Noise_KKpsk0_25519_ChaChaPoly_BLAKE2b for each session, packets
/// sealed, and keys of the psk for what stands outside a session.
///
/// ```text
/// message 1: version 1 · connection ID 4 · ephemeral key 32 · masked counter 8 · MAC 8 · payload, tag
/// message 2: connection ID of message 1 4 · ephemeral key 32 · payload, tag
/// ```
/// The prologue binds suite, version, pairing, the initiator's role, its connection ID and the
/// counter. The agreement of the static keys is computed once.
package struct PairedSecurity: PeerSecurity {
    /// True: packets are sealed.
    package static var isSealed: Bool { true }
    /// Version 1, the first that is sealed.
    package static var wireVersion: UInt8 { Suite.version }
    /// Ephemeral key, masked counter, MAC and tag: 64 bytes.
    package static var initiationOverheadBytes: Int { InitiationLayout.overheadBytes }
    /// Ephemeral key and tag: 48 bytes.
    package static var responseOverheadBytes: Int { 32 + ChaCha20Poly1305.tagByteCount }

    /// What the pairing left.
    package let device: PairedDevice
    /// To which lengths packets are padded.
    package let padding: PaddingClasses
    private let sharedStatic: Secret
    private let ownKeys: OuterKeys
    private let counterpartKeys: OuterKeys
    private let random: RandomSource

    /// Derives the keys of a pairing.
    ///
    /// - Throws: `HandshakeFailure.noMemory` without memory for keys; `notAuthentic` where the
    ///   counterpart's static key is of low order: the pairing is worthless.
    package init(
        _ device: PairedDevice, padding: PaddingClasses = .standard,
        random: RandomSource = .system
    ) throws(HandshakeFailure) {
        self.device = device
        self.padding = padding
        self.random = random
        do throws(SecurityFailure) {
            sharedStatic = try X25519.agree(device.keyPair.secret, device.counterpartKey)
            ownKeys = try OuterKeys(device.psk, sender: device.own.role)
            counterpartKeys = try OuterKeys(device.psk, sender: device.counterpart.role)
        } catch {
            throw error.asHandshakeFailure
        }
    }

    /// Whether this side's static key is the lower one.
    package var winsCrossing: Bool { device.ownKey.precedes(device.counterpartKey) }

    /// Makes message 1. Its payload has no forward secrecy: whoever gets hold of the counterpart's
    /// static key *and* the psk later can read it.
    package mutating func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> PairedInitiation {
        do throws(SecurityFailure) {
            var noise = try handshake(
                .initiator, id, counter: counter, initiator: device.own.role)
            let message = try noise.write(payload: payload)
            let body = InitiationLayout.body(message, counter: counter, of: id, keys: ownKeys)
            return PairedInitiation(
                message: InitiationPacket(
                    version: Suite.version, connectionID: id, body: body),
                earlySealer: try KKSealers.early(noise, padding), noise: noise,
                padding: padding, refusalMAC: counterpartKeys.refusalMAC)
        } catch {
            throw error.asHandshakeFailure
        }
    }

    package func counter(of message: InitiationPacket) -> UInt64? {
        InitiationLayout.counter(of: message, keys: counterpartKeys)
    }

    package mutating func open(
        _ message: InitiationPacket
    ) throws(HandshakeFailure) -> PairedResponse {
        guard let counter = counter(of: message) else { throw .notAuthentic }
        do throws(SecurityFailure) {
            var noise = try handshake(
                .responder, message.connectionID, counter: counter,
                initiator: device.counterpart.role)
            let payload = try noise.read(InitiationLayout.noise(message.body))
            return PairedResponse(
                payload: payload, earlySealer: try KKSealers.early(noise, padding),
                noise: noise, padding: padding)
        } catch {
            throw error.asHandshakeFailure
        }
    }

    package func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        Refusal.mac(message, highest, ownKeys.refusalMAC)
    }

    package func resetToken(for id: ConnectionID, of owner: SessionSide) -> UInt128 {
        let keys = owner == .own ? ownKeys : counterpartKeys
        return BigEndian.value(
            OuterKeys.mac(LittleEndian.bytes(id.rawValue), key: keys.resetToken))
    }

    private func handshake(
        _ role: NoiseHandshake.Role, _ id: ConnectionID, counter: UInt64, initiator: DeviceRole
    ) throws(SecurityFailure) -> NoiseHandshake {
        let prologue =
            CPace.withLength(Array(Suite.name.utf8)) + [Suite.version]
            + LittleEndian.bytes(device.pairing.rawValue) + [initiator.rawValue]
            + LittleEndian.bytes(id.rawValue) + LittleEndian.bytes(counter)
        return try NoiseHandshake(
            .reconnection, role, prologue: prologue, ownStatic: device.keyPair,
            remoteStatic: device.counterpartKey, psk: device.psk, sharedStatic: sharedStatic,
            random: random, arena: device.psk.arena)
    }
}

/// A handshake that this device initiated.
package struct PairedInitiation: InitiatorHandshake {
    /// Message 1.
    package let message: InitiationPacket
    /// Seals what follows message 1 at once.
    package let earlySealer: SessionSealer
    fileprivate var noise: NoiseHandshake
    fileprivate let padding: PaddingClasses
    fileprivate let refusalMAC: Secret

    package mutating func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (payload: [UInt8], keys: SessionKeys<SessionSealer>) {
        do throws(SecurityFailure) {
            var next = noise
            let payload = try next.read(body)
            let keys = try KKSealers.session(next, padding)
            noise = next
            return (payload, keys)
        } catch {
            throw error.asHandshakeFailure
        }
    }

    package func isAuthentic(_ refusal: RefusalPacket) -> Bool {
        OuterKeys.areEqual(
            BigEndian.bytes(refusal.mac),
            BigEndian.bytes(Refusal.mac(message, refusal.highest, refusalMAC)))
    }
}

/// A handshake that the counterpart initiated.
package struct PairedResponse: ResponderHandshake {
    /// What message 1 carried.
    package let payload: [UInt8]
    /// Opens what follows message 1.
    package let earlySealer: SessionSealer
    fileprivate var noise: NoiseHandshake
    fileprivate let padding: PaddingClasses

    package mutating func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<SessionSealer>) {
        guard noise.mayWrite else { throw .notAuthentic }
        do throws(SecurityFailure) {
            var next = noise
            let body = try next.write(payload: payload)
            let keys = try KKSealers.session(next, padding)
            noise = next
            return (body, keys)
        } catch {
            throw error.asHandshakeFailure
        }
    }
}

/// What comes out of a handshake of Noise.
private enum KKSealers {
    static let earlyLabel = "WatchProto early data key, version 1"

    /// What seals the packets that follow message 1, in numbers of their own.
    static func early(
        _ noise: NoiseHandshake, _ padding: PaddingClasses
    ) throws(SecurityFailure) -> SessionSealer {
        var sealer = SessionSealer(try noise.symmetric.exported(earlyLabel))
        sealer.padding = padding
        return sealer
    }

    /// The keys of the session, and its ticket: the first 8 bytes of the handshake hash.
    static func session(
        _ noise: NoiseHandshake, _ padding: PaddingClasses
    ) throws(SecurityFailure) -> SessionKeys<SessionSealer> {
        let keys = try noise.symmetric.split()
        var first = SessionSealer(keys.first)
        var second = SessionSealer(keys.second)
        first.padding = padding
        second.padding = padding
        let ticket = Ticket(rawValue: LittleEndian.value(noise.symmetric.hash[..<8]))
        return noise.role == .initiator
            ? SessionKeys(sending: first, receiving: second, ticket: ticket)
            : SessionKeys(sending: second, receiving: first, ticket: ticket)
    }
}

private enum Refusal {
    /// The MAC over connection ID and body of message 1, and the counter.
    static func mac(_ message: InitiationPacket, _ highest: UInt64, _ key: Secret) -> UInt128 {
        BigEndian.value(
            OuterKeys.mac(
                LittleEndian.bytes(message.connectionID.rawValue) + message.body
                    + LittleEndian.bytes(highest), key: key))
    }
}

/// Numbers as bytes, highest first, as MACs travel.
private enum BigEndian {
    static func bytes(_ value: UInt128) -> [UInt8] { LittleEndian.bytes(value).reversed() }

    static func value(_ bytes: [UInt8]) -> UInt128 { LittleEndian.value(bytes.reversed()) }
}

/// Address cookies by keyed BLAKE2b; the secret of a displaying side is 32 random bytes.
package enum BLAKE2bCookies: CookieHash {
    package static func hash(_ bytes: [UInt8], key: [UInt8]) -> UInt128 {
        BigEndian.value(BLAKE2b.hash(CPace.withLength(key), bytes, count: 16))
    }
}
