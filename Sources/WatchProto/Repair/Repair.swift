/// Finds what a carrier lost: packets in flight, acknowledgements, time-outs.
///
/// Works only on carriers that can lose; on streams it is never asked. What is not acknowledged
/// within a time-out, or three packets later, is given back to be sent again (RFC 9002, section 6).
/// Once one that was given up turns out to have been late, the three packets count only after the
/// time that one took: a carrier that reorders would otherwise be sent everything many times over
/// (the reordering window of RFC 8985, section 6.2).
public struct Repair: Sendable {
    /// A packet in flight.
    struct SentPacket: Sendable {
        var number: UInt64
        var sentAt: Instant
        var references: [FrameReference]
    }

    private let limits: Limits
    private let initialTimeout: Duration
    private let interval: Duration
    private var inFlight: [SentPacket] = []
    private var nextNumber: UInt64 = 0
    private var received = NumberRanges()
    private var largestReceivedAt: Instant = .zero
    private var consecutiveTimeouts = 0
    private var lastTimeoutAt: Instant = .zero
    private var unacknowledgedArrivals = 0
    /// Packets given up lately: an acknowledgement that names one shows that it was late, not lost.
    private var givenUp: [(number: UInt64, sentAt: Instant)] = []
    /// Packets given up since one last turned out to have been late.
    private var lossesSinceLate = 0

    /// How long a packet may be on its way while later ones have arrived; zero until one that was
    /// given up arrived after all.
    public private(set) var reorderingWindow: Duration = .zero
    /// The newest of our packets the counterpart confirmed.
    public private(set) var largestAcknowledged: UInt64?
    /// The round trips measured in this session.
    public private(set) var roundTrip = RoundTripEstimate()
    /// When an acknowledgement must leave even if nothing else does.
    public private(set) var ackDeadline: Instant?
    /// Packets given up and repaired, since the session began.
    public private(set) var lostPackets: UInt64 = 0
    /// Packets that arrived a second time.
    public private(set) var repeatedPackets: UInt64 = 0

    /// Begins a session on a carrier that gets to send every `interval` and whose first time-out,
    /// before any sample, is built on `initialTimeout`.
    public init(limits: Limits, initialTimeout: Duration, interval: Duration) {
        self.limits = limits
        self.initialTimeout = initialTimeout
        self.interval = interval
    }

    // MARK: Sending

    /// Whether another packet that elicits an acknowledgement may leave.
    public var mayTransmit: Bool { inFlight.count < limits.packetsInFlight }

    /// Whether an answer is owed to us.
    public var isAwaitingAck: Bool { !inFlight.isEmpty }

    /// The number the next packet will have.
    public var upcomingNumber: UInt64 { nextNumber }

    /// Leaves numbers out: none below `number` is given to a packet any more.
    public mutating func skip(to number: UInt64) { nextNumber = max(nextNumber, number) }

    /// Notes that a packet left.
    public mutating func sent(_ references: [FrameReference], at now: Instant) {
        if !references.isEmpty {
            inFlight.append(SentPacket(number: nextNumber, sentAt: now, references: references))
        }
        nextNumber += 1
    }

    /// When packets now in flight count as lost.
    public var lossDeadline: Instant? {
        guard let first = inFlight.first else { return nil }
        let timeout = max(first.sentAt, lastTimeoutAt).advanced(by: currentTimeout)
        guard isBehind(first.number) else { return timeout }
        return min(timeout, first.sentAt.advanced(by: reorderingWindow))
    }

    /// Whether three packets after it, or later ones, have arrived.
    private func isBehind(_ number: UInt64) -> Bool {
        largestAcknowledged.map { number + 3 <= $0 } ?? false
    }

    private func isLost(_ packet: SentPacket, at now: Instant) -> Bool {
        isBehind(packet.number) && packet.sentAt.advanced(by: reorderingWindow) <= now
    }

    /// What a packet carried is to be sent again.
    private mutating func giveUp(_ packet: SentPacket) {
        lostPackets += 1
        if givenUp.count >= limits.packetsInFlight { givenUp.removeFirst() }
        givenUp.append((packet.number, packet.sentAt))
        lossesSinceLate += 1
        // Enough that were lost indeed: the carrier may have ceased to reorder.
        if lossesSinceLate >= Self.lossesToBelieve {
            lossesSinceLate = 0
            reorderingWindow = reorderingWindow / 2
            if reorderingWindow < .milliseconds(1) { reorderingWindow = .zero }
        }
    }

