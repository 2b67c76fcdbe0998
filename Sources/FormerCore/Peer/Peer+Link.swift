/// The link and its session: flights of the handshake, activation, the end.
extension Peer {
    /// The carrier is open. Refused, by `linkClosed`, when no link is wanted or one is open.
    ///
    /// - Parameters:
    ///   - carrier: what it can do.
    ///   - isCalled: the counterpart opened it, and its first packets are here or right behind:
    ///     where they hold a first flight, there is no need of one in return.
    ///   - now: the monotonic time.
    public mutating func linkUp(
        _ carrier: CarrierTraits, isCalled: Bool = false, at now: Instant
    ) {
        advance(to: now)
        guard link.receive(.carrierUp) else {
            events.append(.linkClosed(.localRequest))
            return
        }
        timers[.reopen] = nil
        counters.linksOpened += 1
        self.carrier = carrier
        framing = StreamFraming(limitBytes: configuration.limits.streamPacketBytes)
        if carrier.isLossy {
            path.beginLink()
            repair = makeRepair(on: carrier)
        } else {
            timers[.handshake] = now.advanced(by: configuration.stallTime)
        }
        if case .datagram(let bytes) = carrier.framing, bytes < Security.smallestDatagramBytes {
            let needed = Security.smallestDatagramBytes
            closeLink(.datagramTooSmall(bytes: bytes, needed: needed), telling: nil)
        } else {
            attempt = makeAttempt()
            // Records leave early only behind a flight of this side, and before it answers.
            if isCalled, carrier.isLossy, Security.isSealed, !outbox.hasQueued {
                timers[.flight] = now.advanced(by: min(firstTimeout, Self.calledPatience))
            } else {
                writeFlight()
            }
        }
        afterInput()
    }

    /// How long a side that was called waits for a first flight: as much as a slow line takes for
    /// the one that follows the call.
    private static var calledPatience: Duration { .milliseconds(50) }

    /// This side was called and has not opened itself. Two that open answer each other a round trip
    /// later than one that is answered.
    private var isHoldingFlight: Bool {
        link.state == .greeting && attempt?.lastFlight.isEmpty == true && carrier?.isLossy == true
    }

    /// Who called was answered: this side opens only if nothing comes of it.
    mutating func holdFlight() {
        if isHoldingFlight { timers[.flight] = now.advanced(by: firstTimeout) }
    }

    /// The carrier is gone, or could not be opened.
    public mutating func linkDown(_ failure: CarrierFailure, at now: Instant) {
        advance(to: now)
        guard link.state != .idle, link.state != .waiting else { return }
        if carrier != nil {
            let held = framing.heldBytes
            events.append(
                .linkClosed(
                    held > 0 ? .cutShort(heldBytes: held, failure) : .carrier(failure)))
        } else {
            backoff.openingFailed()
        }
        leaveLink(.linkDown)
        if link.receive(.carrierDown) { scheduleReopen() }
        afterInput()
    }

    /// Ends the link from this side; bytes written before still leave.
    mutating func closeLink(_ reason: LinkCloseReason, telling code: CloseCode?) {
        guard carrier != nil, closing == nil else { return }
        if let code, link.state == .active {
            var writer = WireWriter()
            CloseFrame(code: code.rawValue).write(to: &writer)
            repair?.sent([], at: now)
            if let packet = sealedPacket(.transport, writer.bytes) {
                controlPackets.append(.close, packet)
            }
        }
        closing = reason
        let evidence: ReachabilityEvidence
        switch reason {
        case .stalled: evidence = .silence
        case .counterpart: evidence = .counterpartSaidSo
        default: evidence = .linkDown
        }
        leaveLink(evidence)
        if link.receive(.close) { scheduleReopen() }
    }

    /// Forgets the session. Unsettled records wait for the next one.
    private mutating func leaveLink(_ evidence: ReachabilityEvidence) {
        if closing == nil {
            outgoing = []
            outgoingOffset = 0
            controlPackets.removeAll()
        }
        let wasActive = link.state == .active
        if wasActive, wasWorthwhile { backoff.succeeded() }
        if !wasActive { abandonEarly() }
        forgetEarly()
        carrier = nil
        rememberPath()
        repair = nil
        attempt = nil
        candidate = nil
        answers = []
        sendingSealer = nil
        receivingSealer = nil
        counterpart = nil
        lineage = nil
        audit = SetAudit()
        owedSince = nil
        heldSince = nil
        pingDue = nil
        pongDue = nil
        pingSentAt = nil
        sentPackets = 0
        receivedPackets = 0
        catchUpTotal = 0
        for timer in [PeerTimer.handshake, .flight, .silence, .stall, .renewal] {
            timers[timer] = nil
        }
        if wasActive {
            outbox.endSession()
            events.append(.activation(.inactive))
        }
        tell(reachability.receive(.down, evidence: evidence, at: now))
    }

