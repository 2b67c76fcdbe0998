/// The input of a peer: bytes of the link, packets, frames.
extension Peer {
    /// The carrier is open. Refused, by `linkClosed`, when no link is wanted or one is open.
    ///
    /// - Parameters:
    ///   - carrier: the properties of the carrier.
    ///   - address: the counterpart's address on datagrams; nil where the carrier knows it, or
    ///     where this side listens and knows nobody.
    ///   - initiation: when this side makes message 1.
    ///   - now: the monotonic time.
    package mutating func linkUp(
        _ carrier: CarrierTraits, address: PathAddress? = nil, initiation: InitiationTime = .atOnce,
        at now: Instant
    ) {
        advance(to: now)
        counts.linksOpened += 1
        connection.firstTimeout = firstTimeout
        connection.carrierUp(carrier, address: address, initiation: initiation, at: now)
        afterInput()
    }

    /// The carrier is gone, or could not be opened.
    package mutating func linkDown(_ failure: CarrierFailure, at now: Instant) {
        advance(to: now)
        connection.carrierDown(failure, at: now)
        output.removeAll()
        afterInput()
    }

    /// Bytes arrived: on a stream a chunk of any size, on a datagram carrier one whole datagram.
    /// Malformed bytes at worst end this link.
    ///
    /// - Returns: whether there is something to drain. A datagram that is dropped or came before
    ///   leaves nothing, nor does a part of a packet, unless ``nextDeadline`` has come. Where
    ///   nothing is to drain, ``nextDeadline`` may still be another one.
    @discardableResult
    package mutating func receive(
        _ bytes: Span<UInt8>, from source: PathAddress? = nil, at now: Instant
    ) -> Bool {
        counts.bytesReceived += UInt64(bytes.count)
        // Some deadlines are none any more once the time has passed them.
        let hasOutput =
            connection.receive(bytes, from: source, at: now)
            || nextDeadline.map { $0 <= now } == true
        advance(to: now)
        if hasOutput { afterInput() }
        return hasOutput
    }

    /// The system reports that nobody takes the datagrams.
    package mutating func portRefused(at now: Instant) {
        advance(to: now)
        connection.portRefused(at: now)
        afterInput()
    }

    // MARK: Packets

    /// A packet of the session was opened.
    mutating func receive(_ packet: ReceivedPacket) {
        counts.packetsReceived += 1
        logArrival(packet.number, isRecovered: false)
        let bytes = Array(packet.bytes[packet.start...])
        checkShape(ofPacketWith: bytes.count)
        receiveFrames(bytes, number: packet.number, isRecovered: false)
    }

    private mutating func receiveFrames(_ bytes: [UInt8], number: UInt64, isRecovered: Bool) {
        // The whole packet must make sense before any of it takes effect.
        var frames: [(type: FrameType?, frame: Frame)] = []
        var elicitsAck = false
        do throws(WireError) {
            frames = try read(bytes)
        } catch {
            close(.violation(error), telling: .violation)
            return
        }
        for (type, _) in frames { elicitsAck = elicitsAck || (type?.elicitsAck ?? true) }
        if session?.recovery != nil {
            let isNews = session?.recovery?.arrived(number, elicitsAck: elicitsAck, at: time.now)
            guard isNews == true else {
                counts.packetsRepeated += 1
                return
            }
            session?.recovery?.received.store(number, bytes)
        }
        confirm(frames)
        report(reachability.heard(at: time.now))
        take(frames, number: number, isRecovered: isRecovered)
        if !isRecovered { takeRecovered() }
    }

    private func read(_ bytes: [UInt8]) throws(WireError) -> [(type: FrameType?, frame: Frame)] {
        var frames: [(type: FrameType?, frame: Frame)] = []
        var reader = WireReader(bytes.span)
        while !reader.isAtEnd {
            frames.append(try Frame.read(&reader))
            if frames.last?.type == .keyUpdate, !reader.isAtEnd {
                throw WireError(
                    .notCanonical, at: reader.offset, expected: "the end behind a key update",
                    found: 0)
            }
        }
        return frames
    }

