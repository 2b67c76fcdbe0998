import WatchProtoCore

/// The security of one process of one side of a world: it notes what it seals and opens, and plants
/// the mutants of sealed sessions. Without a seal there is nothing to note.
struct NotedSecurity<Base: PeerSecurity>: PeerSecurity {
    static var isSealed: Bool { Base.isSealed }
    static var wireVersion: UInt8 { Base.wireVersion }
    static var initiationOverheadBytes: Int { Base.initiationOverheadBytes }
    static var responseOverheadBytes: Int { Base.responseOverheadBytes }

    private var base: Base
    private let notes: SealingNotes?
    private let mutant: Mutant?
    /// Makes the security of the device's first start once more.
    private let makeFirst: @Sendable () -> Base

    init(
        _ base: Base, _ notes: SealingNotes, mutant: Mutant?,
        makeFirst: @escaping @Sendable () -> Base
    ) {
        self.base = base
        self.notes = Base.isSealed ? notes : nil
        self.mutant = mutant
        self.makeFirst = makeFirst
    }

    var winsCrossing: Bool { base.winsCrossing }

    mutating func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> NotedInitiation<Base.Initiation> {
        notes?.notePlaintext(payload[...])
        // A mutant draws the same ephemeral key for every handshake.
        if mutant == .nonceReset { base = makeFirst() }
        let initiation = try base.initiate(id, counter: counter, payload: payload)
        notes?.noteMessage(initiation.message.body)
        return NotedInitiation(initiation, notes, mutant, counter: counter)
    }

    func counter(of message: InitiationPacket) -> UInt64? { base.counter(of: message) }

    mutating func open(
        _ message: InitiationPacket
    ) throws(HandshakeFailure) -> NotedResponse<Base.Response> {
        let counter = base.counter(of: message) ?? 0
        return NotedResponse(try base.open(message), notes, mutant, counter: counter)
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

/// A handshake of the initiator whose sealers are noted.
struct NotedInitiation<Base: InitiatorHandshake>: InitiatorHandshake {
    private var base: Base
    private let notes: SealingNotes?
    private let mutant: Mutant?
    private let counter: UInt64

    init(_ base: Base, _ notes: SealingNotes?, _ mutant: Mutant?, counter: UInt64) {
        (self.base, self.notes, self.mutant) = (base, notes, mutant)
        self.counter = counter
    }

    var message: InitiationPacket { base.message }

    var earlySealer: NotedSealer<Base.Sealer> {
        NotedSealer(base.earlySealer, notes, mutant, earlyCounter: counter)
    }

    mutating func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (payload: [UInt8], keys: SessionKeys<NotedSealer<Base.Sealer>>) {
        let (payload, keys) = try base.open(body)
        notes?.noteResponse()
        return (payload, keys.noted(notes, mutant))
    }

    func isAuthentic(_ refusal: RefusalPacket) -> Bool { base.isAuthentic(refusal) }
}

/// A handshake of the responder whose sealers are noted.
struct NotedResponse<Base: ResponderHandshake>: ResponderHandshake {
    private var base: Base
    private let notes: SealingNotes?
    private let mutant: Mutant?
    private let counter: UInt64

    init(_ base: Base, _ notes: SealingNotes?, _ mutant: Mutant?, counter: UInt64) {
        (self.base, self.notes, self.mutant) = (base, notes, mutant)
        self.counter = counter
    }

    var payload: [UInt8] { base.payload }

    var earlySealer: NotedSealer<Base.Sealer> {
        NotedSealer(base.earlySealer, notes, mutant, earlyCounter: counter)
    }

    mutating func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<NotedSealer<Base.Sealer>>) {
        notes?.notePlaintext(payload[...])
        let (body, keys) = try base.respond(payload)
        notes?.noteMessage(body)
        return (body, keys.noted(notes, mutant))
    }
}

extension SessionKeys where Sealer: Sealing {
    fileprivate func noted(
        _ notes: SealingNotes?, _ mutant: Mutant?
    ) -> SessionKeys<NotedSealer<Sealer>> {
        SessionKeys<NotedSealer<Sealer>>(
            sending: NotedSealer(sending, notes, mutant),
            receiving: NotedSealer(receiving, notes, mutant), ticket: ticket)
    }
}
