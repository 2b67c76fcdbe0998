/// One side of one pairing: the whole protocol as one value.
///
/// Bytes and time go in; bytes, journal entries and events come out through a ``PeerHost``.
///
/// ```text
///   receive(_:at:)  ─▶ packets ─▶ frames ─▶ inbox  ─▶ deliver(_:)    persist(_:receipt:)
///   send(_:at:)     ─▶ outbox  ─▶ frames ─▶ packets ─▶ transmit(_:)  committed(_:at:) ─▶ receipts
/// ```
///
/// After any call that takes `at:`, call ``drain(into:)`` once, then wait until ``nextDeadline``
/// or the next input. Time never runs backwards.
public struct Peer<Security: PeerSecurity>: ~Copyable {
    /// How this peer was set up.
    public let configuration: PeerConfiguration

    var now: Instant
    var clock: WallClock
    var clockReadAt: Instant
    /// For session ids and jitter; seeded by the fresh epoch, which is random.
    var generator: SeededGenerator

    var link = LinkMachine()
    var backoff: ReopenBackoff
    var carrier: CarrierTraits?
    var framing: StreamFraming
    var repair: Repair?
    /// The parity of early packets, both ways.
    var earlyParity = EarlyParity()
    /// The first flight of the link is to leave a second time.
    var isFlightCopyDue = false
    /// Parity that leaves before any other packet.
    var parityDue: [ParityFrame] = []
    /// Something waits for the path to be free.
    var isHeldBack = false
    /// What is known of the path to the counterpart, while no session measures it.
    var path = Path()
    /// What the journal was last given of it.
    var pathNoted: PathMemory?
    var reachability = Reachability()
    var outbox: Outbox
    var inbox: Inbox
    var batcher: ComplicationBatcher
    var judge = LinkQualityJudge()
    var budget: ComplicationBudget
    var comparison = SetComparison()
    var audit = SetAudit()
    /// What the session's greeting shows of the counterpart's past, until a packet authenticates.
    /// Should none ever do, the next greeting is judged as if there had been no other.
    var lineage: Lineage?
    var timers = TimerTable<PeerTimer>()

    /// Events to report, in order.
    var events: [PeerEvent] = []
    /// The link ends once what was written before has left.
    var closing: LinkCloseReason?
    /// Whole packets to leave before any other.
    var controlPackets = ControlPackets()
    /// The packet that is leaving, and how much of it has left.
    var outgoing: [UInt8] = []
    var outgoingOffset = 0
    /// Batches given to the journal whose receipt has not come.
    var awaitingCommit: [CommitBatch] = []
    /// What fills changes places with these, so that it is not allocated anew each time.
    var spareChanges: [DeliveryChange] = []
    var spareEvents: [PeerEvent] = []
    /// What one burst made longer than this is given back.
    static var spareLimit: Int { 4096 }
    var nextReceipt: UInt64 = 1
    /// Records accepted since the last batch.
    var queuedSinceBatch: [RecordID] = []
    var isJournalFailed = false
    /// The alarm over the oldest uncommitted record is raised.
    var isOverdue = false

    var establishedAt: Instant = .zero
    var lastHeard: Instant = .zero
    /// Packets of another session came in this one, of which nothing was heard yet.
    var hasHeardAnother = false
    /// When the last byte of a packet came that is not whole yet; nil while there is none.
    var heldSince: Instant?
    /// Since when an answer has been owed to us; nil while none is.
    var owedSince: Instant?
    var pingDue: UInt64?
    var pongDue: UInt64?
    var pingSentAt: Instant?
    var nextPingToken: UInt64 = 1
    /// Round trips on carriers that need no repair.
    var roundTrip = RoundTripEstimate()
    /// The counterpart's greeting of this session.
    var counterpart: Greeting?
    var hasMetCounterpart = false
    /// The counterpart's opening that was met last.
    var counterpartEpoch: EpochID?
    var ids = SessionIDs(mine: 0)
    /// Implied packet numbers, on carriers that never lose.
    var sentPackets: UInt64 = 0
    var receivedPackets: UInt64 = 0
    /// When the key that this side seals with was first used.
    var keySince = Instant.zero
    var catchUpTotal = 0
    var catchUpTold = 0
    /// The journal was, or is being, told that first flights may bear numbers below this.
    var reservationUnderWay: UInt64 = 0
    var reservedSinceBatch: UInt64?
    /// The highest number of a flight of the counterpart that the journal was given.
    var handshakeNoted: UInt64
    /// The epochs of the counterpart that the inbox began a session with on early data.
    var earlyEpochs: Greeting.Epochs?
    /// Early data of an opening of the counterpart was taken, and the next flight was another's.
    var tookEarlyOfAnother = false
    /// Early packets whose first flight has not come.
    var earlyPackets: [EarlyPacket] = []
    /// The counterpart is to hear what became of its early data.
    var isVerdictDue = false
    var noticeGate = NoticeGate()
    /// Flights that may be tried against keys, where anybody can send one.
    var flightBudget = WorkBudget.flights
    /// What this peer did and dropped since it was opened.
    public internal(set) var counters = PeerCounters()
    /// Which packets it sends and takes; nil, as at first, where nobody wants to know.
    public var packetLog: PacketLog?

