package import WatchProtoCore

/// The conditions of one direction of a link. Everything off is the default: bytes pass at once.
///
/// Every chance is 0 … 1 per packet; every fault draws from a stream of its own, so that switching
/// one off leaves the draws of the others where they were.
package struct LinkOptions: Hashable, Sendable {
    /// The kind of carrier that the direction belongs to.
    package var kind = LinkKind.lossyDatagram
    /// Bits that leave in a second (1 kbit = 1,000 bits); nil when none is lost to serialization,
    /// 0 when nothing ever leaves.
    package var rateBitsPerSecond: UInt64?
    /// Time between the last bit leaving and its arrival, the same for every packet.
    package var delay: Duration = .zero
    /// Scale of the random part added to ``delay``; see ``jitterShape``.
    package var jitter: Duration = .zero
    /// How the random part is distributed.
    package var jitterShape = JitterShape.uniform
    /// Whether jitter may let a later packet overtake (lossy datagrams only).
    package var jitterReorders = false
    /// Share of packets that are lost in the long run, bursts included. On a lossless carrier the
    /// packet holds the line for ``recoveryTime`` instead.
    package var loss = 0.0
    /// The longest run of packets that one loss takes; the run is uniform in 1 … this.
    package var lossBurstPackets = 1
    /// On a lossless carrier, how long a packet that would have been lost holds back the line.
    package var recoveryTime: Duration = .zero
    /// Chance that a packet arrives a second time (lossy datagrams only).
    package var duplication = 0.0
    /// The second copy comes uniformly 0 … this after the first.
    package var duplicateDelay: Duration = .milliseconds(50)
    /// Chance that a packet is delayed and lets later ones pass (lossy datagrams only).
    package var reordering = 0.0
    /// A delayed packet arrives uniformly 0 … this later than it would have.
    package var reorderDelay: Duration = .milliseconds(50)
    /// Packets that may wait for the line or be leaving on it; at least 1.
    package var queuePackets = 1_000
    /// Bytes that may wait for the line or be leaving on it. A single larger packet is still taken
    /// when the queue is empty.
    package var queueBytes = 1 << 20
    /// Chance that 1 … 3 bits of a packet are flipped.
    package var corruption = 0.0
    /// Chance that a packet arrives cut short (datagrams only).
    package var truncation = 0.0
    /// Chance, per packet, that the line stops from this packet on.
    package var clogging = 0.0
    /// A clog lasts uniformly 0 … this; packets that wait leave afterwards.
    package var longestClog: Duration = .seconds(5)
    /// When nothing passes; a packet that would leave then is lost, or waits on a lossless carrier.
    package var outages: [LinkOutage] = []
    /// A line that is idle begins to send only at multiples of this (BLE's connection interval),
    /// counted from the host's origin; zero when it may begin at any time.
    package var sendInterval: Duration = .zero
    /// Chance that one such occasion passes unused: a stall, BLE's form of loss.
    package var stalling = 0.0

    /// A direction without any conditions.
    package init() {}

    /// These conditions without their faults: rate, delay, queue and interval stay.
    package var calm: LinkOptions {
        var calm = self
        calm.jitterReorders = false
        calm.loss = 0
        calm.duplication = 0
        calm.reordering = 0
        calm.corruption = 0
        calm.truncation = 0
        calm.clogging = 0
        calm.stalling = 0
        calm.outages = []
        return calm
    }
}

/// How a carrier under a link treats what it is given.
package enum LinkKind: Hashable, Sendable {
    /// Packets; they may vanish, repeat and overtake (UDP, Unix datagram through a conditioner).
    case lossyDatagram
    /// Packets, each once and in order (seqpacket); a full queue refuses.
    case reliableDatagram
    /// Bytes, each once and in order, cut anew on the way; a full queue takes only a part.
    case stream(Chunking)

    /// Whether packets can be lost at all.
    package var isLossy: Bool { self == .lossyDatagram }
}

/// How a stream cuts what was written into what is read.
package enum Chunking: Hashable, Sendable {
    /// One read per write.
    case whole
    /// One read per byte.
    case bytes
    /// Reads of uniformly 1 … `largestBytes`.
    case random(largestBytes: Int)
    /// All that arrives within `window` is one read, at the window's end; windows are multiples of
    /// `window` since the host's origin.
    case coalesced(window: Duration)
}

/// The distribution of the random part of the delay, with scale j = ``LinkOptions/jitter``.
package enum JitterShape: Hashable, Sendable, CaseIterable {
    /// Uniform in 0 … j; mean j/2.
    case uniform
    /// The sum of two uniform draws: 0 … 2j, most often near j.
    case triangular
    /// j·u/(1 − u) for uniform u, at most 20j: median j, now and then far above.
    case heavyTailed
}

/// A span of time in which nothing passes.
package struct LinkOutage: Hashable, Sendable {
    /// The first moment of the outage.
    package var start: Instant
    /// The first moment after it.
    package var end: Instant

    /// Makes an outage from `start` up to, not including, `end`.
    package init(from start: Instant, until end: Instant) {
        self.start = start
        self.end = end
    }

    /// Blackouts at a steady rhythm: `off` after every `on`, the first `off` starting at `start`.
    package static func cycle(
        on: Duration, off: Duration, from start: Instant, count: Int
    ) -> [LinkOutage] {
        var outages: [LinkOutage] = []
        var begin = start
        for _ in 0..<count {
            let end = begin.advanced(by: off)
            outages.append(LinkOutage(from: begin, until: end))
            begin = end.advanced(by: on)
        }
        return outages
    }
}
