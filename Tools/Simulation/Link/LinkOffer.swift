package import WatchProtoCore

/// The result of offering one packet, or one write, to a link.
package struct LinkOffer: Sendable {
    /// How many bytes it took: all or 0 of a datagram, 0 … all of a write to a stream. Lost packets
    /// count as taken.
    package var takenBytes: Int
    /// The fate of the packet or write.
    package var fate: PacketFate
    /// The arrivals, in the order of time. Several in one moment arrive in this order.
    package var arrivals: [LinkArrival]
}

/// Bytes that come out at the far end.
package struct LinkArrival: Hashable, Sendable {
    /// When.
    package var at: Instant
    /// What: a whole datagram, or one chunk of a stream.
    package var bytes: [UInt8]

    /// Makes the arrival of `bytes` at `at`.
    package init(at: Instant, bytes: [UInt8]) {
        self.at = at
        self.bytes = bytes
    }
}

/// The story of one packet on a link, for captures and counters.
package struct PacketFate: Hashable, Sendable {
    /// Why a packet did not arrive.
    package enum LossCause: UInt8, Hashable, Sendable, CaseIterable {
        /// It was lost, alone or as the first of a burst.
        case loss = 0
        /// It followed a lost packet, within the burst.
        case burst
        /// The queue before the line was full.
        case queueFull
        /// It would have left during an outage.
        case outage
        /// The line has no rate at all.
        case noRate
    }

    /// Marks of everything that happened to it besides loss.
    package struct Marks: OptionSet, Hashable, Sendable {
        /// One bit per mark, from the lowest.
        package var rawValue: UInt16
        /// Makes the set of the marks whose bits are set.
        package init(rawValue: UInt16) { self.rawValue = rawValue }
        /// It waited behind other packets.
        package static let queued = Marks(rawValue: 1 << 0)
        /// It arrived twice.
        package static let duplicated = Marks(rawValue: 1 << 1)
        /// It was delayed so that later packets may pass.
        package static let reordered = Marks(rawValue: 1 << 2)
        /// Bits were flipped.
        package static let corrupted = Marks(rawValue: 1 << 3)
        /// It was cut short.
        package static let truncated = Marks(rawValue: 1 << 4)
        /// A clog began with it, or held it.
        package static let clogged = Marks(rawValue: 1 << 5)
        /// It missed an occasion to send.
        package static let stalled = Marks(rawValue: 1 << 6)
        /// A lossless carrier lost and recovered it, at the cost of time.
        package static let recovered = Marks(rawValue: 1 << 7)
        /// It waited for the end of an outage (lossless carriers).
        package static let waited = Marks(rawValue: 1 << 8)
        /// It was taken only in part, or not at all.
        package static let refused = Marks(rawValue: 1 << 9)
    }

    /// Counts the packets of this direction, from 0.
    package var number: UInt64
    /// When it was offered.
    package var offeredAt: Instant
    /// When its last bit left; nil when it never did.
    package var departedAt: Instant?
    /// Why it did not arrive; nil when it did.
    package var lossCause: LossCause?
    /// Marks of everything else that happened to it; empty when there is nothing.
    package var marks: Marks = []
}

/// Counts of everything that one direction has done so far.
package struct LinkCounters: Hashable, Sendable {
    /// Packets offered to the link, lost ones included.
    package var offeredPackets: UInt64 = 0
    /// Bytes the link took.
    package var takenBytes: UInt64 = 0
    /// Packets that arrived; a duplicated one counts twice.
    package var arrivals: UInt64 = 0
    /// Packets lost, by the raw value of their cause.
    package var lost = [UInt64](repeating: 0, count: PacketFate.LossCause.allCases.count)
    /// Packets with each mark, by its bit.
    package var marked = [UInt64](repeating: 0, count: 10)

    /// Nothing done yet.
    package init() {}

    /// Packets lost to `cause`.
    package func lost(to cause: PacketFate.LossCause) -> UInt64 { lost[Int(cause.rawValue)] }

    /// Packets with the (single) mark.
    package func marked(_ mark: PacketFate.Marks) -> UInt64 {
        marked[mark.rawValue.trailingZeroBitCount]
    }

    mutating func withdraw(packets: UInt64, bytes: UInt64, arrivals count: UInt64) {
        offeredPackets -= min(offeredPackets, packets)
        takenBytes -= min(takenBytes, bytes)
        arrivals -= min(arrivals, count)
    }

    mutating func count(_ fate: PacketFate, arrivals count: Int) {
        arrivals += UInt64(count)
        if let cause = fate.lossCause { lost[Int(cause.rawValue)] += 1 }
        guard !fate.marks.isEmpty else { return }
        for bit in marked.indices where fate.marks.rawValue & (1 << UInt16(bit)) != 0 {
            marked[bit] += 1
        }
    }
}
