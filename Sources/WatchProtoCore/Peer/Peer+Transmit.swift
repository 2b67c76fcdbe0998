/// Packet assembly, which fixes the order of frames: acknowledgements, answers, hints and
/// statements, then records, channel by channel; bulk when nothing else waits.
extension Peer {
    /// The next packet, if anything waits and may leave.
    mutating func makePacket() -> OutgoingPacket? {
        session?.recovery?.pacedUntil = nil
        guard connection.canSeal, session != nil else { return makeEarlyPacket() }
        var allowance = makeAllowance()
        if connection.phase != .established, unconfirmed.recordsWait {
            (allowance.rest, allowance.bulkBytes) = (false, 0)
        }
        let unproven = connection.unprovenRoom
        if let unproven {
            guard unproven >= Self.leastUnprovenRoom else { return nil }
            allowance.bulkBytes = 0
        }
        if let packet = makeRepair(allowance, whenFull: packetRoom) { return packet }
        var writer = WireWriter()
        var references: [PeerReference] = []
        let room = min(packetRoom(isBulk: false) - makeRoomForAck(), unproven ?? .max)
        if allowance.urgent {
            writeAnswers(&writer, &references)
            writeHints(&writer, &references, room: room)
            writeStatements(&writer, &references, room: room)
        }
        var isRiding = writer.count > 0
        for channel in Channel.allCases
        where !channel.traits.isBulk && mayLeave(channel, allowance, isRiding: isRiding) {
            let before = references.count
            writeOffers(channel, &writer, &references, room: room, isEarly: false)
            isRiding = isRiding || references.count > before
        }
        if gathering.isOpen, !isAnyGatheredWaiting { gathering.isEmptied() }
        // A record may be too long for what a packet should have, and not for one.
        for channel in Channel.allCases
        where writer.count == 0 && !channel.traits.isBulk && mayLeave(channel, allowance) {
            writeOffers(
                channel, &writer, &references, room: min(packetRoom, unproven ?? .max), most: 1,
                isEarly: false)
        }
        let isRepeated = session?.isTicketAnswerUnderWay == true && references.isTicketAnswer
        let isBulk = writer.count == 0 || isRepeated
        if isBulk, allowance.rest, allowance.bulkBytes > 0 {
            // Bulk data would delay the repair packets of the packets sent before it.
            if let packet = makeRepair(allowance, whenFull: nil) { return packet }
            let bytes = min(packetRoom(isBulk: true) - makeRoomForAck(), allowance.bulkBytes)
            for channel in Channel.allCases where channel.traits.isBulk {
                writeOffers(
                    channel, &writer, &references, room: bytes, freshRoom: bytes, isEarly: false)
            }
        }
        // In a constant shape a packet leaves in any case, and the responder acts at the first one.
        if isRepeated, references.isTicketAnswer, configuration.shape == nil {
            writer = WireWriter()
            references = []
        }
        writeAck(&writer)
        guard writer.count > 0 else {
            pace(allowance)
            return isAnyWaiting(isBulk: false) ? nil : makeRepair(allowance, whenFull: nil)
        }
        if references.contains(.ticketAnswer) { session?.isTicketAnswerUnderWay = true }
        return sealPacket(writer.bytes, references, isBulk: isBulk && !references.isEmpty)
    }

