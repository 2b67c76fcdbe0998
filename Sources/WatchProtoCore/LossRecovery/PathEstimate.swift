/// The path estimate: measurements of the path to the counterpart, and the times at which packets
/// may leave on it.
///
/// It outlives sessions and links: a session begins at the rate that the last one measured. Random
/// loss never lowers the rate; a growing queue does.
struct PathEstimate: Sendable {
    var rate = DeliveryRate()
    /// The share of packets that the path loses.
    var loss = LossEstimate()
    var delays = OneWayDelays()
    /// When a bulk packet last left.
    var lastBulkAt: Instant?
    /// When anything but an acknowledgement last left.
    private var lastContentAt: Instant?
    /// When the line is free, by the measured rate.
    private var lineFreeAt = Instant.zero
    /// By how much a probe for a higher rate exceeds the rate, and since when nothing queued.
    var probeGain = 0.0
    var probeSince: Instant?
    /// Bytes that may be in flight before the rate is known, or after an overload.
    private var window: Int
    private var isWindowLimited = false
    /// An acknowledgement has come since the link came up, or since the last silence.
    private var isValidated = false
    /// When a bulk transfer last paused until nothing queued.
    private var drainedAt: Instant?
    /// The target queuing delay.
    var queueTarget: Duration = .zero
    private var budget = RedundancyBudget()
    /// The round-trip time of the last session, until the present one has a sample.
    private(set) var lastRoundTrip: Duration?

    /// The time between two turns of the carrier to send.
    var sendInterval: Duration = .zero
    /// The largest packet that the carrier and the counterpart take.
    var datagramBytes: Int

    /// Makes an estimate that knows nothing of the path.
    init(datagramBytes: Int = 1200) {
        self.datagramBytes = datagramBytes
        window = Self.initialWindow(datagramBytes)
    }

    /// The rate in bytes a second; nil while it is unknown.
    var bytesPerSecond: Double? { rate.bytesPerSecond }

    /// The share of packets that are lost, 0 to 1.
    var lossShare: Double { loss.share }

    /// The initial window in bytes (RFC 9002, 7.2).
    static func initialWindow(_ datagramBytes: Int) -> Int {
        min(10 * datagramBytes, max(2 * datagramBytes, 14_720))
    }

    // MARK: Sessions

    /// Begins a session, which has clocks of its own.
    mutating func beginSession() {
        rate.beginSession()
        delays = OneWayDelays()
        probeSince = nil
        probeGain = 0
    }

    /// Another link begins: it may lead elsewhere, so the remembered rate must be validated anew.
    mutating func beginLink() { isValidated = false }

    /// Keeps the round-trip time of the session that ends.
    mutating func endSession(roundTrip: Duration?) {
        lastRoundTrip = roundTrip ?? lastRoundTrip
    }

    // MARK: Sending

    /// Whether a packet may leave now. An urgent packet need not wait until the line is free.
    func mayLeave(
        isUrgent: Bool, inFlightBytes: Int, roundTrip: Duration?, at now: Instant
    ) -> Bool {
        guard hasRoom(isUrgent: isUrgent, inFlightBytes, roundTrip) else { return false }
        return bytesPerSecond == nil || departure(isUrgent: isUrgent) <= now
    }

    /// Whether bulk may leave where other packets may. Before the rate is known that is a few
    /// packets until some have arrived: on a slow line a whole window would delay urgent frames.
    func mayLeaveBulk(inFlightBytes: Int) -> Bool {
        // Enough bytes to measure the rate by.
        let few = max(4 * min(datagramBytes, Self.unknownPacketBytes), 3300)
        let opened = window - Self.initialWindow(Self.unknownPacketBytes)
        return bytesPerSecond != nil || inFlightBytes < few + max(0, opened)
    }

    /// When a packet may leave by the pace; nil where the rate is unknown, or the bytes in flight
    /// allow none.
    func nextDeparture(
        isUrgent: Bool, inFlightBytes: Int, roundTrip: Duration?
    ) -> Instant? {
        guard bytesPerSecond != nil, hasRoom(isUrgent: isUrgent, inFlightBytes, roundTrip) else {
            return nil
        }
        return departure(isUrgent: isUrgent)
    }

    private func hasRoom(isUrgent: Bool, _ inFlightBytes: Int, _ roundTrip: Duration?) -> Bool {
        // Urgent packets are few, and must not wait for lost bulk.
        let limit = inFlightLimit(roundTrip) + (isUrgent ? Self.urgentBytes : 0)
        return inFlightBytes < limit
    }

    private func departure(isUrgent: Bool) -> Instant {
        guard isUrgent, let rate = bytesPerSecond else { return lineFreeAt }
        let packets = Duration.nanoseconds(Int64(Double(3 * Self.unknownPacketBytes) * 1e9 / rate))
        return lineFreeAt.advanced(by: .zero - max(packets, Self.urgentAhead))
    }

    /// Bytes that may be in flight.
    private func inFlightLimit(_ roundTrip: Duration?) -> Int {
        guard let rate = bytesPerSecond, let roundTrip = roundTrip ?? lastRoundTrip else {
            return window
        }
        let seconds = Double(roundTrip.nanosecondsClamped) / 1e9
        let intervals = Double((sendInterval * 2).nanosecondsClamped) / 1e9
        // A hostile clock makes neither factor large: the rate is bounded, and so is this product.
        let product = min(rate * (seconds * 1.25 + intervals + Self.slack) * (1 + probeGain), 1e15)
        let limit = Int(product) + 4 * 1500
        let open = isWindowLimited ? min(window, limit) : limit
        return isValidated ? open : min(open, max(window, Self.unvalidatedBytes))
    }

