import WatchProtoCore
import WatchProtoSecurity

/// A paired device's security whose plaintexts are kept.
struct ReadableSecurity: PeerSecurity {
    static var isSealed: Bool { NoiseSecurity.isSealed }
    static var wireVersion: UInt8 { NoiseSecurity.wireVersion }
    static var initiationOverheadBytes: Int { NoiseSecurity.initiationOverheadBytes }
    static var responseOverheadBytes: Int { NoiseSecurity.responseOverheadBytes }
    var base: NoiseSecurity
    let plaintexts: SealedPlaintexts

    var winsCrossing: Bool { base.winsCrossing }

    mutating func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> ReadableInitiation {
        ReadableInitiation(
            base: try base.initiate(id, counter: counter, payload: payload),
            plaintexts: plaintexts)
    }

    func counter(of message: InitiationPacket) -> UInt64? { base.counter(of: message) }

    mutating func open(
        _ message: InitiationPacket
    ) throws(HandshakeFailure) -> ReadableResponse {
        ReadableResponse(base: try base.open(message), plaintexts: plaintexts)
    }

    func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        base.refusalMAC(of: message, naming: highest)
    }

    func resetToken(
        for id: ConnectionID, answering tail: UInt64, of owner: SessionSide
    ) -> UInt128 {
        base.resetToken(for: id, answering: tail, of: owner)
    }

    mutating func random() -> UInt64 { base.random() }
}

/// Its handshake as the initiator.
struct ReadableInitiation: InitiatorHandshake {
    var base: NoiseInitiation
    let plaintexts: SealedPlaintexts

    var message: InitiationPacket { base.message }
    var earlySealer: ReadableSealer {
        ReadableSealer(base: base.earlySealer, plaintexts: plaintexts)
    }

    mutating func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (payload: [UInt8], keys: SessionKeys<ReadableSealer>) {
        let (payload, keys) = try base.open(body)
        return (payload, plaintexts.kept(keys))
    }

    func isAuthentic(_ refusal: RefusalPacket) -> Bool { base.isAuthentic(refusal) }
}

/// Its handshake as the responder.
struct ReadableResponse: ResponderHandshake {
    var base: NoiseResponse
    let plaintexts: SealedPlaintexts

    var payload: [UInt8] { base.payload }
    var earlySealer: ReadableSealer {
        ReadableSealer(base: base.earlySealer, plaintexts: plaintexts)
    }

    mutating func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<ReadableSealer>) {
        let (body, keys) = try base.respond(payload)
        return (body, plaintexts.kept(keys))
    }
}

extension SealedPlaintexts {
    fileprivate func kept(_ keys: SessionKeys<SessionSealer>) -> SessionKeys<ReadableSealer> {
        SessionKeys<ReadableSealer>(
            sending: ReadableSealer(base: keys.sending, plaintexts: self),
            receiving: ReadableSealer(base: keys.receiving, plaintexts: self),
            ticket: keys.ticket)
    }
}