    /// The first packets of the session tell a responder that message 1 was not an old one. With a
    /// new ticket it waits for the one that holds the initiator's answer.
    private mutating func confirm(_ frames: [(type: FrameType?, frame: Frame)]) {
        guard let made = rooms.tickets.session, !made.isConfirmed else { return }
        var answer: TicketAnswer?
        for case (_, .ticketAnswer(let frame)) in frames {
            answer = frame.answer
            session?.receivedHello?.hello.held = frame.held
        }
        guard made.isKept || answer != nil else { return }
        rooms.tickets.receiveFirstPacket(answer: answer)
        act()
    }

    /// Packets that repair packets recover are taken as if they had arrived.
    private mutating func takeRecovered() {
        while let recovered = session?.recovery?.received.takeRecovered(), !recovered.isEmpty {
            for packet in recovered {
                counts.packetsRecovered += 1
                logArrival(packet.number, isRecovered: true)
                receiveFrames(packet.frames, number: packet.number, isRecovered: true)
            }
        }
    }

    // MARK: Frames

    private mutating func take(
        _ frames: [(type: FrameType?, frame: Frame)], number: UInt64, isRecovered: Bool
    ) {
        var position: UInt64?
        for (place, (type, frame)) in frames.enumerated() {
            guard session != nil else { return }
            do throws(WireError) {
                switch frame {
                case .position(let frame): position = frame.position
                case .ack(let ack):
                    var arrival: ArrivalFrame?
                    if place + 1 < frames.count, case .arrival(let next) = frames[place + 1].frame {
                        arrival = next
                    }
                    try receive(ack, arrival)
                case .repair(let repair):
                    try checkLossy(.repair)
                    if !isRecovered { session?.recovery?.received.take(repair, in: number) }
                case _ where type?.isStatement == true:
                    try receiveStatement(frame, position)
                default: try receiveHint(frame)
                }
            } catch {
                close(.violation(error), telling: .violation)
            }
        }
    }

    /// A statement: the conclusions of this side go into a batch with the position that came with
    /// the statement.
    private mutating func receiveStatement(
        _ frame: Frame, _ position: UInt64?
    ) throws(WireError) {
        guard let position else {
            throw WireError(
                .notCanonical, at: 0, expected: "a position before a statement", found: 0)
        }
        // A responder that cannot evaluate yet concludes nothing; the statement comes again.
        guard rooms.tickets.mayAct else { return }
        try handleStatement(frame, position)
        // Entries of another origin may be among them; they make a batch anyway.
        if rooms.hasChannelEntries { rooms.tickets.conclude(position: position) }
    }

    private mutating func handleStatement(
        _ frame: Frame, _ position: UInt64
    ) throws(WireError) {
        let now = time.now
        switch frame {
        case .acknowledgement(let frame):
            answered(frame.epochIndex)
            try rooms.senders[Rooms.place(of: frame.channel)].receive(frame)
        case .outcome(let frame):
            answered(frame.epochIndex)
            try rooms.senders[Rooms.place(of: frame.channel)].receive(frame)
        case .watermark(let frame):
            try rooms.receivers[Rooms.place(of: frame.channel)].receive(frame, at: now)
        case .epochList(let frame): receive(frame, position)
        case .epochHeld(let frame): try receiveHeld(frame)
        case .valueAcknowledgement(let frame): rooms.values.receive(frame)
        case .valueOutcome(let frame): rooms.values.receive(frame)
        case .mended(let frame):
            rooms.heldValues.receive(
                frame, known: &rooms.counterpartEpochs, clock: time.wall)
        case .heldDigest(let frame): try rooms.values.receive(frame)
        case .heldRanges(let frame): try rooms.values.receive(frame)
        case .held(let frame): try rooms.values.receive(frame)
        case .heldValue(let frame): try rooms.values.receive(frame)
        case .removalWatermark(let frame):
            rooms.heldValues.receive(frame)
        default: break
        }
        reachability.answered(at: now)
    }