    /// Seals a packet of frames and queues it before the packets that are still to be made; gives
    /// it where it is made for the present drain.
    @discardableResult
    mutating func sealPacket(
        _ frames: [UInt8], _ references: [PeerReference], isBulk: Bool
    ) -> OutgoingPacket? {
        var frames = frames
        if session?.recovery == nil, isBulk {
            if let token = session?.bulk?.sentBulk(bytes: frames.count, at: time.now) {
                var writer = WireWriter()
                PingFrame(token: token, isPong: false).write(to: &writer)
                frames += writer.bytes
            }
        }
        let announcesKey = beginKeyUpdate()
        if announcesKey { frames.append(FrameType.keyUpdate.rawValue) }
        let numbers = readRecovery { ($0.nextNumber, $0.largestAcknowledged) }
        let (number, largest) = (numbers?.0, numbers?.1)
        let wasPaced = session?.isPaced ?? false
        session?.recovery?.sent(references, wasPaced: wasPaced, at: time.now)
        let padding = shapedBytes.map { max(0, $0 - frames.count) }
        guard
            let bytes = connection.seal(
                // A frame that ends with its packet is the last one.
                repeatElement(FrameType.padding.rawValue, count: padding ?? 0) + frames,
                number: number,
                largestAcknowledged: largest,
                announcesKey: announcesKey, at: time.now)
        else {
            close(.noMemory, telling: nil)
            return nil
        }
        if padding == nil || !references.isEmpty {
            session?.recovery?.sent(
                bytes: bytes.count, isBulk: isBulk, wasPaced: wasPaced, at: time.now)
        }
        logSent(frames, number: number, bytes: bytes.count)
        if padding == nil { session?.recovery?.protect(frames, carrying: references) }
        let packet = OutgoingPacket(bytes: bytes, address: connection.address)
        output.append(packet)
        return packet
    }

    /// Begins the next key where the present one is too old, between FEC blocks.
    ///
    /// - Returns: whether the packet about to be sealed announces it.
    private mutating func beginKeyUpdate() -> Bool {
        let numbers = readRecovery { ($0.nextNumber, $0.largestAcknowledged, $0.isBlockOpen) }
        let (next, largest, isBlockOpen) = numbers ?? (nil, nil, false)
        guard !isBlockOpen,
            let first = connection.keyUpdate(
                next: next, largestAcknowledged: largest, at: time.now)
        else { return false }
        session?.recovery?.skip(to: first)
        return next == nil
    }

    // MARK: Frames

    /// An acknowledgement that is due leaves alone; another one joins frames where it fits.
    private mutating func writeAck(_ writer: inout WireWriter) {
        let room = packetRoom - writer.count
        let now = time.now
        guard let isDue = readRecovery({ $0.received.isAckDue(at: now) }), room >= Self.ackRoom,
            writer.count > 0 || isDue || configuration.shape != nil,
            case (var ack, let arrival)? = session?.recovery?.received.makeAck(at: time.now)
        else { return }
        ack.fit(min(room, max(Self.ackRoom, packetRoom / 3)) - ArrivalFrame.largestBytes)
        ack.write(to: &writer)
        arrival.write(to: &writer)
    }

    private mutating func writeAnswers(
        _ writer: inout WireWriter, _ references: inout [PeerReference]
    ) {
        if let frame = session?.ticketAnswer {
            frame.write(to: &writer)
            references.append(.ticketAnswer)
            if session?.recovery == nil { session?.ticketAnswer = nil }
        }
        if let frame = earlyAnswer {
            frame.write(to: &writer)
            session?.owesEarlyAnswer = false
            references.append(.earlyData)
        }
        if let token = session?.pongDue {
            session?.pongDue = nil
            PingFrame(token: token, isPong: true).write(to: &writer)
            references.append(.pong(token))
        }
        if let token = session?.pingDue {
            session?.pingDue = nil
            session?.sentPing(at: time.now)
            PingFrame(token: token, isPong: false).write(to: &writer)
            references.append(.ping)
        }
    }

