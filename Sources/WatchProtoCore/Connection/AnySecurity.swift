/// A security whose type is erased. ``Connection`` and ``Peer`` hold it, so they are not generic:
/// their code is compiled once, and one indirect call leads to the security.
///
/// It is a value: a copy is made when a second owner changes it.
package struct AnySecurity: Sendable {
    private var box: SecurityBox
    /// The facts that hold for all its sessions.
    package let traits: SecurityTraits

    fileprivate init(_ box: SecurityBox, _ traits: SecurityTraits, winsCrossing: Bool) {
        self.box = box
        self.traits = traits
        self.winsCrossing = winsCrossing
    }

    /// Whether this side's message 1 is answered where both sides open at once.
    let winsCrossing: Bool

    mutating func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> AnyInitiation {
        own()
        return try box.initiate(id, counter: counter, payload: payload)
    }

    func counter(of message: InitiationPacket) -> UInt64? { box.counter(of: message) }

    mutating func open(_ message: InitiationPacket) throws(HandshakeFailure) -> AnyResponse {
        own()
        return try box.open(message)
    }

    func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        box.refusalMAC(of: message, naming: highest)
    }

    func resetToken(
        for id: ConnectionID, answering tail: UInt64, of owner: SessionSide
    ) -> UInt128 {
        box.resetToken(for: id, answering: tail, of: owner)
    }

    mutating func random() -> UInt64 {
        own()
        return box.random()
    }

    private mutating func own() {
        if !isKnownUniquelyReferenced(&box) { box = box.copy() }
    }
}

extension PeerSecurity {
    /// This security without its type.
    package var erased: AnySecurity {
        AnySecurity(
            TypedSecurity(self),
            SecurityTraits(
                isSealed: Self.isSealed, wireVersion: Self.wireVersion,
                initiationOverheadBytes: Self.initiationOverheadBytes,
                responseOverheadBytes: Self.responseOverheadBytes,
                sealing: Initiation.Sealer.traits),
            winsCrossing: winsCrossing)
    }
}

/// The facts about a security that hold for all its sessions (``PeerSecurity``).
package struct SecurityTraits: Sendable {
    /// Whether packets are sealed.
    package let isSealed: Bool
    /// The wire version that the security speaks.
    package let wireVersion: UInt8
    let initiationOverheadBytes: Int
    let responseOverheadBytes: Int
    let sealing: SealingTraits
}

/// The class of every erased security, changed by its only owner alone. Only ``TypedSecurity``
/// makes instances.
private class SecurityBox: @unchecked Sendable {
    func copy() -> SecurityBox { fatalError() }
    func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> AnyInitiation { fatalError() }
    func counter(of message: InitiationPacket) -> UInt64? { fatalError() }
    func open(_ message: InitiationPacket) throws(HandshakeFailure) -> AnyResponse { fatalError() }
    func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        fatalError()
    }
    func resetToken(
        for id: ConnectionID, answering tail: UInt64, of owner: SessionSide
    ) -> UInt128 { fatalError() }
    func random() -> UInt64 { fatalError() }
}

private final class TypedSecurity<Base: PeerSecurity>: SecurityBox, @unchecked Sendable {
    private var base: Base

    init(_ base: Base) { self.base = base }

    override func copy() -> SecurityBox { TypedSecurity(base) }
    override func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> AnyInitiation {
        AnyInitiation(try base.initiate(id, counter: counter, payload: payload))
    }
    override func counter(of message: InitiationPacket) -> UInt64? { base.counter(of: message) }
    override func open(_ message: InitiationPacket) throws(HandshakeFailure) -> AnyResponse {
        AnyResponse(try base.open(message))
    }
    override func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        base.refusalMAC(of: message, naming: highest)
    }
    override func resetToken(
        for id: ConnectionID, answering tail: UInt64, of owner: SessionSide
    ) -> UInt128 {
        base.resetToken(for: id, answering: tail, of: owner)
    }
    override func random() -> UInt64 { base.random() }
}
