/// The security of a peer: makes a handshake for each link.
public protocol PeerSecurity: Sendable {
    /// The handshake that opens a session.
    associatedtype Handshake: Handshaking

    /// Whether packets are sealed at all. Reports say so plainly where they are not.
    static var isSealed: Bool { get }

    /// The wire version this security speaks: 0 is unsealed, for development only.
    static var wireVersion: UInt8 { get }

    /// The smallest datagram, in bytes, that a flight of it always fits.
    static var smallestDatagramBytes: Int { get }

    /// A fresh handshake for a new link. Both sides may open at once.
    mutating func makeHandshake(role: DeviceRole, prologue: [UInt8]) -> Handshake

    /// A fresh handshake for a first flight of the counterpart; this side does not open with it.
    mutating func makeAnswer(role: DeviceRole, prologue: [UInt8]) -> Handshake

    /// The peer goes on from its journal: first flights below `reserved` may have been numbered,
    /// and `taken` is the highest number of the counterpart's that was taken.
    mutating func restore(reserved: UInt64, taken: UInt64)

    /// Up to where numbers of first flights are to be made durable; nil while there are enough.
    var reservationWanted: UInt64? { get }

    /// It is durable that numbers below `end` may be used.
    mutating func reserved(_ end: UInt64)

    /// The counterpart has seen this number: those of this side's first flights go on above it.
    mutating func learn(_ highest: UInt64)

    /// The highest number of the counterpart's first flights that was taken; 0 before the first.
    var highestTaken: UInt64 { get }
}

extension PeerSecurity {
    /// What every limit allows: 128 bytes.
    public static var smallestDatagramBytes: Int { 128 }
}
