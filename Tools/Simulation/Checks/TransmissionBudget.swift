package import WatchProtoCore

/// The bytes that one side may transmit: every byte has a cause, and each cause a price.
///
/// - *Something to say.* A record leaves once, and once more in each session that begins while it
///   is not over: a session may not rely on anything that an earlier one has not confirmed.
/// - *Something to say early.* A record may leave once more behind message 1, or in a session that
///   is refused before it is confirmed, over each carrier that opens; and in a session that the
///   other side began, and this one had not seen confirmed when the carrier closed.
/// - *Something to answer.* Of each record of the other side three notices leave (it has arrived,
///   it is committed, it is applied), and again in each session.
/// - *A disk that forgot*: in each session after it the newest value of each key may be compared,
///   asked for and returned.
/// - *A carrier that opened*: messages of the handshake, hello, credit, a probe.
/// - *On carriers that cannot lose*, a pong for each chunk of the other side's bulk.
/// - *On carriers that lose*, an acknowledgement for each packet that arrives; once more each
///   packet that did not arrive, or so late that three later ones or a time-out came first; and,
///   for each packet of the other side that went so (it may have been the acknowledgement), the two
///   oldest packets in flight, which a time-out gives back (RFC 9002, 6.2). Without a wake there is
///   no time-out.
///
/// So a record that arrived in time and was confirmed in time is not sent again, whatever the
/// network conditions. A peer that repeats even a little exceeds the budget if it has much to say.
struct TransmissionBudget: Sendable {
    /// The payloads that this side has to give to the carrier, in bytes, each as often as it may.
    private var said: [Int] = []
    /// The payloads that may leave behind a message 1.
    private var saidEarly: [Int] = []
    /// Records of the other side it has to answer, each as often as it may.
    private var answered = 0
    /// Chunks of the other side's bulk at most, each followed by a ping.
    private var chunks = 0

    /// A record of this side leaves.
    mutating func say(_ payloadBytes: Int) { said.append(payloadBytes) }

    /// A record of this side may leave before a session begins.
    mutating func sayEarly(_ payloadBytes: Int) { saidEarly.append(payloadBytes) }

    /// A record of the other side is answered.
    mutating func answer() { answered += 1 }

    /// Bulk of the other side arrives, and after each chunk a ping.
    mutating func answerChunks(_ payloadBytes: Int) {
        chunks += payloadBytes / Prices.leastChunk + 1
    }

    /// How many bytes it may have transmitted, where the carrier and its own wakes were so.
    func limit(_ ending: Ending, side: Int) -> Int {
        let prices = Prices(ending.carrier)
        let wire = ending.sides[side].wire
        if let shape = ending.carrier.shape {
            // A packet a moment, the first one of each session, and the messages of handshakes:
            // all of one length.
            let time = ending.sides[side].runTime.nanosecondsClamped
            let moments = Int(time / shape.interval.nanosecondsClamped) + wire.openings
            return moments * wire.largestBytes
                + wire.openings * (prices.opening + Prices.paddedMessages)
        }
        var bytes = wire.openings * prices.opening + answered * prices.answer
        for payload in said { bytes += prices.record(payload) }
        // Early packets hold whole records alone. Of a longer one a responder sends what its first
        // window holds, though the session may never be confirmed.
        for payload in saidEarly {
            let isWhole = payload < ending.carrier.largestPacketBytes
            bytes += prices.record(isWhole ? payload : min(payload, Prices.firstWindow))
        }
        guard ending.carrier.isLossy else { return bytes + chunks * prices.pong }
        let other = ending.sides[1 - side].wire
        let timeouts = min(wire.wakes, other.lostPackets + other.latePackets)
        bytes += wire.arrivals * prices.acknowledgement
        bytes += wire.lostBytes + wire.lateBytes
        return bytes + timeouts * 2 * wire.largestBytes
    }

    /// The highest price of each thing, in bytes.
    struct Prices {
        /// A record's head with every field there is (RecordHead): its address and its
        /// predecessor's, key, handle, expiry, idempotency key, base, length.
        static let recordHead = 96
        /// Header of a packet, and of a part of a record.
        static let packetHead = DatagramHeader.largestBytes + 32
        /// A receipt: its head, a watermark and two ranges.
        static let receipt = 20
        /// An acknowledgement of packets with a handful of ranges, and its packet's header.
        static let ackFrame = 60
        /// The least bulk that a ping follows on a carrier that cannot lose.
        static let leastChunk = 512
        /// A hello of some epochs, which a lossy carrier may be given five times, at 0.5, 1, 2,
        /// 4 and 8 s; then credit for the four ordered channels, a probe and its answer.
        static let hellos = 600
        /// The bytes that may leave before the path is measured (RFC 9002, 7.2).
        static let firstWindow = 14_720
        /// Tag and least padding of a sealed packet, and the class a short one is filled up to.
        static let sealOverhead = 17
        static let shortestSealed = 64
        /// From this length on a packet is filled up to a multiple of ``longStep``.
        static let longSealed = 8192
        static let longStep = 4096
        /// The bytes that sealed handshake messages add to the hello: keys, tags, a counter;
        /// five times.
        static let sealedMessages = 5 * 96
        /// The bytes of a message 1 and a message 2 in a constant shape, five times.
        static let paddedMessages = 5 * 2 * Limits().smallestDatagramBytes

        /// Payload bytes in the largest packet, and what the packet adds to them.
        let room: Int
        let packet: Int
        let opening: Int
        let answer: Int
        let acknowledgement: Int
        let pong: Int
        let isSealed: Bool

        init(_ carrier: EndingCarrier) {
            isSealed = carrier.isSealed
            packet = Self.packetHead + (isSealed ? Self.sealOverhead : 0)
            room = max(64, carrier.largestPacketBytes - packet)
            let short = isSealed ? Self.shortestSealed + Self.sealOverhead : 0
            opening = Self.hellos + (isSealed ? Self.sealedMessages : 0)
            answer = 3 * (Self.receipt + short)
            acknowledgement = Self.ackFrame + short
            pong = Self.receipt + short
        }

        /// A record in as many packets as it needs, the last one filled up to its class: a quarter
        /// of what is in it, at least to the shortest; where that is long, by up to a step.
        func record(_ payload: Int) -> Int {
            let packets = (payload + room - 1) / room
            let bytes = payload + Self.recordHead + max(1, packets) * packet
            guard isSealed else { return bytes }
            let isLong = min(bytes, room) >= Self.longSealed
            return bytes + max(Self.shortestSealed, bytes / 4, isLong ? Self.longStep : 0)
        }
    }
}

/// The carrier of a run, as far as it says what transmitting costs.
package struct EndingCarrier: Hashable, Sendable {
    /// The shape of the traffic of both sides; nil for none.
    package var shape: ConstantShape?
    /// Whether it could lose packets, so that some had to be sent again.
    package var isLossy: Bool
    /// The largest packet it takes, or that a peer makes for a stream, in bytes.
    package var largestPacketBytes: Int
    /// Whether what it carried was sealed.
    package var isSealed: Bool

    /// Makes a carrier.
    package init(isLossy: Bool, largestPacketBytes: Int = 1 << 14, isSealed: Bool = false) {
        self.isLossy = isLossy
        self.largestPacketBytes = largestPacketBytes
        self.isSealed = isSealed
    }
}