    /// Packets given up that this acknowledgement names were under way all the time.
    private mutating func noteLate(_ ack: AckFrame, at now: Instant) {
        var isAny = false
        givenUp.removeAll { packet in
            guard ack.packets.contains(packet.number) else { return false }
            let time = packet.sentAt.duration(to: now)
            reorderingWindow = min(max(reorderingWindow, time + time / 8), Self.longestWindow)
            isAny = true
            return true
        }
        if isAny { lossesSinceLate = 0 }
    }

    private var currentTimeout: Duration {
        // A round trip that took as long as the window may take as long again.
        let base = max(
            roundTrip.timeout(
                initial: initialTimeout, interval: interval, ackDelay: Self.longestAckDelay),
            reorderingWindow)
        return min(base * (1 << min(consecutiveTimeouts, 6)), .seconds(8))
    }

    /// Takes an acknowledgement: gives back what is confirmed, and what is now known to be lost.
    /// Throws when it speaks of a packet that was never sent; the counterpart is at fault.
    public mutating func acknowledged(
        _ ack: AckFrame, at now: Instant
    ) throws(WireError) -> (confirmed: [FrameReference], lost: [FrameReference]) {
        guard let largest = ack.packets.last, largest < nextNumber else {
            throw WireError(
                .outOfRange, at: 0, expected: "acknowledgement of a packet that was sent",
                found: ack.packets.last ?? 0)
        }
        var confirmed: [FrameReference] = []
        var lost: [FrameReference] = []
        var kept: [SentPacket] = []
        let isNews = largestAcknowledged.map { largest > $0 } ?? true
        largestAcknowledged = max(largestAcknowledged ?? 0, largest)
        noteLate(ack, at: now)
        for packet in inFlight {
            if ack.packets.contains(packet.number) {
                if isNews, packet.number == largest {
                    let delay = Duration.microseconds(Int64(ack.delayMicroseconds))
                    roundTrip.add(packet.sentAt.duration(to: now), delay: delay)
                }
                confirmed += packet.references
                consecutiveTimeouts = 0
            } else if isLost(packet, at: now) {
                giveUp(packet)
                lost += packet.references
            } else {
                kept.append(packet)
            }
        }
        inFlight = kept
        return (confirmed, lost)
    }

    /// Gives back what packets carried that are behind others for too long; or what the oldest two
    /// in flight carried, when a time-out has passed: sent again they probe the path, and their
    /// acknowledgement tells of the rest (RFC 9002, 6.2).
    public mutating func expire(at now: Instant) -> [FrameReference] {
        guard let deadline = lossDeadline, deadline <= now else { return [] }
        var overdue = inFlight.prefix { isLost($0, at: now) }.count
        if overdue == 0 {
            consecutiveTimeouts += 1
            lastTimeoutAt = now
            overdue = min(2, inFlight.count)
        }
        let lost = inFlight.prefix(overdue)
        inFlight.removeFirst(overdue)
        for packet in lost { giveUp(packet) }
        return lost.flatMap { $0.references }
    }

    // MARK: Receiving

    /// Notes that packet `number` arrived; false when it did before.
    public mutating func arrived(_ number: UInt64, elicitsAck: Bool, at now: Instant) -> Bool {
        if let oldest = received.first, number < oldest, received.ranges.count >= limits.ackRanges {
            // Too old to tell apart from a repetition; whatever it held is sent again.
            repeatedPackets += 1
            return false
        }
        guard received.insert(number) else {
            repeatedPackets += 1
            // The acknowledgement may be what was lost. One is never answered by another: where a
            // carrier repeats everything that would not end.
            if elicitsAck { ackDeadline = now }
            return false
        }
        received.keepNewest(limits.ackRanges)
        if received.last == number { largestReceivedAt = now }
        if elicitsAck {
            unacknowledgedArrivals += 1
            let deadline =
                unacknowledgedArrivals >= 2 ? now : now.advanced(by: Self.longestAckDelay)
            ackDeadline = min(ackDeadline ?? deadline, deadline)
        }
        return true
    }

    /// The largest packet number received.
    public var largestReceived: UInt64? { received.last }

    /// The acknowledgement to put in the next packet, if one is owed.
    public mutating func makeAck(at now: Instant) -> AckFrame? {
        guard ackDeadline != nil, !received.isEmpty else { return nil }
        ackDeadline = nil
        unacknowledgedArrivals = 0
        let delay = largestReceivedAt.duration(to: now).nanosecondsClamped / 1_000
        return AckFrame(packets: received, delayMicroseconds: UInt64(max(0, delay)))
    }

    /// After how many lost packets in a row, none of them late, the window is halved.
    private static let lossesToBelieve = 16

    /// The longest window.
    private static let longestWindow: Duration = .seconds(4)

    /// How long an acknowledgement may wait for company.
    static let longestAckDelay: Duration = .milliseconds(20)
}
