public import WatchProto

/// The security of one side of a pair, which notes what its packets carry and changes nothing.
public struct SightedSecurity<Base: PeerSecurity>: PeerSecurity {
    public static var isSealed: Bool { Base.isSealed }
    public static var wireVersion: UInt8 { Base.wireVersion }
    public static var initiationOverheadBytes: Int { Base.initiationOverheadBytes }
    public static var responseOverheadBytes: Int { Base.responseOverheadBytes }

    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    public var winsCrossing: Bool { base.winsCrossing }

    public mutating func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> SightedInitiation<Base.Initiation> {
        SightedInitiation(try base.initiate(id, counter: counter, payload: payload), notes)
    }

    public func counter(of message: InitiationPacket) -> UInt64? { base.counter(of: message) }

    public mutating func open(
        _ message: InitiationPacket
    ) throws(HandshakeFailure) -> SightedResponse<Base.Response> {
        SightedResponse(try base.open(message), notes)
    }

    public func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        base.refusalMAC(of: message, naming: highest)
    }

    public func resetToken(
        for id: ConnectionID, answering tail: UInt64, of owner: SessionSide
    ) -> UInt128 {
        base.resetToken(for: id, answering: tail, of: owner)
    }

    public mutating func random() -> UInt64 { base.random() }
}

/// A handshake of the initiator whose sealers note what they seal.
public struct SightedInitiation<Base: InitiatorHandshake>: InitiatorHandshake {
    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    public var message: InitiationPacket { base.message }
    public var earlySealer: SightedSealer<Base.Sealer> { SightedSealer(base.earlySealer, notes) }

    public mutating func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (
        payload: [UInt8], keys: SessionKeys<SightedSealer<Base.Sealer>>
    ) {
        let (payload, keys) = try base.open(body)
        return (payload, keys.sighted(notes))
    }

    public func isAuthentic(_ refusal: RefusalPacket) -> Bool { base.isAuthentic(refusal) }
}

/// A handshake of the responder whose sealers note what they seal.
public struct SightedResponse<Base: ResponderHandshake>: ResponderHandshake {
    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    public var payload: [UInt8] { base.payload }
    public var earlySealer: SightedSealer<Base.Sealer> { SightedSealer(base.earlySealer, notes) }

    public mutating func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<SightedSealer<Base.Sealer>>) {
        let (body, keys) = try base.respond(payload)
        return (body, keys.sighted(notes))
    }
}

extension SessionKeys {
    fileprivate func sighted(_ notes: SealedNotes) -> SessionKeys<SightedSealer<Sealer>> {
        SessionKeys<SightedSealer<Sealer>>(
            sending: SightedSealer(sending, notes), receiving: SightedSealer(receiving, notes),
            ticket: ticket)
    }
}

/// A sealer that notes what it seals.
public struct SightedSealer<Base: Sealing>: Sealing {
    public static var overheadBytes: Int { Base.overheadBytes }
    public static var leastPaddingBytes: Int { Base.leastPaddingBytes }
    public static var renewalAge: Duration? { Base.renewalAge }
    public static var keyAge: Duration? { Base.keyAge }
    public static var lastNumber: UInt64 { Base.lastNumber }
    public static var numbersPerKey: UInt64 { Base.numbersPerKey }
    public static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        Base.unpad(&packet, from: start)
    }

    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    public func needsRenewal(at number: UInt64) -> Bool { base.needsRenewal(at: number) }

    public mutating func prepare(_ number: UInt64) -> Bool { base.prepare(number) }

    public mutating func dropFormerKey() { base.dropFormerKey() }

    public var lacksMemory: Bool { base.lacksMemory }

    public func capacity(within limit: Int) -> Int { base.capacity(within: limit) }

    public func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        notes.notePadded(packet, from: start)
        base.pad(&packet, from: start, atMost: limit)
    }

    public mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        base.seal(&packet, from: start, number: number)
        notes.noteSealed(packet)
    }

    public mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        base.open(&packet, from: start, number: number)
    }
}