    // The security's values come last: their size is not known to the rest.
    var security: Security
    var attempt: HandshakeAttempt<Security.Handshake>?
    /// Another session the counterpart may be opening while this one lives.
    var candidate: HandshakeAttempt<Security.Handshake>?
    /// Sealed sessions that this side answered and of which no packet has authenticated yet.
    var answers: [HandshakeAttempt<Security.Handshake>] = []
    var earlySending: EarlySending<Security.Handshake.Sealer>?
    /// The session id that this link's flight with early data named.
    var earlyFlight: UInt32?
    var earlyArrival: EarlyArrival<Security.Handshake.Sealer>?
    var sendingSealer: Security.Handshake.Sealer?
    var receivingSealer: Security.Handshake.Sealer?

    /// What becomes true when a batch of journal entries is durable.
    struct CommitBatch: Sendable {
        var receipt: JournalReceipt
        var queued: [RecordID]
        var settled: [(id: RecordID, outcome: Outcome)]
        var floors: [FloorMark]
        var actions: [Inbox.CommitAction]
        /// First flights may bear numbers below this one.
        var reserved: UInt64?
    }

    /// Opens the peer on what its journal holds.
    ///
    /// - Parameters:
    ///   - configuration: how the peer is set up; limits that contradict each other, and a kind
    ///     other than 3 that removes its key, are our caller's fault and trap.
    ///   - image: what the journal holds; empty on a first start.
    ///   - freshEpoch: random, never zero; its lower 26 bits become those of this opening's epoch,
    ///     which stands in the journal from the first record on.
    ///   - security: makes the handshake of each link.
    ///   - clock: what the wall clock shows at `now`.
    ///   - now: the present moment.
    public init(
        _ configuration: PeerConfiguration, restoring image: JournalImage = JournalImage(),
        freshEpoch: EpochID, security: Security, clock: WallClock, at now: Instant
    ) {
        let contradiction = configuration.limits.contradiction
        precondition(contradiction == nil, contradiction ?? "")
        precondition(freshEpoch.rawValue != 0, "an epoch is never zero")
        precondition(
            configuration.kinds.removals.allSatisfy { $0 == .removal },
            "this core knows removals by their code")
        self.configuration = configuration
        self.now = now
        self.clock = clock
        clockReadAt = now
        generator = SeededGenerator(seed: freshEpoch.rawValue)
        backoff = ReopenBackoff(
            first: configuration.reopenBackoff, longest: configuration.longestReopenBackoff)
        framing = StreamFraming(limitBytes: configuration.limits.streamPacketBytes)
        outbox = Outbox(
            limits: configuration.limits, kinds: configuration.kinds, freshEpoch: freshEpoch,
            image: image, clock: clock.time)
        inbox = Inbox(limits: configuration.limits, kinds: configuration.kinds, image: image)
        batcher = ComplicationBatcher(
            batchTime: configuration.complicationBatchTime,
            batchCount: configuration.complicationBatchCount)
        budget = ComplicationBudget(perDay: configuration.complicationBudget, clock: clock)
        hasMetCounterpart =
            !image.counterpartEpochs.isEmpty || image.lastConfirmedEpoch != nil
            || image.metOpenings.newest != nil
        counterpartEpoch = image.metOpenings.newest ?? image.counterpartEpochs.last?.id
        handshakeNoted = image.handshakeTaken
        pathNoted = image.path
        if let memory = image.path { path = Path(remembering: memory) }
        self.security = security
        self.security.restore(reserved: image.handshakesReserved, taken: image.handshakeTaken)
        let complications = outbox.lanes[Int(Lane.complication.rawValue)].keys
        for (key, state) in zip(complications.keys, complications.values) {
            batcher.restore(
                key, lastQueued: state.newestPayload, isUnderWay: !state.live.isEmpty)
        }
        outbox.startAges(clock: clock.time, at: now)
        judgeAges()
    }