    private mutating func receive(_ frame: EpochListFrame, _ position: UInt64) {
        switch frame.type {
        case .epochOver: receiveOver(frame.epochs, position)
        case .epochClosed:
            rooms.ownEpochs.receiveClosed(frame.epochs)
            for index in rooms.senders.indices {
                for epoch in frame.epochs { rooms.senders[index].epochIsGone(epoch) }
            }
        default: if rooms.values.hearsStatements { rooms.ownEpochs.receiveKnown(frame.epochs) }
        }
    }

    /// The counterpart says that nothing more will be said of these epochs. An epoch that
    /// cannot be closed yet is remembered as long as the session.
    private mutating func receiveOver(_ epochs: [EpochID], _ position: UInt64) {
        for epoch in epochs where !closeEpoch(epoch) {
            guard let waiting = session?.overWaiting, waiting.count < configuration.limits.epochs,
                !waiting.contains(where: { $0.epoch == epoch })
            else { continue }
            session?.overWaiting.append((epoch, position))
        }
    }

    /// More is durable: epochs that were called over may be closed now.
    mutating func closeWaitingEpochs() {
        guard let waiting = session?.overWaiting, !waiting.isEmpty, rooms.tickets.mayAct else {
            return
        }
        session?.overWaiting.removeAll()
        for over in waiting {
            if closeEpoch(over.epoch) {
                rooms.tickets.conclude(position: over.position)
            } else {
                session?.overWaiting.append(over)
            }
        }
    }

    private mutating func closeEpoch(_ epoch: EpochID) -> Bool {
        for receiver in rooms.receivers where !receiver.canClose(epoch) { return false }
        for index in rooms.receivers.indices { rooms.receivers[index].close(epoch) }
        rooms.counterpartEpochs.markClosed(epoch)
        return true
    }

    /// An answer about an own epoch shows that the list of them has come; the acknowledgement of
    /// its packet stands behind the answer.
    private mutating func answered(_ index: Int) {
        if index >= session?.ownListing.count ?? 0 { ownEpochsAreListed() }
    }

    /// The counterpart holds records of an epoch that this side did not list.
    private mutating func receiveHeld(_ frame: EpochHeldFrame) throws(WireError) {
        guard frame.epoch != presentEpoch else { return }
        if rooms.ownEpochs.isGone(frame.epoch) {
            rooms.ownEpochs.over.add(frame.epoch)
            return
        }
        for part in frame.parts {
            try rooms.senders[Rooms.place(of: part.channel)].receiveHeld(
                frame.epoch, through: part.through, watermark: part.watermark)
        }
        if session?.foreign.contains(frame.epoch) == false { session?.foreign.append(frame.epoch) }
        stateForeign()
    }

    /// Epochs of which only the counterpart knew are over once their tails are settled here.
    mutating func stateForeign() {
        guard let foreign = session?.foreign, !foreign.isEmpty else { return }
        for epoch in foreign where rooms.isSettled(epoch) { rooms.ownEpochs.over.add(epoch) }
        session?.foreign.removeAll { rooms.isSettled($0) }
    }

