/// Every timer a peer sets itself; those of its rooms are asked for when needed.
enum PeerTimer: Int, CaseIterable, Sendable {
    /// The next attempt to open a link.
    case reopen = 0
    /// The handshake must be complete by then.
    case handshake
    /// The last flight of the handshake goes out again.
    case flight
    /// Silence makes the counterpart suspect.
    case silence
    /// Silence ends the link.
    case stall
    /// What has arrived is not committed yet: the sender is told that it has arrived.
    case received
    /// The oldest record waits too long for the counterpart's commit.
    case overdue
    /// The session is so old that another has to follow.
    case renewal
}

extension Peer {
    /// When to call ``wake(at:)``, if nothing arrives before.
    public var nextDeadline: Instant? {
        var earliest = timers.nextDeadline
        func consider(_ deadline: Instant?) {
            guard let deadline else { return }
            earliest = min(earliest ?? deadline, deadline)
        }
        consider(reachability.holdDeadline)
        consider(batcher.nextDeadline)
        if let repair {
            let isActive = link.state == .active
            if isActive { consider(repair.lossDeadline) }
            // Behind a packet that the carrier does not take nothing leaves, and waking would
            // change nothing.
            if outgoingOffset >= outgoing.count {
                consider(repair.heldUntil)
                if isActive { consider(repair.ackDeadline) }
            }
        }
        if let first = outbox.expiries.first {
            let wait = first.moment.milliseconds - clock.time.milliseconds
            consider(clockReadAt.advanced(by: .milliseconds(max(0, wait))))
        }
        return earliest
    }

    mutating func expireTimers() {
        if timers.expire(.reopen, at: now), link.receive(.reopenDue) {
            counters.timersFired += 1
            events.append(.linkWanted)
        }
        if timers.expire(.handshake, at: now), link.state == .greeting {
            counters.timersFired += 1
            closeLink(.handshakeTimedOut, telling: nil)
        }
        if timers.expire(.flight, at: now), link.state == .greeting {
            counters.timersFired += 1
            repeatFlight()
        }
        if let deadline = reachability.holdDeadline, deadline <= now {
            tell(reachability.receive(.holdEnded, evidence: .heard, at: now))
        }
        for (key, payload) in batcher.due(at: now) {
            counters.timersFired += 1
            _ = try? acceptComplication(key, payload)
        }
        outbox.expire(at: wallTime)
        if timers.expire(.received, at: now) {
            counters.timersFired += 1
            inbox.tellReceived()
        }
        if timers.expire(.overdue, at: now) { counters.timersFired += 1 }
        if repair != nil, link.state == .active {
            let lost = repair?.expire(at: now) ?? []
            if !lost.isEmpty { counters.timersFired += 1 }
            takeBack(lost)
        }
        if timers.expire(.silence, at: now), link.state == .active {
            counters.timersFired += 1
            tell(reachability.receive(.silence, evidence: .silence, at: now))
            if pingSentAt == nil { requestPing() }
        }
        if timers.expire(.stall, at: now), link.state == .active {
            counters.timersFired += 1
            closeLink(.stalled, telling: .stalled)
        }
        if timers.expire(.renewal, at: now), link.state == .active {
            counters.timersFired += 1
            closeLink(.localRequest, telling: .normal)
        }
    }

    /// Whether the keys of the session have sealed, or refused, as much as they may.
    private var isSessionSpent: Bool {
        guard Security.isSealed else { return false }
        return sendingSealer?.needsRenewal(at: repair?.upcomingNumber ?? sentPackets) == true
            || receivingSealer?.needsRenewal(at: receivedPackets) == true
    }

    /// Brings liveness and the link of the rooms to each other up to date after any input.
    mutating func afterInput() {
        applyOutboxChanges()
        startAudits()
        judgeAges()
        if link.state == .active, outbox.needsNewGreeting || isSessionSpent {
            closeLink(.localRequest, telling: .normal)
        }
    }

