/// Loss recovery of one session on a carrier that can lose: packets in flight, acknowledgements,
/// probe time-outs, FEC. Sessions on other carriers have none.
///
/// A packet is declared lost where three later packets are acknowledged, where a later one is and
/// it left longer ago than 9/8 of a round trip, or by a probe time-out (RFC 9002, section 6). Once
/// a packet declared lost turns out to have been late, later packets get as much time as that one
/// took: a carrier that reorders would otherwise be sent everything many times (the reordering
/// window of RFC 8985, section 6.2).
struct LossRecovery<Reference: PacketReference>: Sendable {
    let limits: Limits
    let initialTimeout: Duration
    let sendInterval: Duration
    var inFlight = SentPackets<Reference>()
    /// The number that the next packet has.
    var nextNumber: UInt64 = 0
    /// The packets that the counterpart acknowledged lately.
    var acknowledgedNumbers = NumberRanges()
    var consecutiveTimeouts = 0
    var lastTimeoutAt: Instant = .zero
    var reordering = ReorderingWindow()
    /// The number of packets that the counterpart has recovered, by its last report.
    var recoveredByCounterpart: UInt64 = 0
    /// The present round trip: the packet number that ends it, packets lost, packets arrived.
    var round = (end: UInt64(0), lost: 0, arrived: 0)
    var encoder = RepairEncoder()
    var received = ReceivedPackets()

    /// The path estimate; it outlives the session.
    var path: PathEstimate
    /// The largest own packet that the counterpart acknowledged.
    var largestAcknowledged: UInt64?
    /// The round-trip time measured in this session.
    var roundTrip = RoundTripEstimate()
    /// When something leaves that pacing delays; the peer sets it.
    var pacedUntil: Instant?
    /// Packets declared lost since the session began.
    var lostPackets: UInt64 = 0

    /// Begins a session. `sendInterval` is the time between two turns of the carrier to send.
    init(
        limits: Limits, initialTimeout: Duration, sendInterval: Duration,
        path: PathEstimate = PathEstimate()
    ) {
        self.limits = limits
        self.initialTimeout = initialTimeout
        self.sendInterval = sendInterval
        self.path = path
        self.path.sendInterval = sendInterval
        self.path.beginSession()
    }

    mutating func apply<Result>(_ body: (inout Self) -> Result) -> Result { body(&self) }

    /// The time for which a packet may stay unacknowledged although later ones have arrived; zero
    /// until the carrier has reordered.
    var reorderingWindow: Duration { reordering.window }

    // MARK: Sending

    /// Whether another packet that elicits an acknowledgement may leave.
    func mayTransmit(isUrgent: Bool, at now: Instant) -> Bool {
        inFlight.count < limits.packetsInFlight
            && path.mayLeave(
                isUrgent: isUrgent, inFlightBytes: inFlight.bytes, roundTrip: roundTrip.smoothed,
                at: now)
    }

    /// Whether bulk may leave where other packets may.
    var mayTransmitBulk: Bool { path.mayLeaveBulk(inFlightBytes: inFlight.bytes) }

    /// When another packet may leave; nil where only an acknowledgement allows it.
    func nextDeparture(isUrgent: Bool) -> Instant? {
        guard inFlight.count < limits.packetsInFlight else { return nil }
        return path.nextDeparture(
            isUrgent: isUrgent, inFlightBytes: inFlight.bytes, roundTrip: roundTrip.smoothed)
    }

    /// The largest packet worth sending, between `least` and what the carrier takes, `largest`.
    func packetLimit(largest: Int, least: Int) -> Int {
        path.packetLimit(largest: largest, least: least, roundTrip: roundTrip.smoothed)
    }

    /// Skips numbers: no packet gets a number below `number` any more (key update).
    mutating func skip(to number: UInt64) { nextNumber = max(nextNumber, number) }

    /// Gives the next number to a packet that leaves with these references; one without elicits no
    /// acknowledgement. `sent(bytes:…)` follows, with the length of the sealed packet.
    mutating func sent(
        _ references: [Reference], wasPaced: Bool = false, at now: Instant
    ) {
        if !references.isEmpty {
            inFlight.append(
                SentPackets<Reference>.Packet(
                    number: nextNumber, sentAt: now, bytes: 0, references: references,
                    wasPaced: wasPaced, coveredBy: nextNumber))
        }
        nextNumber += 1
    }

    /// Records the length of the packet that left last.
    mutating func sent(
        bytes: Int, isBulk: Bool = false, wasPaced: Bool = false, at now: Instant
    ) {
        let elicitsAck = inFlight.setLast(nextNumber - 1, bytes: bytes)
        path.sent(
            bytes, isBulk: isBulk, isAcknowledgement: !elicitsAck, wasPaced: wasPaced,
            roundTrip: roundTrip.smoothed, at: now)
    }

    /// Records a packet that has no number of this session: a handshake message, early data.
    mutating func sentUnnumbered(_ bytes: Int, at now: Instant) {
        path.sent(bytes, roundTrip: roundTrip.smoothed, at: now)
    }

    /// Whether a packet of `bytes` that must not be lost is to leave twice. Spends the budget if
    /// so.
    mutating func isWorthCopy(_ bytes: Int, at now: Instant) -> Bool {
        RepairEncoder.isWorthCopy(on: path.loss) && path.spend(bytes, at: now)
    }

    // MARK: Receiving

    /// Records that packet `number` arrived; false where it had arrived before.
    mutating func arrived(_ number: UInt64, elicitsAck: Bool, at now: Instant) -> Bool {
        received.insert(number, elicitsAck: elicitsAck, limits, at: now)
    }
}
