/// A security that proves nothing and hides nothing, for development. Every value it calls a MAC is
/// a checksum that anybody can make.
///
/// ```text
/// message 1: random 8 · counter 8 · checksum 8 · role 1 · pairing 16 · payload
/// message 2: random 8 · role 1 · pairing 16 · payload
/// ```
/// The ticket is a hash of both messages' random bytes.
package struct NullSecurity: PeerSecurity {
    /// False: nothing is sealed.
    package static var isSealed: Bool { false }
    /// Version 0.
    package static var wireVersion: UInt8 { 0 }
    /// Random bytes, counter, checksum, role and pairing: 41 bytes.
    package static var initiationOverheadBytes: Int { 41 }
    /// Random bytes, role and pairing: 25 bytes.
    package static var responseOverheadBytes: Int { 25 }

    /// Which device of which pairing this side is.
    package let own: PeerLabel
    private var generator: SeededGenerator

    /// Makes the security of a device; `seed` is the environment's randomness.
    package init(_ own: PeerLabel, seed: UInt64) {
        self.own = own
        generator = SeededGenerator(seed: seed)
    }

    /// The phone's message 1 is answered.
    package var winsCrossing: Bool { own.role == .phone }

    package mutating func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> NullInitiation {
        let random = generator.next()
        var rest = WireWriter()
        own.write(to: &rest)
        rest.append(payload)
        var writer = WireWriter()
        for word in [random, counter, NullChecksum.of(id, random, counter, rest.bytes)] {
            writer.uint64(word)
        }
        writer.append(rest.bytes)
        let message = InitiationPacket(
            version: Self.wireVersion, connectionID: id, body: writer.bytes)
        return NullInitiation(message: message, own: own, random: random)
    }

    package func counter(of message: InitiationPacket) -> UInt64? {
        NullMessage(message)?.counter
    }

    package mutating func open(
        _ message: InitiationPacket
    ) throws(HandshakeFailure) -> NullResponse {
        guard let fields = NullMessage(message) else { throw .notAuthentic }
        let payload = try own.payload(after: fields.rest)
        return NullResponse(
            payload: payload, own: own, initiatorRandom: fields.random,
            random: generator.next())
    }

    package func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        NullChecksum.refusal(of: message, naming: highest)
    }

    package mutating func random() -> UInt64 { generator.next() }

    package func resetToken(
        for id: ConnectionID, answering tail: UInt64, of owner: SessionSide
    ) -> UInt128 {
        let role = owner == .own ? own.role : own.role.counterpart
        let hash = ContentHash.continued(
            ContentHash.continued(ContentHash.start, with: tail),
            with: UInt64(id.rawValue) << 8 | UInt64(role.rawValue))
        return UInt128(ContentHash.continued(hash, with: 0)) << 64 | UInt128(hash)
    }
}

/// An unsealed handshake that this side initiated.
package struct NullInitiation: InitiatorHandshake {
    /// Message 1.
    package let message: InitiationPacket
    fileprivate let own: PeerLabel
    fileprivate let random: UInt64

    /// Seals nothing.
    package var earlySealer: NullSealer { NullSealer() }

    package mutating func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (payload: [UInt8], keys: SessionKeys<NullSealer>) {
        var reader = WireReader(body.span)
        guard let other = try? reader.uint64("random") else { throw .notAuthentic }
        let payload = try own.payload(after: Array(body[reader.offset...]))
        return (payload, NullSealer.keys(random, other))
    }

    package func isAuthentic(_ refusal: RefusalPacket) -> Bool {
        refusal.mac == NullChecksum.refusal(of: message, naming: refusal.highest)
    }
}

/// An unsealed handshake that the counterpart initiated.
package struct NullResponse: ResponderHandshake {
    /// The payload of message 1.
    package let payload: [UInt8]
    fileprivate let own: PeerLabel
    fileprivate let initiatorRandom: UInt64
    fileprivate let random: UInt64

    /// Opens nothing that was sealed.
    package var earlySealer: NullSealer { NullSealer() }

    package mutating func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<NullSealer>) {
        var writer = WireWriter()
        writer.uint64(random)
        own.write(to: &writer)
        writer.append(payload)
        return (writer.bytes, NullSealer.keys(initiatorRandom, random))
    }
}

/// Leaves packets as they are.
package struct NullSealer: Sealing {
    /// 0 bytes.
    package static var overheadBytes: Int { 0 }

    /// Leaves the packet as it is.
    package mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {}

    /// True: every packet counts.
    package mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        true
    }

    fileprivate static func keys(_ first: UInt64, _ second: UInt64) -> SessionKeys<NullSealer> {
        let hash = ContentHash.continued(
            ContentHash.continued(ContentHash.start, with: first), with: second)
        return SessionKeys(
            sending: NullSealer(), receiving: NullSealer(), ticket: Ticket(rawValue: hash))
    }
}

/// The fields of an unsealed message 1.
private struct NullMessage {
    var random: UInt64
    var counter: UInt64
    /// Role, pairing and payload.
    var rest: [UInt8]

    /// Nil where the message is too short or its checksum is wrong.
    init?(_ message: InitiationPacket) {
        var reader = WireReader(message.body.span)
        guard let random = try? reader.uint64("random"),
            let counter = try? reader.uint64("counter"),
            let checksum = try? reader.uint64("checksum")
        else { return nil }
        (self.random, self.counter) = (random, counter)
        rest = Array(message.body[reader.offset...])
        let expected = NullChecksum.of(message.connectionID, random, counter, rest)
        guard checksum == expected else { return nil }
    }
}

private enum NullChecksum {
    static func of(
        _ id: ConnectionID, _ random: UInt64, _ counter: UInt64, _ rest: [UInt8]
    ) -> UInt64 {
        var hash = ContentHash.of(rest)
        hash = ContentHash.continued(hash, with: UInt64(id.rawValue))
        hash = ContentHash.continued(hash, with: random)
        return ContentHash.continued(hash, with: counter)
    }

    static func refusal(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        let hash = ContentHash.continued(ContentHash.of(message.body), with: highest)
        return UInt128(ContentHash.continued(hash, with: 1)) << 64 | UInt128(hash)
    }
}

extension PeerLabel {
    fileprivate func write(to writer: inout WireWriter) {
        writer.byte(role.rawValue)
        writer.uint128(pairing.rawValue)
    }

    /// The payload behind the counterpart's label.
    fileprivate func payload(after bytes: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        var reader = WireReader(bytes.span)
        guard let code = try? reader.byte("role"), let role = DeviceRole(rawValue: code),
            let pairing = try? reader.uint128("pairing")
        else { throw .notAuthentic }
        let found = PeerLabel(role: role, pairing: PairingID(rawValue: pairing))
        guard found == counterpart else { throw .wrongPeer(expected: counterpart, found: found) }
        return Array(bytes[reader.offset...])
    }
}
