/// The steps of a handshake, between the connection and the ticket layer (Models/IDENTITY.md,
/// section 3).
extension Peer {
    /// Carries out what the connection reports, and what it waits for.
    mutating func stepConnection() {
        while true {
            // A message 1 is answered before the early packets behind it are handled.
            if let event = connection.nextEvent(at: time.now) { handle(event) } else { break }
            _ = stepHandshake()
        }
        while stepHandshake() {
            while let event = connection.nextEvent(at: time.now) { handle(event) }
        }
        while let packet = connection.nextOutgoing() {
            session?.recovery?.sentUnnumbered(packet.bytes.count, at: time.now)
            output.append(packet)
        }
    }

    private mutating func handle(_ event: ConnectionEvent) {
        switch event {
        case .carrierWanted: events.append(.linkWanted)
        case .carrierClosed(.notWanted):
            // One that came while another is open: only the new one is refused.
            events.append(.linkClosed(.notWanted))
        case .carrierClosed(.replaced):
            // The environment has closed it; the next one is open.
            sessionEnded()
            events.append(.linkClosed(.replaced))
        case .carrierClosed(let end):
            sessionEnded()
            closing = end
        case .sessionEnded: sessionEnded()
        case .requested: receiveRequest()
        case .established(let info): establish(info)
        case .confirmed: break
        case .packet(let packet): receive(packet)
        case .earlyPacket(let packet): receiveEarly(packet)
        case .refused(let highest): rooms.tickets.receiveRefusal(naming: highest)
        case .advisory(let packet):
            counts.advisoriesReceived += 1
            events.append(.advisory(version: packet.version, packet.code))
        case .probeWanted: session?.requestPing()
        case .renewalDue: close(.renewal, telling: .normal)
        }
    }

    /// Makes the handshake message that is due, if the ticket layer allows one. Returns whether
    /// something was made.
    private mutating func stepHandshake() -> Bool {
        guard rooms.ownEpochs.isOpened, !journal.hasFailed else { return false }
        if connection.mayRespond { return respond() }
        // A side that waits to be called, and knows where the counterpart was, calls it. In a
        // constant shape it does so always: else the call tells that something is owed.
        if connection.waitsToBeCalled, configuration.shape != nil || rooms.isAwaitingAnswers {
            connection.initiateNow()
        }
        return connection.wantsInitiation && initiate()
    }

    private mutating func initiate() -> Bool {
        guard let (tickets, counter) = rooms.tickets.open() else { return false }
        // The opening is of the message 1 that is made now, not of one before.
        sessionEnded(keepingTickets: true)
        var (hello, left) = makeHello(tickets, answer: nil)
        let bytes = write(&hello, &left, atMost: connection.initiationHelloBytes)
        guard
            connection.initiate(
                hello: bytes, epoch: presentEpoch, counter: counter, at: time.now)
        else { return false }
        beginSession(hello, left)
        session?.ownCounter = counter
        if configuration.usesEarlyData {
            rooms.values.beginEarly(
                isLossless: session?.recovery == nil, epochs: session?.ownListing ?? [])
        }
        return true
    }

    /// Message 1 of the counterpart: its early data is taken in step, also where it crosses this
    /// side's own and is not answered.
    private mutating func receiveRequest() {
        guard let request = connection.request, !connection.mayRespond,
            let received = readHello(request.payload.hello, request.payload.epoch, isAnswer: false)
        else { return }
        let claim = HandshakeClaim(
            tickets: received.hello.tickets, epoch: received.epoch, counter: request.counter)
        // The early packets behind it are none of an earlier message 1.
        session?.list(nil)
        guard configuration.usesEarlyData, session != nil, rooms.tickets.cross(claim) else {
            return
        }
        takeEarly(behind: received, counter: request.counter)
    }

    private mutating func respond() -> Bool {
        guard let request = connection.request else { return false }
        guard
            let received = readHello(request.payload.hello, request.payload.epoch, isAnswer: false)
        else {
            connection.dropRequest()
            return false
        }
        let claim = HandshakeClaim(
            tickets: received.hello.tickets, epoch: received.epoch, counter: request.counter)
        guard let made = rooms.tickets.answer(claim) else { return false }
        sessionEnded(keepingTickets: true)
        var (hello, left) = makeHello(
            made.own, answer: made.answer, keepsTicket: made.isKept)
        let bytes = write(&hello, &left, atMost: connection.responseHelloBytes)
        guard
            let info = connection.respond(
                hello: bytes, epoch: presentEpoch, counter: rooms.tickets.counters.last,
                keepsTicket: made.isKept, at: time.now)
        else {
            rooms.tickets.endSession()
            return false
        }
        rooms.tickets.begin(ticket: info.ticket)
        if configuration.mutants.identity.contains(.actsUnconfirmed) { rooms.tickets.enter() }
        beginSession(hello, left)
        session?.receive(received)
        // Values wait for the verdict on the top; ordered records may leave at once.
        if configuration.usesEarlyData, made.judgment.takesEarlyData {
            takeEarly(behind: received, counter: request.counter)
        } else {
            session?.earlyCounter = request.counter
            session?.owesEarlyAnswer = true
        }
        return true
    }

