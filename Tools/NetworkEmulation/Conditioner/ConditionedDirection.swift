import CommandLine
import Simulation
import WatchProtoCore

/// One direction in real time: the model says what arrives and when, this keeps it until then.
struct ConditionedDirection {
    /// A packet, or a piece of a stream, that the model has not taken yet.
    struct Waiting {
        var bytes: [UInt8]
        var channel: Int
    }

    let kind: LinkKind
    private(set) var heap = ArrivalHeap()
    /// The packets that the model refused, or that came to a lossless carrier while nothing passes.
    private(set) var backlog: [Waiting] = []
    private(set) var model: LinkModel
    private(set) var conditions: DirectionConditions
    private var reading: LinkProfile.Reading
    /// When its blackouts were set, and when their list of blackouts is used up.
    private var origin: Instant
    private var staleAt = Instant.distantFuture
    /// The last moment the model was given: its time never runs backwards.
    private var lastOfferAt = Instant.zero
    private var nextNumber: UInt64 = 0
    /// Until when the receiver, who had no room, is left alone.
    private var blockedUntil = Instant.zero
    private(set) var isDown = false
    var report = ConditionerCounters.Direction()
    /// Packets offered so far, and the numbers of those that are to be dropped.
    private var offers: UInt64 = 0
    private var unwanted: Set<UInt64> = []
    /// The packets offered lately, for measurements.
    private var offered: [OfferedPacket] = []

    init(
        _ conditions: DirectionConditions, _ reading: LinkProfile.Reading, kind: LinkKind,
        seed: UInt64,
        at now: Instant
    ) {
        self.conditions = conditions
        self.reading = reading
        self.kind = kind
        origin = now
        model = LinkModel(LinkOptions(), seed: seed)
        renewOptions(at: now)
    }

    // MARK: Network conditions

    /// Blackouts count from now on where they are others, or are to; else from when they did.
    mutating func set(
        _ conditions: DirectionConditions, _ reading: LinkProfile.Reading,
        restartsBlackouts: Bool = false, at now: Instant
    ) {
        guard conditions != self.conditions || reading != self.reading || restartsBlackouts else {
            return
        }
        if restartsBlackouts || conditions.blackout != self.conditions.blackout { origin = now }
        self.conditions = conditions
        self.reading = reading
        offerAnew(at: now)
    }

    mutating func setDown(_ isDown: Bool, at now: Instant) {
        guard isDown != self.isDown else { return }
        self.isDown = isDown
        offerAnew(at: now)
    }

    /// Offers the packets that have not left yet anew under the new network conditions: they must
    /// not wait for the old line.
    private mutating func offerAnew(at now: Instant) {
        let moment = max(now, lastOfferAt)
        let undeparted = heap.removeAll { $0.departsAt > moment }
        let packets = undeparted.filter { $0.original != nil }
        model.withdraw(
            packets: packets.count, bytes: packets.reduce(0) { $0 + ($1.original?.count ?? 0) },
            arrivals: undeparted.count,
            lastArrival: heap.elements.map(\.at).max() ?? .zero, at: moment)
        renewOptions(at: moment)
        let earlier = packets.map { Waiting(bytes: $0.original ?? [], channel: $0.channel) }
        backlog = earlier + backlog
        offerBacklog(at: moment)
    }

    private mutating func renewOptions(at now: Instant) {
        var options = conditions.options(kind, reading: reading, since: origin, around: now)
        if isDown, kind.isLossy {
            options.outages = [LinkOutage(from: .zero, until: .distantFuture)]
        }
        model.options = options
        staleAt = conditions.blackout?.staleAt(now) ?? .distantFuture
    }

    /// Whether nothing passes at all: the packets of a lossless carrier must wait here, since the
    /// model would keep them for ever.
    private var isShut: Bool {
        !kind.isLossy && (isDown || conditions.options.rateBitsPerSecond == 0)
    }

    // MARK: In and out

    /// Whether more may be read: the sender on a lossless carrier is to feel a lack of room.
    var mayTake: Bool { backlog.isEmpty && !isShut }

    /// When what was refused may be offered again; nil when nothing was.
    var nextRetry: Instant? { backlog.isEmpty || isShut ? nil : model.nextDeparture }

    /// Drops exactly these of the packets to come; 1 is the next one.
    mutating func drop(_ packets: [UInt64]) { unwanted.formUnion(packets.map { offers + $0 }) }

    mutating func offer(_ bytes: [UInt8], channel: Int, at moment: Instant) {
        offers += 1
        if unwanted.remove(offers) != nil {
            report.dropped += 1
            return
        }
        if offered.count >= 16_384 { offered.removeFirst(8_192) }
        offered.append(OfferedPacket(at: moment, bytes: bytes.count))
        backlog.append(Waiting(bytes: bytes, channel: channel))
        offerBacklog(at: moment)
    }

    mutating func takeOffered() -> [OfferedPacket] {
        defer { offered = [] }
        return offered
    }

    mutating func offerBacklog(at moment: Instant) {
        let now = max(moment, lastOfferAt)
        if now >= staleAt { renewOptions(at: now) }
        var offered = 0
        while !isShut, offered < backlog.count {
            let waiting = backlog[offered]
            lastOfferAt = now
            let offer = model.offer(waiting.bytes, at: now)
            plan(offer, waiting)
            if offer.takenBytes < waiting.bytes.count, !kind.isLossy {
                backlog[offered].bytes.removeFirst(offer.takenBytes)
                break
            }
            offered += 1
        }
        backlog.removeFirst(offered)
    }

    private mutating func plan(_ offer: LinkOffer, _ waiting: Waiting) {
        for (place, arrival) in offer.arrivals.enumerated() {
            let original =
                offer.takenBytes == waiting.bytes.count
                ? waiting.bytes : Array(waiting.bytes[..<offer.takenBytes])
            heap.insert(
                PlannedArrival(
                    at: arrival.at, number: nextNumber, bytes: arrival.bytes,
                    departsAt: offer.fate.departedAt ?? .zero,
                    original: place == 0 ? original : nil, channel: waiting.channel))
            nextNumber += 1
        }
    }

    /// The next arrival that is due; nil when none is.
    mutating func takeDue(at now: Instant) -> PlannedArrival? {
        guard let due = nextDue, due <= now else { return nil }
        return heap.removeFirst()
    }

    /// When the next arrival is to be handed over; nil when there is none.
    var nextDue: Instant? { heap.first.map { max($0.at, blockedUntil) } }

    /// The receiver had no room: tried again at `moment`, and before all that comes after it.
    mutating func putOff(_ arrival: PlannedArrival, until moment: Instant) {
        var arrival = arrival
        // Already gone from the line, whatever the network conditions.
        arrival.departsAt = .zero
        heap.insert(arrival)
        blockedUntil = moment
    }

    /// Forgets what is under way on a connection that has ended.
    mutating func forget(_ channel: Int) {
        _ = heap.removeAll { $0.channel == channel }
        backlog.removeAll { $0.channel == channel }
    }

    /// Whether anything of a connection is still under way.
    func isCarrying(_ channel: Int) -> Bool {
        backlog.contains { $0.channel == channel }
            || heap.elements.contains { $0.channel == channel }
    }

    /// The counters of this moment.
    var snapshot: ConditionerCounters.Direction {
        var report = report
        report.link = model.counters
        report.queuedBytes = model.queuedBytes + backlog.reduce(0) { $0 + $1.bytes.count }
        report.underWay = heap.count
        return report
    }
}
