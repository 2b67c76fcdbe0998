/// The kind of a packet: the low three bits of a datagram's first byte, and of a packet's length
/// prefix on a stream.
package enum PacketKind: UInt8, Sendable, CaseIterable {
    /// Frames, sealed with a key of the session.
    case transport = 0
    /// Frames that follow message 1, sealed with its early key.
    case early = 1
    /// Message 1 of a handshake.
    case initiation = 2
    /// Message 2 of a handshake.
    case response = 3
    /// The answer to a stale message 1.
    case refusal = 4
    /// The answer to a packet of an unknown connection ID.
    case reset = 5
    /// Advice in clear that changes no state.
    case advisory = 6
    /// A message of a pairing, or an address cookie.
    case pairing = 7

    /// Whether the packet has a number, and on carriers that can lose a connection ID.
    package var isNumbered: Bool { self == .transport || self == .early }
}