    private mutating func writeHints(
        _ writer: inout WireWriter, _ references: inout [PeerReference], room: Int
    ) {
        if let range = session?.telling.writeFrame(to: &writer, room: room - writer.count) {
            references.append(.epochs(range))
            if session?.recovery == nil { ownEpochsAreListed() }
        }
        for index in rooms.senders.indices where rooms.senders[index].hasHints {
            let channel = rooms.senders[index].channel
            let written = rooms.senders[index].writeHints(to: &writer, room: room - writer.count)
            references += written.map { .ordered(channel, $0) }
        }
        for index in rooms.receivers.indices where rooms.receivers[index].hasHints {
            let channel = rooms.receivers[index].channel
            let written = rooms.receivers[index].writeHints(to: &writer, room: room - writer.count)
            references += written.map { .answers(channel, $0) }
        }
        if rooms.values.hasHints() {
            let written = rooms.values.writeHints(to: &writer, room: room - writer.count)
            references += written.map { .value($0) }
        }
        if rooms.heldValues.hasHints {
            let written = rooms.heldValues.writeHints(to: &writer, room: room - writer.count)
            references += written.map { .held($0) }
        }
    }

    /// Statements, behind the position in the session's ticket; none before that is durable.
    private mutating func writeStatements(
        _ writer: inout WireWriter, _ references: inout [PeerReference], room: Int
    ) {
        guard let position = rooms.tickets.positionToState, rooms.tickets.mayState else { return }
        let start = writer.count
        PositionFrame(position: position).write(to: &writer)
        let behind = writer.count
        writeEpochStatements(&writer, &references, room: room)
        for index in rooms.senders.indices where rooms.senders[index].hasStatements {
            let channel = rooms.senders[index].channel
            let written = rooms.senders[index].writeStatements(
                to: &writer, room: room - writer.count)
            references += written.map { .ordered(channel, $0) }
        }
        for index in rooms.receivers.indices where rooms.receivers[index].hasStatements {
            let channel = rooms.receivers[index].channel
            let written = rooms.receivers[index].writeStatements(
                to: &writer, room: room - writer.count)
            references += written.map { .answers(channel, $0) }
        }
        if rooms.values.hasStatements {
            let written = rooms.values.writeStatements(to: &writer, room: room - writer.count)
            references += written.map { .value($0) }
        }
        if rooms.heldValues.hasStatements {
            let written = rooms.heldValues.writeStatements(
                to: &writer, room: room - writer.count, known: rooms.counterpartEpochs)
            references += written.map { .held($0) }
        }
        if writer.count == behind { writer.bytes.removeLast(behind - start) }
    }

    private mutating func writeEpochStatements(
        _ writer: inout WireWriter, _ references: inout [PeerReference], room: Int
    ) {
        let over = rooms.ownEpochs.over.take(atMost: EpochListFrame.count(in: room - writer.count))
        if !over.isEmpty {
            EpochListFrame(type: .epochOver, epochs: over).write(to: &writer)
            references.append(.epochOver(over))
        }
        let closed = rooms.counterpartEpochs.closed.take(
            atMost: EpochListFrame.count(in: room - writer.count))
        if !closed.isEmpty {
            EpochListFrame(type: .epochClosed, epochs: closed).write(to: &writer)
            references.append(.epochClosed(closed))
        }
        // Nothing that is held may be told before all of it is durable, nor which epochs are known.
        let count = EpochListFrame.count(in: room - writer.count)
        let known = rooms.counterpartEpochs.known.take(
            atMost: rooms.heldValues.isClean ? count : 0)
        if !known.isEmpty {
            EpochListFrame(type: .epochsKnown, epochs: known).write(to: &writer)
            references.append(.epochsKnown(known))
        }
        writeHeldEpochs(&writer, &references, room: room)
    }

    private mutating func writeHeldEpochs(
        _ writer: inout WireWriter, _ references: inout [PeerReference], room: Int
    ) {
        let due = session?.heldDue ?? []
        session?.heldDue.removeAll()
        for epoch in due {
            var parts: [EpochHeldFrame.Part] = []
            for receiver in rooms.receivers {
                if let part = receiver.held(epoch) { parts.append(part) }
            }
            guard !rooms.counterpartEpochs.isClosed(epoch) else { continue }
            guard !parts.isEmpty, room - writer.count >= 64 else {
                session?.heldDue.append(epoch)
                continue
            }
            EpochHeldFrame(epoch: epoch, parts: parts).write(to: &writer)
            references.append(.epochHeld(epoch))
        }
    }

