/// What is known of the path to the counterpart, and what may leave on it when.
///
/// It outlives sessions and links: a counterpart that was met before is sent to at the rate that
/// was measured. Random loss never cuts the rate; a queue that grows does.
public struct Path: Sendable {
    var rate = DeliveryRate()
    /// What the path loses of itself.
    var loss = LossEstimate()
    var transits = TransitTimes()
    /// When something of a large transfer last left.
    var lastBulkAt: Instant?
    /// When anything but an acknowledgement last left.
    private var lastContentAt: Instant?
    /// When the path is free, if it carries what was measured.
    private var freeAt = Instant.zero
    /// How far a search for a higher rate goes above it, and since when nothing queued.
    var search = 0.0
    var searchSince: Instant?
    /// Bytes that may be under way before the rate is known, or where much is lost at once.
    private var window: Int
    private var isWindowed = false
    /// An acknowledgement has come since the link came up, or since it was last silent.
    private var isConfirmed = false
    /// When a transfer last paused until nothing queued.
    private var emptiedAt: Instant?
    /// How long packets are to queue.
    var target: Duration = .zero
    private var budget = RedundancyBudget()
    /// The round trip of the last session, until there is one in this.
    private(set) var lastRoundTrip: Duration?

    /// How often the carrier gets to send.
    var interval: Duration = .zero
    /// The largest packet that the carrier and the counterpart take.
    var datagramBytes: Int

    /// Makes a path of which nothing is known.
    public init(datagramBytes: Int = 1200) {
        self.datagramBytes = datagramBytes
        window = Self.initialWindow(datagramBytes)
    }

    /// The rate in bytes a second; nil while it is not known.
    public var bytesPerSecond: Double? { rate.bytesPerSecond }

    /// The share of packets that are lost, 0 ... 1.
    public var lossShare: Double { loss.share }

    /// RFC 9002, 7.2.
    static func initialWindow(_ datagramBytes: Int) -> Int {
        min(10 * datagramBytes, max(2 * datagramBytes, 14_720))
    }

    // MARK: Sessions

    /// A session begins, with clocks of its own.
    mutating func beginSession() {
        rate.beginSession()
        transits = TransitTimes()
        searchSince = nil
        search = 0
    }

    /// Another link: it may lead elsewhere.
    mutating func beginLink() { isConfirmed = false }

    /// The session that ends measured this.
    mutating func endSession(roundTrip: Duration?) {
        lastRoundTrip = roundTrip ?? lastRoundTrip
    }

    // MARK: Sending

    /// Whether a packet may leave now. What is urgent need not wait for the line to be free.
    func mayLeave(isUrgent: Bool, inFlightBytes: Int, roundTrip: Duration?, at now: Instant) -> Bool
    {
        // What is urgent is little, and must not wait for what the bulk has lost.
        let extra = isUrgent ? Self.urgentBytes : 0
        guard inFlightBytes < cap(roundTrip: roundTrip) + extra else { return false }
        return bytesPerSecond == nil || departure(isUrgent: isUrgent) <= now
    }

    /// Whether what is large may leave where other packets may. Before the rate is known it is a
    /// few packets, until some of them have arrived: on a slow line a whole window would keep what
    /// is urgent waiting for long.
    func mayLeaveBulk(inFlightBytes: Int) -> Bool {
        // Enough to measure the rate by.
        let few = max(4 * min(datagramBytes, Self.unknownPacketBytes), 3300)
        let opened = window - Self.initialWindow(Self.unknownPacketBytes)
        return bytesPerSecond != nil || inFlightBytes < few + max(0, opened)
    }

    /// When a packet may leave that is not too much for what is under way; nil for at once.
    func nextDeparture(
        isUrgent: Bool, inFlightBytes: Int, roundTrip: Duration?
    ) -> Instant? {
        let extra = isUrgent ? Self.urgentBytes : 0
        guard bytesPerSecond != nil, inFlightBytes < cap(roundTrip: roundTrip) + extra else {
            return nil
        }
        return departure(isUrgent: isUrgent)
    }

    private func departure(isUrgent: Bool) -> Instant {
        guard isUrgent, let rate = bytesPerSecond else { return freeAt }
        let packets = Duration.nanoseconds(Int64(Double(3 * Self.unknownPacketBytes) * 1e9 / rate))
        return freeAt.advanced(by: .zero - max(packets, Self.urgentAhead))
    }

    /// Bytes that may be under way.
    private func cap(roundTrip: Duration?) -> Int {
        guard let rate = bytesPerSecond, let roundTrip = roundTrip ?? lastRoundTrip else {
            return window
        }
        let trip = Double(roundTrip.nanosecondsClamped) / 1e9
        let turns = Double((interval * 2).nanosecondsClamped) / 1e9
        let product = Int(rate * (trip * 1.25 + turns + Self.slack) * (1 + search)) + 4 * 1500
        let cap = isWindowed ? min(window, product) : product
        return isConfirmed ? cap : min(cap, max(window, Self.trustedBytes))
    }