    /// Silence counts only while an answer is owed to us. Judged after a drain: what a carrier lost
    /// is owed again only once it has left again.
    mutating func updateLiveness() {
        counters.deltasSent = outbox.deltasSent
        guard link.state == .active else {
            timers[.silence] = nil
            timers[.stall] = nil
            return
        }
        let isOwed =
            outbox.isAwaitingReceipt || pingSentAt != nil || repair?.isAwaitingAck == true
            || outgoingOffset < outgoing.count || isAwaitingValues
        // A packet that has begun is owed its rest: damage may have made it longer than it is.
        let restDeadline = heldSince?.advanced(by: configuration.stallTime)
        guard isOwed else {
            owedSince = nil
            timers[.silence] = nil
            timers[.stall] = restDeadline
            return
        }
        let since = max(owedSince ?? now, lastHeard)
        owedSince = owedSince ?? now
        let deadline = since.advanced(by: isDeaf ? silenceTime : configuration.stallTime)
        timers[.stall] = min(deadline, restDeadline ?? deadline)
        // Only who is believed reachable can become suspect.
        timers[.silence] =
            reachability.state == .reachable ? since.advanced(by: silenceTime) : nil
    }

    /// Nothing was heard in this session yet, but packets of another: the counterpart has that one
    /// for its own. Where both opened, what either answered may have come late or from a life that
    /// is over. That a session is of no use shows sooner than that a link is.
    private var isDeaf: Bool { hasHeardAnother && !reachability.hasHeard }

    /// How long nothing is heard, though an answer is owed, before the counterpart is suspect. A
    /// carrier that loses has to lose the question, or its answer, three times over.
    private var silenceTime: Duration {
        let least = configuration.stallTime / 5
        guard let repair else { return least }
        return min(max(least, repair.firstTimeout * 3), configuration.stallTime * 4 / 5)
    }

    mutating func requestPing() {
        pingDue = nextPingToken
        nextPingToken += 1
    }

    mutating func tell(_ change: (isReachable: Bool, evidence: ReachabilityEvidence)?) {
        guard let change else { return }
        events.append(.reachability(change.isReachable, change.evidence))
    }

    /// What a carrier lost goes out again in its current state.
    mutating func takeBack(_ lost: [FrameReference]) {
        for reference in lost {
            counters.framesResent += 1
            outbox.lost(reference)
            inbox.lost(reference)
            if case .heldQuery(let lane) = reference,
                comparison.wanted[Int(lane.rawValue)] != nil
                    || audit.lanes[Int(lane.rawValue)] != nil
            {
                comparison.ask(lane)
            }
            repeatAudit(reference)
            if case .held(let lane) = reference { comparison.answer(lane) }
            if reference == .ping, pingSentAt != nil { requestPing() }
            // Whoever asked would take the silence for a link that is gone.
            if case .pong(let token) = reference, pongDue == nil { pongDue = token }
            if reference == .early {
                isVerdictDue = true
                counters.earlyVerdictsResent += 1
            }
        }
    }

    /// Passes on what happened to records: to the application, and to the complication batcher.
    mutating func applyOutboxChanges() {
        while !outbox.changes.isEmpty {
            swap(&spareChanges, &outbox.changes)
            defer {
                spareChanges.removeAll(keepingCapacity: spareChanges.count <= Self.spareLimit)
            }
            for change in spareChanges {
                switch change {
                case .progress(let id, let stage): events.append(.progress(id, stage))
                case .settled(let id, let outcome): events.append(.settled(id, outcome))
                case .confirmed(let lane, let key, let payload, let counts):
                    guard lane == .complication else { continue }
                    if let next = batcher.confirmed(key, payload, counts: counts) {
                        _ = try? acceptComplication(key, next)
                    }
                }
            }
            tellCatchUp()
        }
    }

    /// Progress of catching up after a reconnection, in steps a person can see.
    private mutating func tellCatchUp() {
        guard catchUpTotal > 0 else { return }
        let left = outbox.lanes.reduce(0) { $0 + ($1.traits.isDurable ? $1.queuedRecords : 0) }
        let settled = max(0, catchUpTotal - left)
        guard left == 0 || settled - catchUpTold >= max(1, catchUpTotal / 20) else { return }
        catchUpTold = settled
        events.append(.catchUp(settled: min(settled, catchUpTotal), of: catchUpTotal))
        if left == 0 { catchUpTotal = 0 }
    }
}