    // MARK: Time and the journal

    /// ``nextDeadline`` has come (calling early does no harm).
    public mutating func wake(at now: Instant) {
        advance(to: now)
        expireTimers()
        afterInput()
    }

    /// A batch of journal entries is durable.
    public mutating func committed(_ receipt: JournalReceipt, at now: Instant) {
        advance(to: now)
        let done = takeCommitted(through: receipt)
        for batch in done {
            for id in batch.queued { outbox.queuedIsDurable(id) }
            for (id, outcome) in batch.settled { outbox.settlementIsDurable(id, outcome) }
            for mark in batch.floors { outbox.floorIsDurable(mark) }
            for action in batch.actions { inbox.committed(action) }
            if let end = batch.reserved { security.reserved(end) }
        }
        if timers[.received] != nil {
            let isOwed = awaitingCommit.contains { !$0.actions.isEmpty }
            timers[.received] = isOwed ? now.advanced(by: configuration.receivedNoticeTime) : nil
        }
        afterInput()
    }

    private mutating func takeCommitted(through receipt: JournalReceipt) -> [CommitBatch] {
        var done: [CommitBatch] = []
        if let last = awaitingCommit.last, last.receipt <= receipt {
            swap(&done, &awaitingCommit)
        } else {
            // An array of its own: a slice would make the removal copy all that still waits.
            done = Array(awaitingCommit.prefix { $0.receipt <= receipt })
            awaitingCommit.removeFirst(done.count)
        }
        return done
    }

    /// A batch of journal entries could not be made durable. Nothing it held is acknowledged, and
    /// the peer stops: the host opens the journal again and makes a new peer on it.
    public mutating func failed(_ receipt: JournalReceipt, at now: Instant) {
        advance(to: now)
        guard !isJournalFailed else { return }
        isJournalFailed = true
        awaitingCommit = []
        events.append(.journalFailed)
        deactivate(.normal, at: now)
    }

    /// The wall clock or the time zone changed.
    public mutating func wallClockChanged(_ clock: WallClock, at now: Instant) {
        advance(to: now)
        self.clock = clock
        clockReadAt = now
        budget.clockChanged(clock)
        expireTimers()
        afterInput()
    }

    // MARK: What the application wants

    /// Starts wanting a link (`activate` in WatchConnectivity), or tries at once to open one that
    /// the host knows can be had. Reports `linkWanted`.
    public mutating func activate(at now: Instant) {
        advance(to: now)
        if !isJournalFailed, link.receive(.activate) {
            timers[.reopen] = nil
            events.append(.linkWanted)
        }
        reserveHandshakes()
        afterInput()
    }

    /// Closes the link, telling the counterpart why, and stops wanting one.
    public mutating func deactivate(_ code: CloseCode, at now: Instant) {
        advance(to: now)
        let hadCarrier = carrier != nil
        if hadCarrier { closeLink(.localRequest, telling: code) }
        link.receive(.deactivate)
        timers[.reopen] = nil
        afterInput()
    }

    /// Accepts a record for delivery.
    ///
    /// - Throws: ``SendRefusal`` when the caller asked for what cannot be; nothing changes then.
    public mutating func send(
        _ draft: RecordDraft, at now: Instant
    ) throws(SendRefusal) -> RecordID {
        advance(to: now)
        return try accept(draft)
    }

    /// Shows a new state in the complication: at once when quiet, gathered when busy, never when
    /// equal to the last. The payload is the state in its canonical encoding.
    ///
    /// Throws a ``SendRefusal``, and changes nothing then: `tooLarge`, in bytes, is the caller's
    /// fault, a full queue or a journal that failed is not.
    ///
    /// - Returns: what was decided, and under which identity it leaves if it does so now.
    @discardableResult
    public mutating func updateComplication(
        _ key: RecordKey, _ payload: [UInt8], at now: Instant
    ) throws(SendRefusal) -> ComplicationUpdate {
        advance(to: now)
        let limit = Lane.complication.traits.recordByteLimit
        guard payload.count <= limit else {
            throw .tooLarge(bytes: payload.count, limit: limit)
        }
        guard !isJournalFailed else { throw .journalFailed }
        defer { afterInput() }
        batcher.batchTime = gatheringTime
        switch batcher.update(key, payload, at: now) {
        case .send: return .queued(try acceptComplication(key, payload))
        case .gathered:
            counters.complicationsGathered += 1
            return .gathered
        case .equal:
            counters.complicationsEqual += 1
            outbox.noteSaidAgain(.complication, key, payload)
            return .equal
        }
    }

