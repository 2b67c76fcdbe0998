/// Finds what a carrier lost: packets in flight, acknowledgements, time-outs, parity.
///
/// Works only on carriers that can lose; on streams it is never asked. What is not acknowledged
/// though three later packets were, or one sent longer ago than a round trip and an eighth, or
/// within a time-out, is given back to be sent again (RFC 9002, section 6). Once one that was given
/// up turns out to have been late, later packets count only after the time that one took: a carrier
/// that reorders would otherwise be sent everything many times over (the reordering window of
/// RFC 8985, section 6.2).
public struct Repair: Sendable {
    /// What an acknowledgement told.
    struct Confirmation: Sendable {
        /// Packets newly confirmed, those put together from parity left out, and their bytes.
        var count = 0
        var bytes = 0
        /// Packets lost, those put together from parity included.
        var lost = 0
        /// The newest, where it is newly confirmed.
        var newest: SentPackets.Packet?
    }

    let limits: Limits
    let initialTimeout: Duration
    let interval: Duration
    var inFlight = SentPackets()
    var nextNumber: UInt64 = 0
    /// What the counterpart confirmed.
    var confirmed = NumberRanges()
    var consecutiveTimeouts = 0
    var lastTimeoutAt: Instant = .zero
    var reordering = ReorderingWindow()
    /// What the counterpart last said it put together from parity.
    var restoredThere: UInt64 = 0
    /// The round trip under way: how many of its packets were lost, and how many arrived.
    var round = (end: UInt64(0), lost: 0, arrived: 0)
    var encoder = ParityEncoder()
    var arrivals = Arrivals()

    /// What is known of the path; it outlives the session.
    public internal(set) var path: Path
    /// How long a packet may be on its way while later ones have arrived; zero until one that was
    /// given up arrived after all.
    public var reorderingWindow: Duration { reordering.window }
    /// The newest of our packets the counterpart confirmed.
    public internal(set) var largestAcknowledged: UInt64?
    /// The round trips measured in this session.
    public internal(set) var roundTrip = RoundTripEstimate()
    /// When something leaves that waits for the line to be free.
    var heldUntil: Instant?
    /// Packets given up and repaired, since the session began.
    public internal(set) var lostPackets: UInt64 = 0

    /// Begins a session on a carrier that gets to send every `interval` and whose first time-out,
    /// before any sample, is built on `initialTimeout`, over a `path` of which something may be
    /// known.
    public init(
        limits: Limits, initialTimeout: Duration, interval: Duration, path: Path = Path()
    ) {
        self.limits = limits
        self.initialTimeout = initialTimeout
        self.interval = interval
        self.path = path
        self.path.interval = interval
        self.path.beginSession()
    }

    // MARK: Sending

    /// Whether another packet that elicits an acknowledgement may leave.
    public func mayTransmit(isUrgent: Bool, at now: Instant) -> Bool {
        inFlight.count < limits.packetsInFlight
            && path.mayLeave(
                isUrgent: isUrgent, inFlightBytes: inFlight.bytes, roundTrip: roundTrip.smoothed,
                at: now)
    }

    /// Whether what is large may leave with the rest.
    var mayTransmitBulk: Bool { path.mayLeaveBulk(inFlightBytes: inFlight.bytes) }

    /// When another packet may leave; nil where only an acknowledgement lets it.
    func nextDeparture(isUrgent: Bool) -> Instant? {
        guard inFlight.count < limits.packetsInFlight else { return nil }
        return path.nextDeparture(
            isUrgent: isUrgent, inFlightBytes: inFlight.bytes, roundTrip: roundTrip.smoothed)
    }

    /// The largest packet worth sending on a carrier that takes `largest` bytes.
    func packetLimit(largest: Int, least: Int) -> Int {
        path.packetLimit(largest: largest, least: least, roundTrip: roundTrip.smoothed)
    }

    /// Whether an answer is owed to us.
    public var isAwaitingAck: Bool { !inFlight.isEmpty }

    /// The number the next packet will have.
    public var upcomingNumber: UInt64 { nextNumber }

    /// Bytes of the headers of the next packets, at most.
    var headerBytes: Int {
        // Some numbers on, so that it is not more by the time the packet has its own.
        let header = DatagramHeader(
            kind: .transport, hint: 0, number: nextNumber + 16,
            largestAcknowledged: largestAcknowledged)
        // Kind, hint, number.
        return 3 + header.numberBytes
    }

    /// Leaves numbers out: none below `number` is given to a packet any more.
    public mutating func skip(to number: UInt64) { nextNumber = max(nextNumber, number) }

