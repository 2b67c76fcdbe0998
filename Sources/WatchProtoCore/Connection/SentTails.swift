/// The last bytes of the newest packets of a session.
///
/// A reset answers one packet, and only an answer to one of these ends the session: no token serves
/// for a session that its maker did not know.
struct SentTails: Sendable {
    /// Packets that are kept: each costs one hash where somebody sends a reset.
    static let limit = 32

    private var ring: [UInt64] = []
    private var oldest = 0

    /// The last eight bytes of a whole datagram, lowest byte first.
    static func tail(of packet: [UInt8]) -> UInt64 {
        packet.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func insert(_ packet: [UInt8]) {
        guard ring.count == Self.limit else {
            ring.append(Self.tail(of: packet))
            return
        }
        ring[oldest] = Self.tail(of: packet)
        oldest = (oldest + 1) % Self.limit
    }

    func contains(where isMeant: (UInt64) -> Bool) -> Bool { ring.contains(where: isMeant) }
}
