package import WatchProtoCore

/// A sealed handshake that this side initiated.
package struct NoiseInitiation: InitiatorHandshake {
    /// Message 1, repeated until it is answered.
    package let message: InitiationPacket
    /// Seals the packets that follow message 1 at once.
    package let earlySealer: SessionSealer
    private var noise: NoiseHandshake
    private let pairing: NoisePairing

    init(
        _ message: InitiationPacket, _ earlySealer: SessionSealer, _ noise: NoiseHandshake,
        _ pairing: NoisePairing
    ) {
        self.message = message
        self.earlySealer = earlySealer
        self.noise = noise
        self.pairing = pairing
    }

    package mutating func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (payload: [UInt8], keys: SessionKeys<SessionSealer>) {
        do throws(SecurityFailure) {
            var next = noise
            let payload = try next.read(body)
            let keys = try pairing.keys(next)
            noise = next
            return (payload, keys)
        } catch {
            throw HandshakeFailure(error)
        }
    }

    package func isAuthentic(_ refusal: RefusalPacket) -> Bool {
        refusal.connectionID == message.connectionID
            && refusal.mac
                == pairing.refusal(of: message, naming: refusal.highest, by: pairing.counterpart)
    }
}

/// A sealed handshake that the counterpart initiated.
package struct NoiseResponse: ResponderHandshake {
    /// The payload of message 1.
    package let payload: [UInt8]
    /// Opens the early packets that follow message 1.
    package let earlySealer: SessionSealer
    private var noise: NoiseHandshake
    private let pairing: NoisePairing

    init(
        _ payload: [UInt8], _ earlySealer: SessionSealer, _ noise: NoiseHandshake,
        _ pairing: NoisePairing
    ) {
        self.payload = payload
        self.earlySealer = earlySealer
        self.noise = noise
        self.pairing = pairing
    }

    package mutating func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<SessionSealer>) {
        guard noise.mayWrite else { throw .notAuthentic }
        do throws(SecurityFailure) {
            let body = try noise.write(payload: payload)
            return (body, try pairing.keys(noise))
        } catch {
            throw HandshakeFailure(error)
        }
    }
}

extension HandshakeFailure {
    /// The failure for the core. It says only that a message does not authenticate.
    init(_ failure: SecurityFailure) {
        switch failure {
        case .authenticationFailure, .malformed: self = .notAuthentic
        case .noSecretMemory: self = .noMemory
        }
    }
}
