/// Every bound of a peer, and how the bounds relate. A hostile counterpart can cost its link,
/// never our memory, our data or our process.
public struct Limits: Hashable, Sendable {
    /// The largest packet on a stream or pipe, in bytes, length prefix excluded.
    public var streamPacketBytes = 1 << 16
    /// The smallest datagram a carrier may offer, in bytes (BLE's 244 leaves room).
    public var smallestDatagramBytes = 128
    /// The largest datagram a peer makes or takes, in bytes.
    public var largestDatagramBytes = 1 << 16
    /// Out-of-order records held back per ordered lane.
    public var reorderRecords = 1024
    /// Bytes of out-of-order records held back per ordered lane.
    public var reorderBytes = 1 << 20
    /// Records waiting or in flight per lane; one more is refused to the caller.
    public var queuedRecords = 65_536
    /// Bytes waiting or in flight per lane; more is refused to the caller.
    public var queuedBytes = 64 << 20
    /// Keys of a newest-per-key lane the receiver remembers.
    public var keys = 65_536
    /// Ranges above a receipt floor, per lane and epoch; beyond it the oldest gaps wait.
    public var receiptRanges = 32
    /// Unsettled epochs a greeting lists.
    public var epochs = 32
    /// Ranges in one acknowledgement of packets.
    public var ackRanges = 32
    /// Packets in flight on a carrier that can lose.
    public var packetsInFlight = 512
    /// Bytes of one handshake flight.
    public var handshakeBytes = 1 << 14
    /// How far a record may stand above the first unsettled one of its epoch and lane.
    public var numberSpan: UInt64 = 1 << 16
    /// Records being put together from parts, per lane.
    public var assemblies = 2

    /// The limits every peer starts from.
    public init() {}

    /// The limits contradict each other in this way, or in none.
    public var contradiction: String? {
        for lane in Lane.allCases {
            let traits = lane.traits
            if traits.order == .ordered, traits.offerWindow > reorderRecords {
                return
                    "\(lane): \(traits.offerWindow) offers exceed \(reorderRecords) held back"
            }
            if traits.order == .ordered, traits.byteWindow > reorderBytes {
                return
                    "\(lane): \(traits.byteWindow) bytes exceed \(reorderBytes) held back"
            }
            if traits.recordByteLimit > queuedBytes {
                return "\(lane): a record of \(traits.recordByteLimit) bytes exceeds the queue"
            }
        }
        if streamPacketBytes < handshakeBytes {
            return "a handshake flight of \(handshakeBytes) bytes exceeds a packet"
        }
        if smallestDatagramBytes < 128 {
            return "a datagram under 128 bytes holds no record header"
        }
        if largestDatagramBytes < smallestDatagramBytes {
            return "largest datagram under the smallest"
        }
        if epochs < 2 || receiptRanges < 1 || ackRanges < 1 { return "a list limit is too small" }
        return nil
    }
}
