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
    /// Keys of a newest-per-key lane a sender has, or a receiver remembers.
    public var keys = 65_536
    /// Removals remembered in each newest-per-key lane once they are over, on either side; fewer
    /// where there is no room. Should a side be restored from a backup that holds the value, the
    /// other one's memory tells that it was removed since.
    public var removals = 1024
    /// How many of the largest sets of a newest-per-key lane a receiver holds: two, since a value
    /// stands until a newer one has arrived and been taken. What does not fit is refused.
    public var setsHeld = 2
    /// Handles of a newest-per-key lane in a session; further keys travel whole each time.
    public var handles = 8192
    /// Ranges above the floor of one receipt; further ones go into further receipts.
    public var receiptRanges = 32
    /// Unsettled epochs a greeting lists.
    public var epochs = 32
    /// Ranges in one acknowledgement of packets.
    public var ackRanges = 32
    /// Packets of early data behind one first flight.
    public var earlyPackets = 512
    /// Bytes that their frames may have together.
    public var earlyBytes = 1 << 16
    /// Bytes of early packets on a carrier that can lose, of whose path nothing is known yet. Fewer
    /// where this is more than ten of its datagrams, and always two of them: the initial window of
    /// RFC 9002, 7.2, which is also what may leave in one burst (7.7).
    public var earlyBurstBytes = 14_720
    /// Early packets that are kept until the first flight they belong to has come.
    public var earlyPacketsKept = 16
    /// Packets in flight on a carrier that can lose.
    public var packetsInFlight = 4096
    /// Bytes of one handshake flight.
    public var handshakeBytes = 1 << 14
    /// How many numbers of a lane may lie at or above the first unsettled one of their epoch, all
    /// epochs together, when a record leaves: the sender waits there.
    public var numberSpan: UInt64 = 1 << 13
    /// Records of a lane that ended otherwise than by being applied and that no floor has passed.
    /// One more closes the link.
    public var exceptions = 1 << 14
    /// Ranges of numbers of a lane with gaps between them. One more closes the link.
    public var arrivalRanges = 1 << 13
    /// Records of a lane to ask a base for, or that were told to try later and not called again.
    /// One more closes the link.
    public var requests = 4096
    /// Records being put together from parts, per lane.
    public var assemblies = 2
    /// Parts of such a record that came before those in front of them; with one more the record has
    /// to come again.
    public var partsAhead = 16_384

    /// The limits every peer starts from.
    public init() {}

    /// The limits of a device: a watch has little memory, and what it has to send is small.
    public init(_ role: DeviceRole) {
        guard role == .watch else { return }
        queuedRecords = 8192
        queuedBytes = 4 << 20
    }

    /// Bytes of packets that may leave behind a first flight over a carrier that can lose.
    func earlyWindow(datagramBytes: Int) -> Int {
        min(10 * datagramBytes, max(2 * datagramBytes, earlyBurstBytes))
    }

    /// How many values of a newest-per-key lane a receiver holds at most.
    func heldValues(of lane: Lane) -> Int {
        min(keys, setsHeld * lane.traits.setByteLimit / Lane.keyBytes)
    }

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
            if traits.order == .newestPerKey,
                traits.setByteLimit < traits.recordByteLimit + Lane.keyBytes
            {
                return "\(lane): a record of \(traits.recordByteLimit) bytes exceeds the set"
            }
            if traits.offerWindow * 2 > requests {
                return "\(lane): \(traits.offerWindow) offers may ask more than \(requests) times"
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
        // The receiver may learn of a floor one span late: a packet that told it was lost.
        if exceptions < 2 * numberSpan || arrivalRanges < numberSpan {
            return "a span of \(numberSpan) numbers leaves more exceptions or ranges"
        }
        // The smallest datagram carries a part of 64 bytes or more.
        if partsAhead < Lane.bulk.traits.byteWindow / 64 {
            return "a window of parts exceeds \(partsAhead) parts held"
        }
        if setsHeld < 2 { return "a receiver that holds one set has no room for a second" }
        if handles > keys { return "more handles than keys" }
        if epochs < 2 || receiptRanges < 1 || ackRanges < 1 || removals < 0 {
            return "a list limit is too small"
        }
        return nil
    }
}
