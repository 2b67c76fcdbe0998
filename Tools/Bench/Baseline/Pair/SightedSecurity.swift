package import WatchProtoCore

/// The security of one side of a pair, which notes what its packets carry and changes nothing.
package struct SightedSecurity<Base: PeerSecurity>: PeerSecurity {
    package static var isSealed: Bool { Base.isSealed }
    package static var wireVersion: UInt8 { Base.wireVersion }
    package static var initiationOverheadBytes: Int { Base.initiationOverheadBytes }
    package static var responseOverheadBytes: Int { Base.responseOverheadBytes }

    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    package var winsCrossing: Bool { base.winsCrossing }

    package mutating func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> SightedInitiation<Base.Initiation> {
        SightedInitiation(try base.initiate(id, counter: counter, payload: payload), notes)
    }

    package func counter(of message: InitiationPacket) -> UInt64? { base.counter(of: message) }

    package mutating func open(
        _ message: InitiationPacket
    ) throws(HandshakeFailure) -> SightedResponse<Base.Response> {
        SightedResponse(try base.open(message), notes)
    }

    package func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        base.refusalMAC(of: message, naming: highest)
    }

    package func resetToken(
        for id: ConnectionID, answering tail: UInt64, of owner: SessionSide
    ) -> UInt128 {
        base.resetToken(for: id, answering: tail, of: owner)
    }

    package mutating func random() -> UInt64 { base.random() }
}

/// A handshake of the initiator whose sealers note what they seal.
package struct SightedInitiation<Base: InitiatorHandshake>: InitiatorHandshake {
    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    package var message: InitiationPacket { base.message }
    package var earlySealer: SightedSealer<Base.Sealer> { SightedSealer(base.earlySealer, notes) }

    package mutating func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (
        payload: [UInt8], keys: SessionKeys<SightedSealer<Base.Sealer>>
    ) {
        let (payload, keys) = try base.open(body)
        return (payload, keys.sighted(notes))
    }

    package func isAuthentic(_ refusal: RefusalPacket) -> Bool { base.isAuthentic(refusal) }
}

/// A handshake of the responder whose sealers note what they seal.
package struct SightedResponse<Base: ResponderHandshake>: ResponderHandshake {
    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    package var payload: [UInt8] { base.payload }
    package var earlySealer: SightedSealer<Base.Sealer> { SightedSealer(base.earlySealer, notes) }

    package mutating func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<SightedSealer<Base.Sealer>>) {
        let (body, keys) = try base.respond(payload)
        return (body, keys.sighted(notes))
    }
}

extension SessionKeys where Sealer: Sealing {
    fileprivate func sighted(_ notes: SealedNotes) -> SessionKeys<SightedSealer<Sealer>> {
        SessionKeys<SightedSealer<Sealer>>(
            sending: SightedSealer(sending, notes), receiving: SightedSealer(receiving, notes),
            ticket: ticket)
    }
}

/// A sealer that notes what it seals.
package struct SightedSealer<Base: Sealing>: Sealing {
    package static var overheadBytes: Int { Base.overheadBytes }
    package static var leastPaddingBytes: Int { Base.leastPaddingBytes }
    package static var renewalAge: Duration? { Base.renewalAge }
    package static var keyAge: Duration? { Base.keyAge }
    package static var lastNumber: UInt64 { Base.lastNumber }
    package static var numbersPerKey: UInt64 { Base.numbersPerKey }
    package static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        Base.unpad(&packet, from: start)
    }

    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    package func needsRenewal(at number: UInt64) -> Bool { base.needsRenewal(at: number) }

    package mutating func prepare(_ number: UInt64) -> Bool { base.prepare(number) }

    package mutating func dropFormerKey() { base.dropFormerKey() }

    package var lacksMemory: Bool { base.lacksMemory }

    package func capacity(within limit: Int) -> Int { base.capacity(within: limit) }

    package func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        notes.notePadded(packet, from: start)
        base.pad(&packet, from: start, atMost: limit)
    }

    package mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        base.seal(&packet, from: start, number: number)
        notes.noteSealed(packet)
    }

    package mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        base.open(&packet, from: start, number: number)
    }
}