    /// Records that a packet left. An acknowledgement delays nothing for long.
    mutating func sent(
        _ bytes: Int, isBulk: Bool = false, isAcknowledgement: Bool = false,
        wasPaced: Bool = false, roundTrip: Duration?, at now: Instant
    ) {
        if isBulk { lastBulkAt = now }
        if !isAcknowledgement { lastContentAt = now }
        guard let rate = bytesPerSecond else { return }
        let roundTrip = roundTrip ?? lastRoundTrip
        let pace = rate * gain(roundTrip: roundTrip, at: now)
        let cost = Duration.nanoseconds(Int64(Double(bytes) * 1e9 / pace))
        let late = wasPaced ? Self.lateness : .zero
        let start = max(lineFreeAt, now.advanced(by: .zero - late))
        var pause = Duration.zero
        if isBulk, drainedAt.map({ $0.duration(to: now) >= Self.drainInterval }) ?? true {
            if drainedAt != nil { pause = presentQueue(roundTrip: roundTrip, at: now) + cost }
            drainedAt = now
        }
        occupy(until: start.advanced(by: cost + pause), at: now)
    }

    /// Accounts for the packets that left before the rate was known.
    mutating func account<Reference: PacketReference>(
        for packets: SentPackets<Reference>, at now: Instant
    ) {
        guard let rate = bytesPerSecond else { return }
        var end = lineFreeAt
        for packet in packets.all {
            let cost = Duration.nanoseconds(Int64(Double(packet.bytes) * 1e9 / rate))
            end = max(end, packet.sentAt).advanced(by: cost)
        }
        occupy(until: end, at: now)
    }

    /// The line is busy until `end`, by the measured rate. The rate may be wrong, and the bytes in
    /// flight are bounded anyway: nothing waits for long.
    private mutating func occupy(until end: Instant, at now: Instant) {
        let last = min(lastContentAt ?? now, now).advanced(by: Self.longestWait)
        lineFreeAt = min(end, max(now, last))
    }

    // MARK: Acknowledgements

    /// Takes the evidence of an acknowledgement; `arrival` is nil where it reports no arrival time.
    mutating func acknowledged(
        _ summary: AckSummary, arrival: UInt64?, roundTrip: RoundTripEstimate, at now: Instant
    ) {
        isValidated = true
        let smoothed = roundTrip.smoothed ?? lastRoundTrip ?? .milliseconds(100)
        widen(summary, smoothed)
        loss.add(delivered: summary.count, lost: summary.lost)
        guard let arrival, let newest = summary.newest else { return }
        let departure = Int64(clamping: newest.sentAt.nanoseconds / 1000)
        let serialization = bytesPerSecond.map { Int64(Double(newest.bytes) * 1e6 / $0) } ?? 0
        delays.add(
            Int64(clamping: arrival) - departure, serialization: serialization,
            over: max(smoothed / 8, .milliseconds(1)), at: now)
        let target = queueTarget(smoothed)
        let queue = queue
        let before = rate.bytesPerSecond
        // Any first sample is better than none: the window of an unknown path costs a round trip.
        let share = before == nil ? min(smoothed / 64, .milliseconds(5)) : smoothed / 32
        let least = max(.microseconds(500), before == nil ? .zero : sendInterval * 4)
        rate.acknowledged(
            bytes: summary.bytes, arrival: arrival, sentAt: newest.sentAt,
            wasPaced: newest.wasPaced, shortest: max(share, least),
            isQueued: queue > target * 2 + sendInterval)
        if let before, let rate = bytesPerSecond, rate != before, lineFreeAt > now {
            let left = Double(now.duration(to: lineFreeAt).nanosecondsClamped)
            occupy(until: now.advanced(by: .nanoseconds(Int64(left * before / rate))), at: now)
        }
        probe(queue, target, smoothed, wasPaced: newest.wasPaced, at: now)
        queueTarget = target
    }

    /// More may be in flight where nothing was lost.
    private mutating func widen(_ summary: AckSummary, _ roundTrip: Duration) {
        guard summary.lost == 0 else { return }
        if bytesPerSecond == nil {
            window += summary.bytes
        } else if isWindowLimited {
            window += summary.bytes / 8
            isWindowLimited = window < inFlightLimit(roundTrip) * 2
        }
    }

    /// Much was lost at once: less may be in flight, whatever the rate.
    mutating func overloaded(inFlightBytes: Int) {
        isWindowLimited = true
        window = max(Self.initialWindow(1200), inFlightBytes * 7 / 10)
    }

    /// Several probe time-outs brought no answer: the rate must be validated anew.
    mutating func invalidate() { isValidated = false }

    // MARK: Redundancy

    /// Spends `bytes` of the redundancy budget; false where too little is left.
    mutating func spend(_ bytes: Int, at now: Instant) -> Bool {
        budget.spend(bytes, bytesPerSecond: bytesPerSecond, at: now)
    }

    /// Bytes that may be in flight at the remembered rate before anything is acknowledged.
    private static let unvalidatedBytes = 1 << 16
    /// The size of packets before the rate is known: small enough to pass anywhere soon.
    static let unknownPacketBytes = 1200
    private static let urgentBytes = 1 << 13
    private static let urgentAhead: Duration = .milliseconds(20)
    /// Where packets always queue, the shortest delay is forgotten and the queue grows unseen. A
    /// bulk transfer pauses for it so often.
    private static let drainInterval: Duration = .milliseconds(2500)
    private static let longestWait: Duration = .seconds(1)
    /// Seconds of the rate that may be in flight beside a round trip: acknowledgements wait.
    private static let slack = 0.002
    /// An environment that wakes late makes up for it, at most by this.
    private static let lateness: Duration = .milliseconds(1)
}
