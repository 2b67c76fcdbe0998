/// The security of one pairing: makes and opens handshake messages, and authenticates what stands
/// outside a session.
///
/// A value without state of its own: counters and tickets belong to the journal, sessions to
/// ``Connection``.
package protocol PeerSecurity: Sendable {
    /// This side's part in a handshake that it initiated.
    associatedtype Initiation: InitiatorHandshake
    /// This side's part in a handshake that the counterpart initiated.
    associatedtype Response: ResponderHandshake where Response.Sealer == Initiation.Sealer

    /// Whether packets are sealed at all. Reports say so plainly where they are not.
    static var isSealed: Bool { get }

    /// The wire version that the security speaks; 0 is unsealed, for development only.
    static var wireVersion: UInt8 { get }

    /// Bytes that the body of message 1 is longer than its payload.
    static var initiationOverheadBytes: Int { get }

    /// Bytes that the body of message 2 is longer than its payload.
    static var responseOverheadBytes: Int { get }

    /// Whether this side's message 1 is the one that is answered where both sides open at once.
    /// Exactly one side of a pairing says true (in a sealed pairing the lower static key).
    var winsCrossing: Bool { get }

    /// Makes message 1.
    ///
    /// `id`, which this side drew, is authenticated with the message; `counter` was never used
    /// before.
    ///
    /// - Throws: `HandshakeFailure` without memory for keys: this host is at fault.
    mutating func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> Initiation

    /// The counter of a message 1 whose MAC is right; nil for every other. Costs one hash for a
    /// wrong MAC, and never a key agreement.
    func counter(of message: InitiationPacket) -> UInt64?

    /// Opens a message 1 whose MAC is right, with a key agreement.
    ///
    /// - Throws: `HandshakeFailure` where it does not authenticate; nothing has changed then.
    mutating func open(_ message: InitiationPacket) throws(HandshakeFailure) -> Response

    /// The MAC of a refusal of `message`, a message 1 of the counterpart.
    func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128

    /// The token that shows that `owner` does not know `id`, one of its own connection IDs; `tail`
    /// is the last eight bytes of the packet that the reset answers.
    func resetToken(
        for id: ConnectionID, answering tail: UInt64, of owner: SessionSide
    ) -> UInt128

    /// 64 random bits: the connection's only source of them.
    mutating func random() -> UInt64
}

/// One of the two sides of a session, as seen from here.
package enum SessionSide: Sendable {
    /// This side.
    case own
    /// The other side.
    case counterpart
}

/// This side's part in a handshake that it initiated: message 1 is made, message 2 is awaited.
package protocol InitiatorHandshake: Sendable {
    /// Seals one direction of the session.
    associatedtype Sealer: Sealing

    /// Message 1, to be repeated until it is answered.
    var message: InitiationPacket { get }

    /// Seals what follows message 1 at once.
    var earlySealer: Sealer { get }

    /// Opens message 2.
    ///
    /// - Throws: `HandshakeFailure` where it is not the counterpart's answer to this message 1;
    ///   nothing has changed then, and the right one can still come.
    mutating func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (payload: [UInt8], keys: SessionKeys<Sealer>)

    /// Whether a refusal is the counterpart's, of this message 1.
    func isAuthentic(_ refusal: RefusalPacket) -> Bool
}

/// This side's part in a handshake that the counterpart initiated: message 1 is opened.
package protocol ResponderHandshake: Sendable {
    /// Seals one direction of the session.
    associatedtype Sealer: Sealing

    /// The payload of message 1.
    var payload: [UInt8] { get }

    /// Opens the early packets that follow message 1.
    var earlySealer: Sealer { get }

    /// Makes the body of message 2. Once: a second message would use a nonce twice.
    ///
    /// - Throws: `HandshakeFailure` without memory for keys, and for a second call: this host is at
    ///   fault.
    mutating func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<Sealer>)
}

/// The session keys that a handshake yields.
package struct SessionKeys<Sealer: Sendable>: Sendable {
    /// Seals what this side sends.
    package var sending: Sealer
    /// Opens what the counterpart sends.
    package var receiving: Sealer
    /// 64 bits of the handshake hash after message 2.
    package var ticket: Ticket

    /// Makes the keys of a session.
    package init(sending: Sealer, receiving: Sealer, ticket: Ticket) {
        self.sending = sending
        self.receiving = receiving
        self.ticket = ticket
    }
}

/// Why a handshake message was not made or not opened.
package enum HandshakeFailure: Error, Hashable, Sendable {
    /// The message does not authenticate, or is not what this step allows.
    case notAuthentic
    /// An unsealed message names another pairing, or the same device.
    case wrongPeer(expected: PeerLabel, found: PeerLabel)
    /// There is no memory for a key: this host is at fault.
    case noMemory
}

/// Which device of which pairing somebody says it is.
package struct PeerLabel: Hashable, Sendable {
    /// The device.
    package var role: DeviceRole
    /// The pairing.
    package var pairing: PairingID

    /// Labels one device of a pairing.
    package init(role: DeviceRole, pairing: PairingID) {
        self.role = role
        self.pairing = pairing
    }

    /// A tag for logs: equal for equal pairings, different for all but one in four billion others,
    /// and no way back to the name of the pairing.
    package var pairingTag: UInt32 {
        let low = ContentHash.continued(
            ContentHash.start, with: UInt64(truncatingIfNeeded: pairing.rawValue))
        let whole = ContentHash.continued(
            low, with: UInt64(truncatingIfNeeded: pairing.rawValue >> 64))
        return UInt32(truncatingIfNeeded: whole >> 32)
    }

    /// The label of the other device of the pairing.
    package var counterpart: PeerLabel {
        PeerLabel(role: role.counterpart, pairing: pairing)
    }
}