    /// Notes that a packet left; nothing waits long for what merely acknowledges.
    mutating func sent(
        _ bytes: Int, isBulk: Bool = false, isAcknowledgement: Bool = false,
        wasHeldBack: Bool = false, roundTrip: Duration?, at now: Instant
    ) {
        if isBulk { lastBulkAt = now }
        if !isAcknowledgement { lastContentAt = now }
        guard let rate = bytesPerSecond else { return }
        let pace = rate * gain(roundTrip: roundTrip ?? lastRoundTrip, at: now)
        let cost = Duration.nanoseconds(Int64(Double(bytes) * 1e9 / pace))
        let late = wasHeldBack ? Self.lateness : .zero
        let start = max(freeAt, now.advanced(by: .zero - late))
        var pause = Duration.zero
        if isBulk, emptiedAt.map({ $0.duration(to: now) >= Self.emptyingInterval }) ?? true {
            if emptiedAt != nil {
                pause = presentQueue(roundTrip: roundTrip ?? lastRoundTrip, at: now) + cost
            }
            emptiedAt = now
        }
        wait(until: start.advanced(by: cost + pause), at: now)
    }

    /// Now that the rate is known, what left before counts as well.
    mutating func account(for packets: SentPackets, at now: Instant) {
        guard let rate = bytesPerSecond else { return }
        var end = freeAt
        for packet in packets.all {
            let cost = Duration.nanoseconds(Int64(Double(packet.bytes) * 1e9 / rate))
            end = max(end, packet.sentAt).advanced(by: cost)
        }
        wait(until: end, at: now)
    }

    /// The line is busy until then, by what was measured. The measure may be wrong, and what is
    /// under way is bounded anyway: nothing waits for long.
    private mutating func wait(until end: Instant, at now: Instant) {
        let last = min(lastContentAt ?? now, now).advanced(by: Self.longestWait)
        freeAt = min(end, max(now, last))
    }

    // MARK: Acknowledgements

    /// Takes what an acknowledgement tells; `arrival` is nil where it does not say when.
    mutating func acknowledged(
        _ packets: Repair.Confirmation, arrival: UInt64?, roundTrip: RoundTripEstimate,
        at now: Instant
    ) {
        isConfirmed = true
        let trip = roundTrip.smoothed ?? lastRoundTrip ?? .milliseconds(100)
        if packets.lost == 0 {
            if bytesPerSecond == nil {
                window += packets.bytes
            } else if isWindowed {
                window += packets.bytes / 8
                isWindowed = window < cap(roundTrip: trip) * 2
            }
        }
        loss.note(delivered: packets.count, lost: packets.lost)
        guard let arrival, let newest = packets.newest else { return }
        let departure = Int64(clamping: newest.sentAt.nanoseconds / 1000)
        let passing = bytesPerSecond.map { Int64(Double(newest.bytes) * 1e6 / $0) } ?? 0
        transits.note(
            Int64(clamping: arrival) - departure, passing: passing,
            over: max(trip / 8, .milliseconds(1)), at: now)
        let target = queueTarget(trip)
        let queue = queue
        let before = rate.bytesPerSecond
        // Any first measure is better than none: the window of an unknown path costs a round trip.
        let share = before == nil ? min(trip / 64, .milliseconds(5)) : trip / 32
        rate.acknowledged(
            bytes: packets.bytes, arrival: arrival, sentAt: newest.sentAt,
            isHeldBack: newest.wasHeldBack,
            shortest: max(share, max(.microseconds(500), before == nil ? .zero : interval * 4)),
            isQueued: queue > target * 2 + interval)
        if let before, let rate = bytesPerSecond, rate != before, freeAt > now {
            let left = Double(now.duration(to: freeAt).nanosecondsClamped)
            wait(until: now.advanced(by: .nanoseconds(Int64(left * before / rate))), at: now)
        }
        steer(queue, target, trip, isHeldBack: newest.wasHeldBack, at: now)
        self.target = target
    }

    /// Much was lost at once: less may be under way, whatever the rate.
    mutating func overloaded(inFlightBytes: Int) {
        isWindowed = true
        window = max(Self.initialWindow(1200), inFlightBytes * 7 / 10)
    }

    /// So many packets were given up without an acknowledgement that tells of it.
    mutating func lost(_ count: Int) { loss.note(delivered: 0, lost: count) }

    /// So many packets taken for lost were late.
    mutating func late(_ count: Int) { loss.takeBack(count) }

    /// Nothing was heard for some time-outs: what was believed has to be shown anew.
    mutating func silent() { isConfirmed = false }

    /// How long packets wait on the path, of late.
    var queue: Duration { transits.queue }

    // MARK: Redundancy

    /// Takes from the allowance what redundancy of `bytes` costs; false where there is too little.
    mutating func spend(_ bytes: Int, at now: Instant) -> Bool {
        budget.spend(bytes, bytesPerSecond: bytesPerSecond, at: now)
    }

    /// Bytes that may be under way at the remembered rate before anything is acknowledged.
    private static let trustedBytes = 1 << 16
    /// Packets before the rate is known: small enough to pass anywhere soon.
    static let unknownPacketBytes = 1200
    private static let urgentBytes = 1 << 13
    private static let urgentAhead: Duration = .milliseconds(20)
    /// Where packets always queue the shortest way is forgotten, and the queue grows unseen: a
    /// transfer pauses for it so often.
    private static let emptyingInterval: Duration = .milliseconds(2500)
    private static let longestWait: Duration = .seconds(1)
    /// Seconds of the rate that may be under way beside a round trip: acknowledgements wait.
    private static let slack = 0.002
    /// A host that wakes late makes up for it, up to here.
    private static let lateness: Duration = .milliseconds(1)
}