    /// Whether the session that ends was of use, so that the next may be opened at once: one that
    /// ends by a violation, or soon and with nothing settled, would only end so again.
    private var wasWorthwhile: Bool {
        switch closing {
        case .violation, .unexpected, .notAuthentic, .wrongPeer, .datagramTooSmall: return false
        default: break
        }
        let lasted = establishedAt.duration(to: now)
        return lasted >= configuration.reopenBackoff || outbox.settledInSession > 0
            || inbox.arrivedInSession > 0
    }

    private mutating func scheduleReopen() {
        timers[.reopen] = now.advanced(by: backoff.nextWait(using: &generator))
    }

    // MARK: Handshake

    private mutating func makeAttempt(
        for theirs: UInt32 = 0
    ) -> HandshakeAttempt<Security.Handshake> {
        let handshake = security.makeHandshake(
            role: configuration.role, prologue: [Security.wireVersion])
        reserveHandshakes()
        return HandshakeAttempt(mine: drawSessionID(for: theirs), handshake: handshake)
    }

    /// An attempt that waits for a first flight to answer.
    mutating func makeAnswer() -> HandshakeAttempt<Security.Handshake> {
        HandshakeAttempt(
            mine: 0,
            handshake: security.makeAnswer(
                role: configuration.role, prologue: [Security.wireVersion]))
    }

    /// A random id by whose hint packets of this session are told from those of the others.
    mutating func drawSessionID(for theirs: UInt32 = 0) -> UInt32 {
        while true {
            let drawn = SessionIDs(
                mine: UInt32(truncatingIfNeeded: generator.next()), theirs: theirs)
            let isTaken =
                drawn.myHint == 0 || hintToMe(of: drawn) == hintToMe(of: ids)
                || hasAnswered(drawn.myHint)
                || Security.isSealed && drawn.myHint == attempt?.ids.myHint
            if !isTaken { return drawn.mine }
        }
    }

    /// Writes this side's next flight, if it is its turn, with the greeting inside.
    private mutating func writeFlight() {
        guard var attempt, attempt.handshake.mayWrite else { return }
        let (greeting, floors) = makeGreeting()
        attempt.toldFloors = floors
        attempt.toldDigests = heldDigests
        do throws(HandshakeFailure) {
            attempt.lastFlight = try attempt.handshake.write(
                payload: Security.isSealed
                    ? sealedPayload(greeting, of: attempt.ids.mine) : greeting)
        } catch {
            closeLink(error == .noMemory ? .noMemory : .notAuthentic, telling: nil)
            return
        }
        self.attempt = attempt
        queueFlight(attempt)
        // Behind the link's first flight alone: one that gives no answer costs no more than this.
        if attempt.repetitions == 0 {
            beginEarly(behind: attempt)
            isFlightCopyDue = carrier?.isLossy == true && Security.isSealed
        }
        armFlightTimer()
    }

    mutating func queueFlight(_ attempt: HandshakeAttempt<Security.Handshake>) {
        let packet = flightPacket(attempt)
        noteUnnumbered(packet.count)
        controlPackets.append(.flight, packet)
    }

    func flightPacket(_ attempt: HandshakeAttempt<Security.Handshake>) -> [UInt8] {
        var body = WireWriter()
        HandshakePacket(
            version: Security.wireVersion, senderSession: attempt.ids.mine,
            receiverSession: attempt.ids.theirs, flight: attempt.lastFlight
        ).write(to: &body)
        return plainPacket(.handshake, body.bytes)
    }

    private mutating func armFlightTimer() {
        guard carrier?.isLossy == true, let attempt else { return }
        let wait = firstTimeout * (1 << min(attempt.repetitions, 4))
        timers[.flight] = now.advanced(by: wait)
    }

    mutating func repeatFlight() {
        guard var attempt else { return }
        guard !isHoldingFlight else {
            writeFlight()
            return
        }
        attempt.repetitions += 1
        if attempt.repetitions.isMultiple(of: Self.repetitionsPerOpening) {
            let repetitions = attempt.repetitions
            if Security.isSealed {
                attempt = makeAttempt()
                attempt.repetitions = repetitions
                self.attempt = attempt
                writeFlight()
                return
            }
            // Who answered is gone, or knows only a session of this side that is: each would drop
            // what names the other's, for ever.
            if attempt.ids.theirs != 0 { attempt = unanswered(attempt) }
            attempt.repetitions = repetitions
        }
        self.attempt = attempt
        if !attempt.lastFlight.isEmpty { queueFlight(attempt) }
        armFlightTimer()
    }

