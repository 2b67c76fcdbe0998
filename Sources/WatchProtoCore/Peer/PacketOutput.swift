/// The packet that is leaving, and the packets that leave before any other.
struct PacketOutput: Sendable {
    private var queued: [OutgoingPacket] = []
    private var current: OutgoingPacket?
    private var offset = 0

    /// Whether a packet has begun to leave, or waits to.
    var isEmpty: Bool { current == nil && queued.isEmpty }

    /// Whether the packet that has begun is not wholly taken.
    var isBlocked: Bool { current != nil }

    /// A packet leaves before those that are still to be made.
    mutating func append(_ packet: OutgoingPacket) { queued.append(packet) }

    /// The packet to go on with; nil where none waits.
    mutating func next() -> OutgoingPacket? {
        if current == nil, !queued.isEmpty {
            current = queued.removeFirst()
            offset = 0
        }
        return current
    }

    /// The bytes of the current packet that are still to be taken.
    var rest: [UInt8] { current.map { Array($0.bytes[offset...]) } ?? [] }

    /// The carrier took `count` bytes of the rest. Returns whether the packet has left whole.
    mutating func took(_ count: Int) -> Bool {
        guard let current else { return true }
        offset += count
        guard offset >= current.bytes.count else { return false }
        self.current = nil
        return true
    }

    /// The link is gone.
    mutating func removeAll() {
        queued = []
        current = nil
    }
}
