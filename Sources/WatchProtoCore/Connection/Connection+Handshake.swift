/// The handshake: messages 1 and 2, refusals, and both sides opening at once (Models/IDENTITY.md,
/// section 3).
extension Connection {
    // MARK: Calls by the peer

    /// Makes message 1 where ``wantsInitiation`` is true. Any unconfirmed session is over.
    ///
    /// `hello` holds the durable ticket presentation in at most ``initiationHelloBytes``; `counter`
    /// is of the reserved block, never used before. False where no message was made: nothing was
    /// wanted, or this host has no memory for keys, and the carrier was closed.
    @discardableResult
    package mutating func initiate(
        hello: [UInt8], epoch: EpochID, counter: UInt64, at now: Instant
    ) -> Bool {
        guard wantsInitiation, var handshake else { return false }
        let payload = padded(
            InitiationPayload(epoch: epoch, hello: hello).encoded,
            beside: InitiationPacket.headBytes + security.traits.initiationOverheadBytes)
        let started: AnyInitiation
        do throws(HandshakeFailure) {
            started = try security.initiate(drawConnectionID(), counter: counter, payload: payload)
        } catch {
            close(.noMemory, at: now)
            return false
        }
        var initiated = Initiated(
            message: started.message, counter: counter, handshake: started,
            early: started.earlySealer)
        if handshake.link.isLossy {
            initiated.times = (
                repeatAt: now.advanced(by: repetitionWait(handshake.repetitions)),
                freshUntil: now.advanced(by: patience(ConnectionConfiguration.freshTimeouts)),
                endsAt: now.advanced(by: patience(ConnectionConfiguration.initiationTimeouts))
            )
            handshake.deadline =
                handshake.deadline ?? now.advanced(by: configuration.lossyHandshakeTime)
        }
        handshake.initiated = initiated
        handshake.isInitiationDue = false
        handshake.initiateAt = nil
        self.handshake = handshake
        sendInitiation(started.message)
        return true
    }

    /// Sends message 1 once more without counting it as a repetition: on a carrier that can lose, a
    /// copy behind the early data costs less than its loss.
    package mutating func copyInitiation() {
        if let initiated { sendInitiation(initiated.message) }
    }

    /// The peer does not answer ``request``, now or later.
    package mutating func dropRequest() { pendingRequest = nil }

    /// Answers ``request`` with message 2. This side gives up its own message 1, and its former
    /// session is over.
    ///
    /// Until ``ConnectionEvent/confirmed`` the peer writes nothing because of the session but early
    /// data.
    ///
    /// `hello` holds the durable ticket presentation in at most ``responseHelloBytes``; `counter`
    /// is the highest of this side's messages 1. Nil where nothing may be answered, or this host
    /// has no memory for keys, and the carrier was closed.
    package mutating func respond(
        hello: [UInt8], epoch: EpochID, counter: UInt64, keepsTicket: Bool, at now: Instant
    ) -> SessionInfo? {
        guard mayRespond, var request = pendingRequest, var link else { return nil }
        let ownID = drawConnectionID()
        let payload = ResponsePayload(
            connectionID: ownID, epoch: epoch, keepsTicket: keepsTicket, counter: counter,
            hello: hello
        ).encoded
        let padded = padded(
            payload, beside: ResponsePacket.headBytes + security.traits.responseOverheadBytes)
        let made: (body: [UInt8], keys: SessionKeys<AnySealer>)
        do throws(HandshakeFailure) {
            made = try request.handshake.respond(padded)
        } catch {
            close(.noMemory, at: now)
            return nil
        }
        let message = request.message
        let info = SessionInfo(
            isInitiator: false, ticket: made.keys.ticket, keepsTicket: keepsTicket,
            counterpartEpoch: request.payload.epoch, counterpartCounter: request.counter,
            hello: request.payload.hello, initiatorID: message.connectionID)
        let former = currentSession?.ownID
        link.path.initiated(from: request.source, bytes: request.bytes)
        link.path.sent(request.answered)
        var writer = WireWriter()
        ResponsePacket(connectionID: message.connectionID, body: made.body).write(to: &writer)
        var handshake = Handshake(link: link)
        handshake.repetitions = self.handshake?.repetitions ?? 0
        if !link.isLossy {
            handshake.deadline =
                self.handshake?.deadline ?? now.advanced(by: configuration.stallTime)
        }
        handshake.formerID = former
        handshake.responded = Responded(
            session: Session(
                ownID: ownID, counterpartID: message.connectionID,
                sending: made.keys.sending, receiving: made.keys.receiving,
                keySince: now),
            initiation: message, response: writer.bytes, early: request.early,
            confirmBy: link.isLossy ? now.advanced(by: confirmationTime) : nil)
        self.handshake = handshake
        send(.response, writer.bytes)
        for copy in request.copies { answer(.response, writer.bytes, to: copy) }
        return info
    }

