/// A handshake in progress, bytes in and bytes out (Noise's shape: a flight may carry a payload).
///
/// A copy goes its own way: what a peer has opened it can try against several flights, of which
/// some may be an earlier session's.
///
/// The null handshake has one flight each way and proves nothing; it exists for development and
/// says so through ``PeerSecurity/isSealed``.
public protocol Handshaking: Sendable {
    /// Seals one direction of the session the handshake opens.
    associatedtype Sealer: Sealing

    /// Bytes that the longest flight is longer than its payload.
    static var overheadBytes: Int { get }

    /// Whether it is this side's turn to write a flight.
    var mayWrite: Bool { get }

    /// Whether both directions can now be sealed.
    var isComplete: Bool { get }

    /// The answer to a first flight that came again, right after it was read; nil otherwise, and
    /// where it was never answered.
    var repeatedAnswer: [UInt8]? { get }

    /// The next flight, carrying `payload`. Call only while ``mayWrite``. Throws when the handshake
    /// cannot go on; it is over then.
    mutating func write(payload: [UInt8]) throws(HandshakeFailure) -> [UInt8]

    /// Takes the counterpart's next flight and gives the payload it carried, which is empty for a
    /// first flight that came again. Throws when that does not authenticate or is none; whoever
    /// sent it is at fault, and nothing has changed.
    mutating func read(_ flight: Span<UInt8>) throws(HandshakeFailure) -> [UInt8]

    /// Seals what follows this side's first flight at once; nil before it, and where no early data
    /// may follow.
    var earlySending: Sealer? { get }

    /// Opens what follows the counterpart's first flight; nil before it, and where it is refused.
    var earlyReceiving: Sealer? { get }

    /// What becomes of the early data behind the counterpart's first flight.
    var verdict: EarlyVerdict { get }

    /// The sealers of the session. Call once, when ``isComplete``.
    mutating func split() -> (sending: Sealer, receiving: Sealer)
}

/// Why a handshake cannot go on. What does not authenticate says no more than that.
public enum HandshakeFailure: Error, Hashable, Sendable {
    /// The flight is not what this step allows, or does not authenticate.
    case authenticationFailure
    /// The flight is too short or too long to be one.
    case malformed
    /// There is no memory for a key: this host is at fault, and whoever sent the flight is not.
    case noMemory
}

/// Seals or opens the packets of one direction of one session.
public protocol Sealing: Sendable {
    /// Bytes a sealed packet is longer than its plaintext.
    static var overheadBytes: Int { get }

    /// Bytes that filling adds at least; 0 where packets are not filled up.
    static var leastPaddingBytes: Int { get }

    /// How old a session may get before a new one has to follow; nil for any age.
    static var renewalAge: Duration? { get }

    /// How old a key may get before its sender goes on with the next one; nil for any age.
    static var keyAge: Duration? { get }

    /// The first number that has the key after that of packet `number`.
    static func nextKeyNumber(after number: UInt64) -> UInt64

    /// Which of two alternating keys packet `number` has.
    static func keyPhase(of number: UInt64) -> Bool

    /// Whether a new session is due, with `number` as the next of this direction.
    func needsRenewal(at number: UInt64) -> Bool

    /// Fills `packet[start...]` up before it is sealed, to `limit` bytes at most, so that its
    /// length says less. What lies there is at least ``leastPaddingBytes`` shorter than `limit`.
    func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int)

    /// The most bytes that are filled up to `limit` bytes or less; 0 where none are.
    func capacity(within limit: Int) -> Int

    /// Takes the filling off `packet[start...]` after it was opened; false when there is none
    /// although there should be: the counterpart is at fault.
    static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool

    /// Makes the key of packet `number` ready, so that no memory is needed to seal it; what comes
    /// before the key before that can no longer be sealed. False without memory for it: this host
    /// is at fault, and packets of the keys there are can go on.
    mutating func prepare(_ number: UInt64) -> Bool

    /// Replaces `packet[start...]` by its sealed form; `packet[..<start]` is authenticated with it.
    /// Only where ``prepare(_:)`` has said that there is a key.
    mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64)

    /// Replaces `packet[start...]` by what was sealed, and says whether it is authentic. When it is
    /// not, `packet` is worthless.
    mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool

    /// Whether the last packet was not opened for want of memory for its key: this host is at
    /// fault, and not whoever sent it.
    var lacksMemory: Bool { get }
}

/// One key for ever, and lengths as they are.
extension Sealing {
    /// Nothing is filled up: 0 bytes.
    public static var leastPaddingBytes: Int { 0 }
    /// Any age.
    public static var renewalAge: Duration? { nil }
    /// Any age.
    public static var keyAge: Duration? { nil }
    /// The next number.
    public static func nextKeyNumber(after number: UInt64) -> UInt64 { number + 1 }
    /// The first key.
    public static func keyPhase(of number: UInt64) -> Bool { false }
    /// Never.
    public func needsRenewal(at number: UInt64) -> Bool { false }
    /// True: there is one key.
    public mutating func prepare(_ number: UInt64) -> Bool { true }
    /// False: there is one key.
    public var lacksMemory: Bool { false }
    /// All of them.
    public func capacity(within limit: Int) -> Int { max(0, limit) }
    /// Leaves `packet` as it is.
    public func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {}
    /// Leaves `packet` as it is; true.
    public static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool { true }
}
