import WatchProto

/// The security of one life of one side of a world: what it seals and opens is noted, and the
/// mistakes of sealed sessions are planted here. Without a seal there is nothing to note.
struct NotedSecurity<Base: PeerSecurity>: PeerSecurity {
    static var isSealed: Bool { Base.isSealed }
    static var wireVersion: UInt8 { Base.wireVersion }
    static var smallestDatagramBytes: Int { Base.smallestDatagramBytes }

    private var base: Base
    private let notes: SealingNotes?
    private let canary: Canary?
    /// Makes the security of the device's first start once more.
    private let makeFirst: @Sendable () -> Base

    init(
        _ base: Base, _ notes: SealingNotes, canary: Canary?,
        makeFirst: @escaping @Sendable () -> Base
    ) {
        self.base = base
        self.notes = Base.isSealed ? notes : nil
        self.canary = canary
        self.makeFirst = makeFirst
    }

    mutating func makeHandshake(
        role: DeviceRole, prologue: [UInt8]
    ) -> NotedHandshake<Base.Handshake> {
        beginAnew()
        if canary == .flightRewritten {
            // Its ephemeral key is that of the first one; what it says is not.
            var first = makeFirst()
            var planted = noted(
                first.makeHandshake(role: role, prologue: prologue), role, prologue)
            planted.answerer = base.makeAnswer(role: role, prologue: prologue)
            return planted
        }
        return noted(base.makeHandshake(role: role, prologue: prologue), role, prologue)
    }

    mutating func makeAnswer(
        role: DeviceRole, prologue: [UInt8]
    ) -> NotedHandshake<Base.Handshake> {
        beginAnew()
        return noted(base.makeAnswer(role: role, prologue: prologue), role, prologue)
    }

    private func noted(
        _ handshake: Base.Handshake, _ role: DeviceRole, _ prologue: [UInt8]
    ) -> NotedHandshake<Base.Handshake> {
        var noted = NotedHandshake(handshake, notes, canary) { [base] in base.highestTaken }
        guard canary == .gateOpen else { return noted }
        noted.readUnchecked = { [makeFirst] flight in
            // To a device that has taken none yet every flight is new.
            var first = makeFirst()
            var handshake = first.makeAnswer(role: role, prologue: prologue)
            guard (try? handshake.read(flight.span)) != nil else { return nil }
            return (handshake, first.highestTaken)
        }
        return noted
    }

    mutating func restore(reserved: UInt64, taken: UInt64) {
        base.restore(reserved: reserved, taken: canary == .gateInMemory ? 0 : taken)
    }
    var reservationWanted: UInt64? { base.reservationWanted }
    mutating func reserved(_ end: UInt64) { base.reserved(end) }
    mutating func learn(_ highest: UInt64) { base.learn(highest) }
    var highestTaken: UInt64 { base.highestTaken }

    /// Where nothing in a handshake is fresh, every session has the keys of the first one.
    private mutating func beginAnew() {
        if canary == .nonceReset { base = makeFirst() }
    }
}

/// A handshake whose sealers are noted.
struct NotedHandshake<Base: Handshaking>: Handshaking {
    static var overheadBytes: Int { Base.overheadBytes }

    private var base: Base
    private let notes: SealingNotes?
    private let canary: Canary?
    /// The highest number of the counterpart's flights that was taken, on any link.
    private let highestTaken: @Sendable () -> UInt64
    /// The number of the flight that was read, where it was accepted.
    private var flight: UInt64 = 0
    /// Reads a flight whatever its number, and says which it is: for the planted mistake.
    var readUnchecked: (@Sendable ([UInt8]) -> (Base, UInt64)?)?
    /// What came of that for the flight that was read.
    private var unchecked: Base?
    /// Answers where this side yields: a planted mistake that is one of who opens goes no further.
    var answerer: Base?

    init(
        _ base: Base, _ notes: SealingNotes?, _ canary: Canary?,
        highestTaken: @escaping @Sendable () -> UInt64
    ) {
        (self.base, self.notes, self.canary) = (base, notes, canary)
        self.highestTaken = highestTaken
    }

    var mayWrite: Bool { base.mayWrite }
    var isComplete: Bool { base.isComplete }
    var repeatedAnswer: [UInt8]? { base.repeatedAnswer }
    var verdict: EarlyVerdict { (unchecked ?? base).verdict }
    var earlySending: NotedSealer<Base.Sealer>? {
        base.earlySending.map { NotedSealer($0, notes, canary, flight: 0) }
    }
    var earlyReceiving: NotedSealer<Base.Sealer>? {
        (unchecked ?? base).earlyReceiving.map { NotedSealer($0, notes, canary, flight: flight) }
    }

    mutating func write(payload: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        notes?.notePlaintext(payload[...])
        let flight = try base.write(payload: payload)
        // Where every key comes again, packets alone are to show it.
        if canary != .nonceReset { notes?.noteFlight(payload, as: flight) }
        return flight
    }

    mutating func read(_ flight: Span<UInt8>) throws(HandshakeFailure) -> [UInt8] {
        let wasEarly = base.earlyReceiving != nil
        let wasComplete = base.isComplete
        var payload = try base.read(flight)
        if var answerer, base.mayWrite {
            payload = try answerer.read(flight)
            (base, self.answerer) = (answerer, nil)
        }
        if !wasComplete, base.isComplete { notes?.noteGreeted() }
        // One that is accepted is above all before it.
        if !wasEarly, base.earlyReceiving != nil { self.flight = highestTaken() }
        if let readUnchecked, !payload.isEmpty, case .stale = base.verdict,
            let (handshake, number) = readUnchecked([UInt8](copying: flight))
        {
            (unchecked, self.flight) = (handshake, number)
        }
        return payload
    }

    mutating func split() -> (
        sending: NotedSealer<Base.Sealer>, receiving: NotedSealer<Base.Sealer>
    ) {
        let sealers = base.split()
        return (
            NotedSealer(sealers.sending, notes, canary),
            NotedSealer(sealers.receiving, notes, canary)
        )
    }
}