    private mutating func receiveHint(_ frame: Frame) throws(WireError) {
        let now = time.now
        switch frame {
        case .ping(let ping): receive(ping)
        case .close(let frame): close(.counterpart(frame.code), telling: nil)
        case .earlyData(let frame): receive(frame)
        case .keyUpdate:
            guard connection.counterpartUpdatedKey() else {
                close(.unexpected(code: FrameType.keyUpdate.rawValue), telling: .violation)
                return
            }
        case .epochs(let frame): receive(frame)
        case .record(let frame):
            try rooms.receivers[Rooms.place(of: frame.channel)].receive(frame, at: now)
        case .value(let frame):
            try rooms.heldValues.receive(
                frame, known: &rooms.counterpartEpochs, clock: time.wall)
        case .values(let frame):
            try rooms.heldValues.receive(
                frame, known: &rooms.counterpartEpochs, clock: time.wall)
        case .fragment(let frame):
            if frame.channel.traits.order == .latestValue {
                try rooms.heldValues.receive(
                    frame, known: &rooms.counterpartEpochs, clock: time.wall)
            } else {
                try rooms.receivers[Rooms.place(of: frame.channel)].receive(frame, at: now)
            }
        case .credit(let frame): rooms.senders[Rooms.place(of: frame.channel)].receive(frame)
        case .tryLater(let frame):
            try rooms.senders[Rooms.place(of: frame.channel)].receive(frame)
        case .needBase(let frame):
            counts.basesAsked += 1
            rooms.values.receive(frame)
        case .cancel(let frame):
            try rooms.receivers[Rooms.place(of: frame.channel)].receive(frame, at: now)
        case .received(let frame):
            try rooms.senders[Rooms.place(of: frame.channel)].receive(frame)
        case .heldQuery(let frame): try rooms.heldValues.receive(frame)
        case .valueQuery(let frame): try rooms.heldValues.receive(frame)
        case .nothingLost(let frame):
            rooms.heldValues.receive(
                frame, known: &rooms.counterpartEpochs, clock: time.wall)
        default: break
        }
    }

    /// Refuses a frame that belongs to carriers that can lose.
    private func checkLossy(_ type: FrameType) throws(WireError) {
        guard session?.recovery == nil else { return }
        throw WireError(
            .unknownCode, at: 0, expected: "no loss recovery on this carrier",
            found: UInt64(type.rawValue))
    }

    private mutating func receive(_ ack: AckFrame, _ arrival: ArrivalFrame?) throws(WireError) {
        try checkLossy(.ack)
        let result = try session?.recovery?.acknowledged(ack, arrival, at: time.now)
        reachability.answered(at: time.now)
        for case .value(let reference) in result?.acknowledged ?? [] {
            rooms.values.acknowledged(reference)
        }
        for case .ticketAnswer in result?.acknowledged ?? [] { session?.ticketAnswer = nil }
        for case .epochs in result?.acknowledged ?? [] { ownEpochsAreListed() }
        takeBack(result?.lost ?? [])
        measure()
    }

    private mutating func receive(_ ping: PingFrame) {
        guard ping.isPong else {
            session?.pongDue = ping.token
            return
        }
        reachability.answered(at: time.now)
        if session?.bulk?.pong(token: ping.token, at: time.now) == true { return }
        guard let sentAt = session?.pingSentAt, ping.token == session?.lastPing else { return }
        session?.pingSentAt = nil
        session?.bulk?.otherPong(sentAt: sentAt, at: time.now)
        session?.roundTrip.add(sentAt.duration(to: time.now))
        measure()
    }

    /// Measured link quality steers complications and is reported.
    private mutating func measure() {
        guard let trip = session?.smoothedRoundTrip else { return }
        pacer.setRoundTrip(trip, at: time.now)
        gathering.setRoundTrip(trip, at: time.now)
        let recovery = session?.recovery
        // A constant shape carries no more than its frames, whatever the path could.
        let rate = configuration.shape?.bytesPerSecond ?? recovery?.path.bytesPerSecond
        let measured = LinkQuality(
            roundTrip: trip, lossShare: recovery?.path.lossShare ?? 0,
            bytesPerSecond: rate ?? session?.bulk?.bytesPerSecond)
        let isWhole = recovery == nil || rate != nil
        let step = quality.measured(measured, isWhole: isWhole, roundTrip: trip, at: time.now)
        if let step { events.append(.linkQuality(step)) }
    }
}