    /// Takes a record back if it does not count yet; ``PeerEvent/settled(_:_:)`` says how it ended.
    public mutating func cancel(_ id: RecordID, at now: Instant) {
        advance(to: now)
        outbox.withdraw(id, as: .cancelled)
        afterInput()
    }

    /// The application has taken over a record it had left pending.
    public mutating func applied(_ id: RecordID, at now: Instant) {
        advance(to: now)
        inbox.dispose(id, .applied)
        afterInput()
    }

    /// The application refuses a record it had left pending.
    public mutating func rejected(_ id: RecordID, code: UInt16, at now: Instant) {
        advance(to: now)
        inbox.dispose(id, .rejected(code: code))
        afterInput()
    }

    // MARK: What can be asked

    /// Whether a record of the counterpart was given to the application and not yet taken over or
    /// refused.
    public func isPending(_ id: RecordID) -> Bool { inbox.pending[id] != nil }

    /// What is known of a record this side sent: under way, settled, or unknown; never a guess.
    public func status(of id: RecordID) -> RecordStatus { outbox.status(of: id) }

    /// The record under way that stands for `draft`, because both have one idempotency key.
    public func recordUnderWay(for draft: RecordDraft) -> RecordID? { outbox.underWay(draft) }

    /// Records accepted and not yet settled, lane by lane, oldest first.
    public var outstandingTransfers: [RecordID] { outbox.outstanding }

    /// Whether the counterpart can answer now.
    public var isReachable: Bool { reachability.isReachable }

    /// Where the session with the counterpart stands.
    public var activationState: ActivationState {
        switch link.state {
        case .active: .activated
        case .idle: .notActivated
        case .waiting, .opening, .greeting: .inactive
        }
    }

    /// Whether values are being compared with what the counterpart holds, because one of the two
    /// was wiped or restored from a backup.
    public var isReconciling: Bool { audit.lanes.contains { $0 != nil } }

    /// Budgeted complication transfers left today.
    public var remainingComplicationTransfers: Int { budget.remaining }

    /// The smoothed round-trip time of this session's link; nil before the first sample.
    public var roundTripTime: Duration? { repair?.roundTrip.smoothed ?? roundTrip.smoothed }

    /// How good the link is or was last, by what was measured; nil before anything was.
    public var linkQuality: LinkQuality? { judge.quality }

    /// This opening's epoch.
    public var currentEpoch: EpochID { outbox.epochs[outbox.epochs.count - 1].id }

    // MARK: Shared by the extensions

    mutating func advance(to now: Instant) {
        precondition(now >= self.now, "time runs backwards")
        self.now = now
    }

    /// What the wall clock shows at ``now``.
    var wallTime: WallTime {
        let elapsed = clockReadAt.duration(to: now).nanosecondsClamped / 1_000_000
        return WallTime(milliseconds: clock.time.milliseconds + elapsed)
    }

    mutating func accept(_ draft: RecordDraft) throws(SendRefusal) -> RecordID {
        guard !isJournalFailed else { throw .journalFailed }
        if let first = outbox.underWay(draft) { return first }
        let id = try outbox.accept(draft, isReachable: isReachable, clock: wallTime)
        outbox.noteAge(of: id, at: now)
        if draft.lane.traits.isDurable { queuedSinceBatch.append(id) }
        if draft.lane == .complication, let key = draft.key { batcher.queued(key, draft.payload) }
        if draft.lane.traits.isBudgeted, !isReachable, budget.spend() {
            events.append(.remainingComplicationTransfers(budget.remaining))
        }
        counters.recordsAccepted += 1
        afterInput()
        return id
    }

    mutating func acceptComplication(
        _ key: RecordKey, _ payload: [UInt8]
    ) throws(SendRefusal) -> RecordID {
        try accept(
            RecordDraft(lane: .complication, kind: .face, key: key, payload: payload))
    }
}