    /// Notes that a packet leaves; `sent(bytes:at:)` says how long it has become.
    public mutating func sent(
        _ references: [FrameReference], wasHeldBack: Bool = false, at now: Instant
    ) {
        if !references.isEmpty {
            inFlight.append(
                SentPackets.Packet(
                    number: nextNumber, sentAt: now, bytes: 0, references: references,
                    wasHeldBack: wasHeldBack, coveredBy: nextNumber))
        }
        nextNumber += 1
    }

    /// Notes how many bytes the packet has that left last.
    mutating func sent(
        bytes: Int, isBulk: Bool = false, wasHeldBack: Bool = false, at now: Instant
    ) {
        let elicitsAck = inFlight.setLast(nextNumber - 1, bytes: bytes)
        path.sent(
            bytes, isBulk: isBulk, isAcknowledgement: !elicitsAck, wasHeldBack: wasHeldBack,
            roundTrip: roundTrip.smoothed, at: now)
    }

    /// Notes a packet that has no number of this session.
    mutating func noteUnnumbered(_ bytes: Int, at now: Instant) {
        path.sent(bytes, roundTrip: roundTrip.smoothed, at: now)
    }

    /// Whether a packet of `bytes` that must not be lost is to leave twice.
    mutating func isWorthCopy(_ bytes: Int, at now: Instant) -> Bool {
        ParityEncoder.isWorthCopy(on: path.loss) && path.spend(bytes, at: now)
    }

    // MARK: Redundancy

    /// Whether parity waits for a flight to be over.
    var isParityDue: Bool { encoder.count > 0 }

    /// Bytes by which a packet of a flight is shorter, so that its parity fits a packet.
    var parityOverhead: Int {
        ParityEncoder.overhead(first: nextNumber)
    }

    /// The packet that just left, with these frames, belongs to a flight that is worth parity. One
    /// that says nothing urgent belongs to it only where it lies between others.
    mutating func protect(_ frames: [UInt8], isUrgent: Bool) {
        encoder.add(nextNumber - 1, frames, isUrgent: isUrgent)
    }

    /// The flight is over: the parity it is worth, as far as the path allows.
    mutating func takeParity(limitBytes: Int, at now: Instant) -> [ParityFrame] {
        let frames = encoder.parity(for: &path, limitBytes: limitBytes, at: now)
        if !frames.isEmpty {
            let last = encoder.first + UInt64(encoder.count) - 1
            inFlight.cover(encoder.first...last, by: nextNumber + UInt64(frames.count) - 1)
        }
        encoder.removeAll()
        return frames
    }

    /// A parity of packets from `first` on has left.
    mutating func cover(_ parity: ParityFrame) {
        let last = parity.first + UInt64(parity.count) - 1
        inFlight.cover(parity.first...last, by: nextNumber - 1)
    }

    /// Whether a flight has to be over before a packet of `bytes` leaves.
    func isFlightFull(_ bytes: Int) -> Bool { encoder.count > 0 && !encoder.hasRoom(for: bytes) }

    // MARK: Receiving

    /// Packets that arrived a second time.
    public var repeatedPackets: UInt64 { arrivals.repeatedPackets }
    /// Packets of the counterpart put together from parity.
    public var restoredPackets: UInt64 { arrivals.restoredPackets }
    /// When an acknowledgement must leave even if nothing else does.
    public var ackDeadline: Instant? { arrivals.ackDeadline }
    /// The largest packet number received.
    public var largestReceived: UInt64? { arrivals.largest }

    /// Notes that packet `number` arrived; false when it did before.
    public mutating func arrived(_ number: UInt64, elicitsAck: Bool, at now: Instant) -> Bool {
        arrivals.note(number, elicitsAck: elicitsAck, limits, at: now)
    }

    /// Keeps what packet `number` carried, in case parity needs it.
    mutating func keep(_ number: UInt64, _ frames: [UInt8]) { arrivals.keep(number, frames) }

    /// Takes a parity that came in packet `number`.
    mutating func take(_ parity: ParityFrame, in number: UInt64) {
        arrivals.take(parity, in: number)
    }

    /// Packets that can be put together now.
    mutating func takeRestored() -> [(number: UInt64, frames: [UInt8])] {
        arrivals.takeRestored()
    }

    /// The acknowledgement to put in the next packet, if one is owed, and when its largest packet
    /// arrived.
    public mutating func makeAck(at now: Instant) -> (AckFrame, ArrivalFrame)? {
        arrivals.makeAck(at: now)
    }

    /// How long an acknowledgement may wait for company.
    static let longestAckDelay: Duration = .milliseconds(20)
}