    mutating func receiveHandshake(_ packet: HandshakePacket) {
        guard !Security.isSealed else {
            receiveSealedFlight(packet)
            return
        }
        if var attempt, attempt.ids.theirs == 0 || !isActive {
            if attempt.ids.theirs != 0, packet.senderSession != attempt.ids.theirs {
                // What answered before was of an earlier session of the counterpart.
                guard carrier?.isLossy == true else {
                    closeLink(.unexpected(frame: PacketKind.handshake.rawValue), telling: nil)
                    return
                }
                guard packet.receiverSession == 0 || packet.receiverSession == attempt.ids.mine
                else {
                    counters.packetsDropped += 1
                    return
                }
                attempt = unanswered(attempt)
            }
            guard read(packet, into: &attempt) else { return }
            self.attempt = attempt
            if attempt.handshake.mayWrite { writeFlight() }
            completeHandshake()
            return
        }
        receiveLateFlight(packet)
    }

    /// The attempt as it was before anybody answered. The same flight goes on: it names this side's
    /// session, which has not changed.
    private mutating func unanswered(
        _ answered: HandshakeAttempt<Security.Handshake>
    ) -> HandshakeAttempt<Security.Handshake> {
        var attempt = makeAttempt()
        attempt.ids.mine = answered.ids.mine
        attempt.toldFloors = answered.toldFloors
        attempt.toldDigests = answered.toldDigests
        _ = try? attempt.handshake.write(payload: answered.lastFlight)
        attempt.lastFlight = answered.lastFlight
        return attempt
    }

    private var isActive: Bool { link.state == .active }

    /// Takes the flight of a packet into an attempt; false when the link had to be given up.
    private mutating func read(
        _ packet: HandshakePacket, into attempt: inout HandshakeAttempt<Security.Handshake>
    ) -> Bool {
        let isRepeated = attempt.ids.theirs == packet.senderSession
        attempt.ids.theirs = packet.senderSession
        if packet.receiverSession == attempt.ids.mine {
            attempt.isConfirmed = true
        } else if packet.receiverSession != 0, carrier?.isLossy == true {
            counters.packetsDropped += 1
            return false
        } else if carrier?.isLossy == true {
            // It does not know this side's session yet.
            if !attempt.lastFlight.isEmpty { queueFlight(attempt) }
        }
        guard !isRepeated || attempt.greeting == nil else { return true }
        let payload: [UInt8]
        do throws(HandshakeFailure) {
            payload = try attempt.handshake.read(packet.flight.span)
        } catch {
            counters.packetsDropped += 1
            if carrier?.isLossy != true { closeLink(.notAuthentic, telling: nil) }
            return false
        }
        guard !payload.isEmpty else { return true }
        guard let greeting = readGreeting(payload) else { return false }
        attempt.greeting = greeting
        return true
    }

    /// On carriers that can lose, what does not authenticate is dropped and counted: anyone may
    /// have sent it. On others only the counterpart can have.
    mutating func dropOrClose(_ reason: LinkCloseReason, telling code: CloseCode? = nil) {
        counters.packetsDropped += 1
        if carrier?.isLossy != true { closeLink(reason, telling: code) }
    }

    mutating func completeHandshake() {
        guard let attempt, attempt.isReady else { return }
        guard carrier?.isLossy != true || attempt.isConfirmed else { return }
        self.attempt = nil
        establish(attempt)
    }

    /// A flight although a session is open: a repetition, or the counterpart started over.
    private mutating func receiveLateFlight(_ packet: HandshakePacket) {
        guard carrier?.isLossy == true else {
            closeLink(.unexpected(frame: PacketKind.handshake.rawValue), telling: .violation)
            return
        }
        if packet.senderSession == ids.theirs {
            guard packet.receiverSession != ids.mine, let attempt else { return }
            queueFlight(attempt)
            return
        }
        if let candidate, candidate.ids.theirs == packet.senderSession {
            if packet.receiverSession == candidate.ids.mine {
                switchToCandidate()
            } else if packet.receiverSession == 0 {
                queueFlight(candidate)
            }
            return
        }
        guard packet.receiverSession == 0 else {
            counters.packetsDropped += 1
            return
        }
        var fresh = makeAttempt(for: packet.senderSession)
        let (greeting, floors) = makeGreeting()
        fresh.toldFloors = floors
        fresh.toldDigests = heldDigests
        guard read(packet, into: &fresh), fresh.handshake.mayWrite,
            let flight = try? fresh.handshake.write(payload: greeting)
        else { return }
        fresh.lastFlight = flight
        candidate = fresh
        queueFlight(fresh)
    }