    private var confirmationTime: Duration {
        let time = patience(ConnectionConfiguration.confirmationTimeouts)
        return min(time, configuration.longestConfirmation)
    }

    /// The time of `timeouts` first time-outs, four times as long for each attempt that failed.
    private func patience(_ timeouts: Int) -> Duration {
        let longest = configuration.lossyHandshakeTime
        return min(firstTimeout * (timeouts << (2 * min(failedAttempts, 8))), longest)
    }

    func repetitionWait(_ repetitions: Int) -> Duration {
        firstTimeout * (1 << min(repetitions, 4))
    }

    mutating func sendInitiation(_ message: InitiationPacket) {
        send(.initiation, message.bytes)
    }

    /// A random name by which packets of one session are told from those of the others.
    private mutating func drawConnectionID() -> ConnectionID {
        let own = currentSession?.ownID
        while true {
            let id = ConnectionID(rawValue: UInt32(truncatingIfNeeded: security.random()))
            if id != own, id != initiated?.id { return id }
        }
    }

    // MARK: Received handshake messages

    /// Message 1 of the counterpart, or of anybody.
    mutating func receive(
        _ message: InitiationPacket, bytes: Int, from source: PathAddress?, at now: Instant
    ) {
        guard message.version == security.traits.wireVersion else {
            refuseVersion(message.version, to: source, at: now)
            return
        }
        guard let counter = security.counter(of: message),
            HandshakeCounterLimit.allows(counter, above: highestCounter)
        else {
            counters.forgedInitiations += 1
            dropOrClose(.notAuthentic, at: now)
            return
        }
        let limits = configuration.limits
        withLink { $0.authenticated(limits) }
        guard !isRepetition(message, bytes: bytes, from: source) else { return }
        guard counter > highestCounter || configuration.mutant == .noCounter else {
            if configuration.mutant != .noRefusal { refuse(message, to: source) }
            return
        }
        // In a session on a carrier that cannot lose the counterpart has nothing to ask.
        if case .established = state, carrier?.isLossy == false {
            close(.unexpected(code: PacketKind.initiation.rawValue), at: now)
            return
        }
        open(message, counter: counter, bytes: bytes, from: source, at: now)
    }

    private mutating func open(
        _ message: InitiationPacket, counter: UInt64, bytes: Int, from source: PathAddress?,
        at now: Instant
    ) {
        let opened: AnyResponse
        do throws(HandshakeFailure) {
            opened = try security.open(message)
        } catch {
            refuse(error, to: source, at: now)
            return
        }
        counters.initiationsOpened += 1
        if configuration.mutant != .noMemoryCounter {
            highestCounter = max(highestCounter, counter)
        }
        do throws(WireError) {
            let request = Request(
                message: message, counter: counter, handshake: opened,
                payload: try InitiationPayload.read(opened.payload),
                early: EarlyArrival(id: message.connectionID, sealer: opened.earlySealer),
                source: source, bytes: bytes, isCrossed: initiated != nil)
            store(request, at: now)
        } catch {
            dropOrClose(.violation(error), at: now)
        }
    }

    private mutating func store(_ request: Request, at now: Instant) {
        var request = request
        request.answered = answerCrossed(from: request.source)
        events.append(.requested)
        pendingRequest = request
        guard var handshake else { return }
        let stored = handshake.earlyPackets.filter {
            $0.header.connectionID == request.message.connectionID
        }
        handshake.earlyPackets = []
        handshake.initiateAt = nil
        self.handshake = handshake
        for packet in stored {
            receiveEarly(packet.bytes, packet.header, start: packet.start, at: now)
        }
    }

    /// Where this side's own message 1 goes first, it goes to where the counterpart is now (C-21).
    ///
    /// - Returns: the bytes that leave for there.
    @discardableResult
    private mutating func answerCrossed(from source: PathAddress?) -> Int {
        guard let initiated, security.winsCrossing, source != address else { return 0 }
        return answer(.initiation, initiated.message.bytes, to: source)
    }

