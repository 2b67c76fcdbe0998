public import WatchProto

/// The security of one side of a pair, which notes what its packets carry and changes nothing.
public struct SightedSecurity<Base: PeerSecurity>: PeerSecurity {
    public static var isSealed: Bool { Base.isSealed }
    public static var wireVersion: UInt8 { Base.wireVersion }
    public static var smallestDatagramBytes: Int { Base.smallestDatagramBytes }

    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    public mutating func makeHandshake(
        role: DeviceRole, prologue: [UInt8]
    ) -> SightedHandshake<Base.Handshake> {
        SightedHandshake(base.makeHandshake(role: role, prologue: prologue), notes)
    }

    public mutating func makeAnswer(
        role: DeviceRole, prologue: [UInt8]
    ) -> SightedHandshake<Base.Handshake> {
        SightedHandshake(base.makeAnswer(role: role, prologue: prologue), notes)
    }

    public mutating func restore(reserved: UInt64, taken: UInt64) {
        base.restore(reserved: reserved, taken: taken)
    }
    public var reservationWanted: UInt64? { base.reservationWanted }
    public mutating func reserved(_ end: UInt64) { base.reserved(end) }
    public mutating func learn(_ highest: UInt64) { base.learn(highest) }
    public var highestTaken: UInt64 { base.highestTaken }
}

/// A handshake whose sealers note what they seal.
public struct SightedHandshake<Base: Handshaking>: Handshaking {
    public static var overheadBytes: Int { Base.overheadBytes }

    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    public var mayWrite: Bool { base.mayWrite }
    public var isComplete: Bool { base.isComplete }
    public var repeatedAnswer: [UInt8]? { base.repeatedAnswer }
    public var verdict: EarlyVerdict { base.verdict }
    public var earlySending: SightedSealer<Base.Sealer>? {
        base.earlySending.map { SightedSealer($0, notes) }
    }
    public var earlyReceiving: SightedSealer<Base.Sealer>? {
        base.earlyReceiving.map { SightedSealer($0, notes) }
    }

    public mutating func write(payload: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        try base.write(payload: payload)
    }

    public mutating func read(_ flight: Span<UInt8>) throws(HandshakeFailure) -> [UInt8] {
        try base.read(flight)
    }

    public mutating func split() -> (
        sending: SightedSealer<Base.Sealer>, receiving: SightedSealer<Base.Sealer>
    ) {
        let sealers = base.split()
        return (SightedSealer(sealers.sending, notes), SightedSealer(sealers.receiving, notes))
    }
}

/// A sealer that notes what it seals.
public struct SightedSealer<Base: Sealing>: Sealing {
    public static var overheadBytes: Int { Base.overheadBytes }
    public static var leastPaddingBytes: Int { Base.leastPaddingBytes }
    public static var renewalAge: Duration? { Base.renewalAge }
    public static var keyAge: Duration? { Base.keyAge }
    public static func nextKeyNumber(after number: UInt64) -> UInt64 {
        Base.nextKeyNumber(after: number)
    }
    public static func keyPhase(of number: UInt64) -> Bool { Base.keyPhase(of: number) }
    public static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        Base.unpad(&packet, from: start)
    }

    private var base: Base
    private let notes: SealedNotes

    init(_ base: Base, _ notes: SealedNotes) {
        (self.base, self.notes) = (base, notes)
    }

    public func needsRenewal(at number: UInt64) -> Bool { base.needsRenewal(at: number) }

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