    /// The counterpart has started over and shown that it knows the answer: the old session ends.
    mutating func switchToCandidate() {
        guard let candidate, candidate.isReady else { return }
        self.candidate = nil
        replaceSession(by: candidate)
    }

    /// Ends the session and goes on with another on the same link.
    mutating func replaceSession(by candidate: HandshakeAttempt<Security.Handshake>) {
        guard let carrier else { return }
        forgetEarly()
        outbox.endSession()
        tell(reachability.receive(.down, evidence: .linkDown, at: now))
        rememberPath()
        repair = makeRepair(on: carrier)
        outgoing = []
        outgoingOffset = 0
        events.append(.activation(.inactive))
        establish(candidate)
        // A late packet of the old session has changed what this side holds after its greeting told
        // of it. A counterpart that has lost its own state would not learn of it: once more.
        if heldDigests != candidate.toldDigests { closeLink(.localRequest, telling: .normal) }
    }

    // MARK: Activation

    mutating func establish(_ ready: HandshakeAttempt<Security.Handshake>) {
        var ready = ready
        guard let greeting = ready.greeting, let carrier else { return }
        guard !isOutOfDate(ready, greeting) else {
            closeLink(.localRequest, telling: nil)
            return
        }
        link.receive(.established)
        establishedAt = now
        timers[.handshake] = nil
        timers[.flight] = nil
        timers[.renewal] = Security.Handshake.Sealer.renewalAge.map { now.advanced(by: $0) }
        let sealers = ready.sealers ?? ready.handshake.split()
        sendingSealer = sealers.sending
        receivingSealer = sealers.receiving
        ids = ready.ids
        // Kept for a counterpart that missed the last flight. A sealed session shows by its packets
        // that both have it.
        attempt = carrier.isLossy && !Security.isSealed ? ready : nil
        answers = []
        counterpart = greeting
        let largest = largestPacketBytes
        repair?.path.datagramBytes = largest
        sentPackets = 0
        keySince = now
        receivedPackets = 0
        roundTrip = RoundTripEstimate()
        lastHeard = now
        hasHeardAnother = false
        owedSince = nil
        pingSentAt = nil
        pongDue = nil
        requestPing()
        // Its places of epochs are those of the first flight, unless that lacked room for some.
        if outbox.listedEpochs != ready.toldFloors.count { abandonEarly() }
        outbox.toldFloors = ready.toldFloors
        outbox.listedEpochs = ready.toldFloors.count
        lineage = inbox.judge(greeting)
        let hasForgotten = inbox.isForgotten(by: greeting)
        if earlyEpochs == greeting.epochs {
            inbox.goOn(greeting)
        } else {
            inbox.begin(greeting)
            if earlyEpochs != nil {
                earlyArrival = nil
                tookEarlyOfAnother = true
            }
        }
        earlyEpochs = nil
        inbox.knownBeforeEarly = nil
        earlyPackets = []
        isVerdictDue = Security.isSealed
        noteHandshake()
        let hasLost = outbox.begin(
            greeting, isLossless: !carrier.isLossy, goesOn: earlySending != nil)
        events.append(.activation(.activated))
        noteCounterpart(greeting, hasLost: hasLost, hasForgotten: hasForgotten)
        tell(reachability.receive(.activated, evidence: .sessionActivated, at: now))
        resumeComparisons()
        auditValues(greeting)
        let waiting = outbox.lanes.reduce(0) { $0 + ($1.traits.isDurable ? $1.queuedRecords : 0) }
        catchUpTotal = waiting
        catchUpTold = 0
        // What came early was of another opening of the counterpart, and this one would not learn
        // of it by a greeting that had been written before: once more.
        if tookEarlyOfAnother, heldDigests != ready.toldDigests {
            closeLink(.localRequest, telling: .normal)
        }
        tookEarlyOfAnother = false
    }

    private mutating func noteCounterpart(
        _ greeting: Greeting, hasLost: Bool, hasForgotten: Bool
    ) {
        if hasLost || hasForgotten {
            if hasLost { events.append(.counterpartChanged(.lostItsState)) }
            if hasForgotten { events.append(.counterpartChanged(.lostItsQueue)) }
        } else if !hasMetCounterpart {
            events.append(.counterpartChanged(.first))
        } else if let known = counterpartEpoch, let present = greeting.presentID,
            known != present
        {
            events.append(.counterpartChanged(.restarted))
        }
        hasMetCounterpart = true
        counterpartEpoch = greeting.presentID ?? counterpartEpoch
    }
}