    /// Whether a message 1 came before in this link, and is dealt with: the identical one that made
    /// the candidate session gets the identical message 2.
    private mutating func isRepetition(
        _ message: InitiationPacket, bytes: Int, from source: PathAddress?
    ) -> Bool {
        if let established {
            return established.initiation == message || established.request?.message == message
        }
        guard var handshake else { return false }
        if handshake.request?.message == message {
            self.handshake?.request?.copied(from: source)
            answerCrossed(from: source)
            return true
        }
        guard var responded = handshake.responded, responded.initiation == message else {
            return false
        }
        // A carrier without losses delivers message 2, so the counterpart sends no copy there.
        guard handshake.link.isLossy, responded.repetitions.admits(source) else { return true }
        counters.responsesRepeated += 1
        handshake.responded = responded
        // A copy from elsewhere is answered there, and moves nothing.
        let isPath = source == handshake.link.path.address
        if isPath { handshake.link.path.initiated(from: source, bytes: bytes) }
        self.handshake = handshake
        if isPath {
            send(.response, responded.response)
        } else {
            answer(.response, responded.response, to: source)
        }
        return true
    }

    private mutating func refuse(_ message: InitiationPacket, to source: PathAddress?) {
        counters.refusalsSent += 1
        answer(.refusal, refusal(of: message), to: source)
    }

    func refusal(of message: InitiationPacket) -> [UInt8] {
        var writer = WireWriter()
        RefusalPacket(
            connectionID: message.connectionID, highest: highestCounter,
            mac: security.refusalMAC(of: message, naming: highestCounter)
        ).write(to: &writer)
        return writer.bytes
    }

    private mutating func refuse(
        _ failure: HandshakeFailure, to source: PathAddress?, at now: Instant
    ) {
        switch failure {
        case .notAuthentic: dropOrClose(.notAuthentic, at: now)
        case .noMemory: close(.noMemory, at: now)
        case .wrongPeer(let expected, let found):
            advise(.wrongPeer, to: source, at: now)
            dropOrClose(.wrongPeer(expected: expected, found: found), at: now)
        }
    }

    /// Message 2 of the counterpart, or of anybody.
    mutating func receive(
        _ message: ResponsePacket, from source: PathAddress?, at now: Instant
    ) {
        guard var link, var initiated, initiated.id == message.connectionID else {
            // The answer to a message 1 that was given up.
            counters.packetsDropped += 1
            return
        }
        let opened: (payload: [UInt8], keys: SessionKeys<AnySealer>)
        do throws(HandshakeFailure) {
            opened = try initiated.handshake.open(message.body)
        } catch {
            refuse(error, to: source, at: now)
            return
        }
        do throws(WireError) {
            let payload = try ResponsePayload.read(opened.payload)
            if let request = pendingRequest, payload.counter < request.counter {
                // The counterpart made a newer message 1, which ended the session of this answer.
                handshake?.attempt = .none
                return
            }
            guard HandshakeCounterLimit.allows(payload.counter, above: highestCounter) else {
                throw WireError(
                    .outOfRange, at: 0, expected: "a counter within reach", found: payload.counter)
            }
            highestCounter = max(highestCounter, payload.counter)
            link.path.responded(from: source)
            link.authenticated(configuration.limits)
            let session = Session(
                ownID: initiated.id, counterpartID: payload.connectionID,
                sending: opened.keys.sending, receiving: opened.keys.receiving,
                keySince: now)
            establish(session, on: link, initiation: nil, at: now)
            events.append(
                .established(
                    SessionInfo(
                        isInitiator: true, ticket: opened.keys.ticket,
                        keepsTicket: payload.keepsTicket, counterpartEpoch: payload.epoch,
                        counterpartCounter: payload.counter, hello: payload.hello,
                        initiatorID: initiated.id)))
        } catch {
            dropOrClose(.violation(error), at: now)
        }
    }

    mutating func establish(
        _ session: Session, on link: OpenLink, initiation: InitiationPacket?,
        request: Request? = nil, at now: Instant
    ) {
        state = .established(
            Owned(
                Established(
                    link: link, session: session, initiation: initiation, request: request,
                    since: now,
                    renewAt: security.traits.sealing.renewalAge.map { now.advanced(by: $0) })))
    }

    /// The counterpart, or anybody, refuses this side's message 1.
    mutating func receive(_ refusal: RefusalPacket, at now: Instant) {
        guard var handshake, let initiated, initiated.id == refusal.connectionID,
            HandshakeCounterLimit.allows(refusal.highest, above: initiated.counter),
            initiated.handshake.isAuthentic(refusal)
        else {
            counters.packetsDropped += 1
            return
        }
        handshake.refusals += 1
        handshake.beginAnew()
        self.handshake = handshake
        events.append(.refused(highest: refusal.highest))
        if handshake.refusals >= ConnectionConfiguration.refusalLimit { close(.refused, at: now) }
    }
}

extension InitiationPacket {
    fileprivate var bytes: [UInt8] {
        var writer = WireWriter()
        write(to: &writer)
        return writer.bytes
    }
}