    /// Writes the records of a channel that may leave and fit.
    mutating func writeOffers(
        _ channel: Channel, _ writer: inout WireWriter, _ references: inout [PeerReference],
        room: Int, freshRoom: Int? = nil, most: Int = .max, isEarly: Bool
    ) {
        guard hasOffer(channel, isEarly: isEarly) else { return }
        // A record that fits whole into another packet waits for that packet.
        let freshRoom = freshRoom ?? packetRoom
        // Nothing follows a fragment that ends with its packet, and an acknowledgement may be due.
        let allowsFurther = session?.recovery.map { $0.received.ackDeadline == nil } ?? false
        var written = 0
        while written < most, room - writer.count > 16 {
            written += 1
            let reference: PeerReference
            if channel.traits.order == .latestValue {
                guard
                    case .written(let written) = rooms.values.writeOffer(
                        channel, to: &writer, room: room - writer.count, freshRoom: freshRoom,
                        allowsFurther: allowsFurther)
                else { break }
                if channel.traits.isPaced, case .value(let name, _, _) = written {
                    _ = pacer.next(at: time.now) { _ in true }
                    pacer.sent(name.key)
                }
                reference = .value(written)
            } else {
                let place = Rooms.place(of: channel)
                guard
                    case .written(let written) = rooms.senders[place].writeOffer(
                        to: &writer,
                        OrderedSender.Packet(
                            room: room - writer.count, freshRoom: freshRoom, isEarly: isEarly,
                            allowsFurther: allowsFurther))
                else { break }
                reference = .ordered(channel, written)
            }
            references.append(reference)
            if channel.traits.isGathered { gathering.left(at: time.now) }
        }
    }

    // MARK: Loss

    /// Content that a carrier lost goes out again in its current state.
    mutating func takeBack(_ lost: [PeerReference]) {
        if !lost.isEmpty { gathering.release() }
        for reference in lost {
            counts.framesResent += 1
            switch reference {
            case .ordered(let channel, let reference):
                rooms.senders[Rooms.place(of: channel)].lost(reference)
            case .answers(let channel, let reference):
                rooms.receivers[Rooms.place(of: channel)].lost(reference)
            case .value(let reference): rooms.values.lost(reference)
            case .held(let reference): rooms.heldValues.lost(reference)
            case .epochs(let range): session?.telling.lost(range)
            case .epochOver(let ids): rooms.ownEpochs.over.lost(ids)
            case .epochClosed(let ids): rooms.counterpartEpochs.closed.lost(ids)
            case .epochsKnown(let ids): rooms.counterpartEpochs.known.lost(ids)
            case .epochHeld(let id): session?.heldDue.append(id)
            case .earlyData: session?.owesEarlyAnswer = true
            case .ping: if session?.pingSentAt != nil { session?.requestPing() }
            case .pong(let token): if session?.pongDue == nil { session?.pongDue = token }
            case .ticketAnswer: session?.isTicketAnswerUnderWay = false
            case .repair: break
            }
        }
    }

    // MARK: Repair packets

    private mutating func makeRepair(
        _ allowance: Allowance, whenFull bytes: Int?
    ) -> OutgoingPacket? {
        let mayEnd = readRecovery { $0.isBlockOpen && (bytes.map($0.isBlockFull) ?? true) }
        guard allowance.urgent, mayEnd == true, connection.unprovenRoom == nil,
            configuration.shape == nil
        else { return nil }
        let (limit, now) = (packetRoom, time.now)
        let repairs = session?.recovery?.takeRepairs(limitBytes: limit, at: now) ?? []
        for repair in repairs {
            var writer = WireWriter()
            repair.write(to: &writer)
            session?.recovery?.cover(repair)
            counts.repairPacketsSent += 1
            sealPacket(writer.bytes, [.repair], isBulk: false)
        }
        return nil
    }
}
