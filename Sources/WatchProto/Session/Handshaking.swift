/// A handshake in progress, bytes in and bytes out (Noise's shape: a flight may carry a payload).
///
/// The null handshake has one flight each way and proves nothing; it exists for development and
/// says so through ``PeerSecurity/isSealed``.
public protocol Handshaking: Sendable {
    /// Seals one direction of the session the handshake opens.
    associatedtype Sealer: Sealing

    /// Whether it is this side's turn to write a flight.
    var mayWrite: Bool { get }

    /// Whether both directions can now be sealed.
    var isComplete: Bool { get }

    /// The next flight, carrying `payload`. Call only while ``mayWrite``. Throws when the handshake
    /// cannot go on; it is over then.
    mutating func write(payload: [UInt8]) throws(HandshakeFailure) -> [UInt8]

    /// Takes the counterpart's next flight and gives the payload it carried. Throws when that does
    /// not authenticate or is none; whoever sent it is at fault.
    mutating func read(_ flight: Span<UInt8>) throws(HandshakeFailure) -> [UInt8]

    /// The sealers of the session. Call once, when ``isComplete``.
    mutating func split() -> (sending: Sealer, receiving: Sealer)
}

/// Why a handshake cannot go on. What does not authenticate says no more than that.
public enum HandshakeFailure: Error, Hashable, Sendable {
    /// The flight is not what this step allows, or does not authenticate.
    case authenticationFailure
    /// The flight is too short or too long to be one.
    case malformed
}

/// Seals or opens the packets of one direction of one session.
public protocol Sealing: Sendable {
    /// Bytes a sealed packet is longer than its plaintext.
    static var overheadBytes: Int { get }

    /// Replaces `packet[start...]` by its sealed form; `packet[..<start]` is authenticated with it.
    mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64)

    /// Replaces `packet[start...]` by what was sealed, and says whether it is authentic. When it is
    /// not, `packet` is worthless.
    mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool
}

/// The security of a peer: makes a handshake for each link.
public protocol PeerSecurity: Sendable {
    /// The handshake that opens a session.
    associatedtype Handshake: Handshaking

    /// Whether packets are sealed at all. Reports say so plainly where they are not.
    static var isSealed: Bool { get }

    /// The wire version this security speaks: 0 is unsealed, for development only.
    static var wireVersion: UInt8 { get }

    /// A fresh handshake for a new link. Both sides may open at once.
    mutating func makeHandshake(role: DeviceRole, prologue: [UInt8]) -> Handshake
}
