/// This side's part in a handshake that it initiated, with its type erased.
struct AnyInitiation: Sendable {
    private var box: InitiationBox
    /// Message 1.
    let message: InitiationPacket

    init(_ handshake: some InitiatorHandshake) {
        box = TypedInitiation(handshake)
        message = handshake.message
    }

    var earlySealer: AnySealer { box.earlySealer }

    mutating func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (payload: [UInt8], keys: SessionKeys<AnySealer>) {
        if !isKnownUniquelyReferenced(&box) { box = box.copy() }
        return try box.open(body)
    }

    func isAuthentic(_ refusal: RefusalPacket) -> Bool { box.isAuthentic(refusal) }
}

/// This side's part in a handshake that the counterpart initiated, with its type erased.
struct AnyResponse: Sendable {
    private var box: ResponseBox
    /// The payload of message 1.
    let payload: [UInt8]

    init(_ handshake: some ResponderHandshake) {
        box = TypedResponse(handshake)
        payload = handshake.payload
    }

    var earlySealer: AnySealer { box.earlySealer }

    mutating func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<AnySealer>) {
        if !isKnownUniquelyReferenced(&box) { box = box.copy() }
        return try box.respond(payload)
    }
}

extension SessionKeys where Sealer: Sealing {
    fileprivate var erased: SessionKeys<AnySealer> {
        SessionKeys<AnySealer>(
            sending: AnySealer(sending), receiving: AnySealer(receiving), ticket: ticket)
    }
}

/// The class of every erased handshake of an initiator, changed by its only owner alone. Only
/// ``TypedInitiation`` makes instances.
private class InitiationBox: @unchecked Sendable {
    func copy() -> InitiationBox { fatalError() }
    var earlySealer: AnySealer { fatalError() }
    func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (payload: [UInt8], keys: SessionKeys<AnySealer>) { fatalError() }
    func isAuthentic(_ refusal: RefusalPacket) -> Bool { fatalError() }
}

private final class TypedInitiation<Base: InitiatorHandshake>: InitiationBox, @unchecked Sendable {
    private var base: Base

    init(_ base: Base) { self.base = base }

    override func copy() -> InitiationBox { TypedInitiation(base) }
    override var earlySealer: AnySealer { AnySealer(base.earlySealer) }
    override func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (payload: [UInt8], keys: SessionKeys<AnySealer>) {
        let (payload, keys) = try base.open(body)
        return (payload, keys.erased)
    }
    override func isAuthentic(_ refusal: RefusalPacket) -> Bool { base.isAuthentic(refusal) }
}

/// The class of every erased handshake of a responder, changed by its only owner alone. Only
/// ``TypedResponse`` makes instances.
private class ResponseBox: @unchecked Sendable {
    func copy() -> ResponseBox { fatalError() }
    var earlySealer: AnySealer { fatalError() }
    func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<AnySealer>) { fatalError() }
}

private final class TypedResponse<Base: ResponderHandshake>: ResponseBox, @unchecked Sendable {
    private var base: Base

    init(_ base: Base) { self.base = base }

    override func copy() -> ResponseBox { TypedResponse(base) }
    override var earlySealer: AnySealer { AnySealer(base.earlySealer) }
    override func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<AnySealer>) {
        let (body, keys) = try base.respond(payload)
        return (body, keys.erased)
    }
}