    private mutating func establish(_ info: SessionInfo) {
        guard let received = readHello(info.hello, info.counterpartEpoch, isAnswer: true) else {
            return
        }
        let claim = HandshakeClaim(
            tickets: received.hello.tickets, epoch: received.epoch,
            counter: info.counterpartCounter)
        let isAllowed = rooms.tickets.receiveMessage2(
            claim, answer: received.hello.answer ?? .notHeld, keepsTicket: info.keepsTicket,
            ticket: info.ticket)
        guard isAllowed else {
            let error = WireError(
                .notCanonical, at: 0, expected: "a ticket that both sides hold", found: 0)
            close(.violation(error), telling: .violation)
            return
        }
        session?.receive(received)
        if let made = rooms.tickets.session {
            let held = made.isKept ? nil : heldPresentation
            let isOwed = made.owesAnswer || !made.isKept
            session?.ticketAnswer =
                isOwed ? TicketAnswerFrame(answer: made.answer, held: held) : nil
        }
        // The responder acts once a packet of the session has come.
        session?.requestPing()
        act()
    }

    // MARK: Hellos

    private mutating func readHello(
        _ bytes: [UInt8], _ epoch: EpochID, isAnswer: Bool
    ) -> PeerSession.ReceivedHello? {
        do throws(WireError) {
            guard epoch.rawValue != 0 else {
                throw WireError(.outOfRange, at: 0, expected: "epoch, not zero", found: 0)
            }
            var reader = WireReader(bytes.span)
            let hello = try Hello.read(&reader, epoch: epoch, isAnswer: isAnswer)
            try reader.finishPadding("the end of the hello, or zeros")
            return PeerSession.ReceivedHello(epoch: epoch, hello: hello)
        } catch {
            close(.violation(error), telling: nil)
            return nil
        }
    }

    func makeHello(
        _ tickets: TicketPresentation, answer: TicketAnswer?, keepsTicket: Bool = false
    ) -> (Hello, [ListedEpoch]) {
        var hello = Hello(tickets: tickets, answer: answer)
        let present = rooms.listed(rooms.ownEpochs.present)
        if present.announcedEnd != nil
            || present.numbers.contains(where: { $0.watermark < $0.last })
        {
            hello.present = present
        }
        hello.earlier = rooms.ownEpochs.listed(offered: rooms.values.offeredEpochs).map {
            rooms.listed($0)
        }
        let announces =
            present.announcedEnd != nil || hello.earlier.contains { $0.announcedEnd != nil }
        if announces, let newest = rooms.ownEpochs.newestConfirmedWithVersions {
            let end = rooms.ownEpochs.versionEnd(of: newest.id) ?? 0
            hello.newestConfirmed = Hello.Reserved(id: newest.id, end: end)
        }
        for receiver in rooms.receivers where receiver.channel.isListed {
            for (epoch, through) in receiver.takenAboveWatermark {
                hello.taken.append(
                    Hello.Taken(epoch: epoch, channel: receiver.channel, through: through))
            }
        }
        if answer != nil, !keepsTicket { hello.held = heldPresentation }
        hello.coding = configuration.kinds.codingTable.map {
            CodingOffer(table: $0, reference: time.codingReference)
        }
        return (hello, [])
    }

    /// The summary of the values held; nil where none was ever taken.
    private var heldPresentation: HeldPresentation? {
        let held = rooms.heldValues.presentation
        return held == .nothing ? nil : held
    }

    /// The hello, cut to `room` bytes; `left` holds the epochs that did not fit.
    private func write(
        _ hello: inout Hello, _ left: inout [ListedEpoch], atMost room: Int
    ) -> [UInt8] {
        left = hello.fit(room)
        var writer = WireWriter()
        hello.write(to: &writer)
        return writer.bytes
    }
}
