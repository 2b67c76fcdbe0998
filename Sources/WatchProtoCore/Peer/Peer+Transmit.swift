/// Packet assembly, which fixes the order of frames: acknowledgements, answers, hints and
/// statements, then records, channel by channel; bulk when nothing else waits.
extension Peer {
    /// The kinds of frames that a packet may hold now.
    struct Allowance {
        /// Frames somebody waits for.
        var urgent = true
        /// All others.
        var rest = true
        /// Bytes of bulk.
        var bulkBytes = Int.max
    }

    /// Bytes that frames of a packet have room for, padding left out.
    var packetRoom: Int {
        let padding = Connection<Security>.Sealer.leastPaddingBytes
        var room = connection.plaintextLimit
        if connection.carrier?.isLossy == false { room = min(room, Self.losslessPacketBytes) }
        return max(0, room - padding - 1)
    }

    /// Packets on carriers that cannot lose stay short: urgent frames wait for no more than this,
    /// and a ping has room behind a packet full of bulk.
    private static var losslessPacketBytes: Int { 1 << 14 }

    private var allowance: Allowance {
        guard let session else { return Allowance() }
        guard let recovery = session.recovery else {
            return Allowance(bulkBytes: session.bulk?.bulkAllowance(at: time.now) ?? .max)
        }
        return Allowance(
            urgent: recovery.mayTransmit(isUrgent: true, at: time.now),
            rest: recovery.mayTransmit(isUrgent: false, at: time.now),
            bulkBytes: recovery.mayTransmitBulk ? .max : 0)
    }

    /// The next packet, if anything waits and may leave.
    mutating func makePacket() -> OutgoingPacket? {
        session?.recovery?.pacedUntil = nil
        guard connection.canSeal, session != nil else { return makeEarlyPacket() }
        let allowance = allowance
        if let packet = makeRepair(allowance, whenFull: packetRoom) { return packet }
        var writer = WireWriter()
        var references: [PeerReference] = []
        let overhead = session?.recovery?.repairOverhead ?? 0
        let room = packetRoom - overhead
        writeAck(&writer, room: room)
        if allowance.urgent {
            writeAnswers(&writer, &references)
            writeHints(&writer, &references, room: room)
            writeStatements(&writer, &references, room: room)
        }
        for channel in Channel.allCases where !channel.traits.isBulk && mayLeave(channel, allowance)
        {
            writeOffers(channel, &writer, &references, room: room, isEarly: false)
        }
        let isBulk = writer.count == 0
        if isBulk, mayLeave(.bulk, allowance), allowance.bulkBytes >= StreamPacer.leastAllowance {
            let bytes = min(packetRoom, allowance.bulkBytes)
            writeOffers(.bulk, &writer, &references, room: bytes, isEarly: false)
        }
        guard writer.count > 0 else {
            pace()
            return makeRepair(allowance, whenFull: nil)
        }
        return sealPacket(writer.bytes, references, isBulk: isBulk && !references.isEmpty)
    }

    private func mayLeave(_ channel: Channel, _ allowance: Allowance) -> Bool {
        guard channel.traits.isUrgent ? allowance.urgent : allowance.rest else { return false }
        return !channel.traits.isBudgeted || pacer.isEmpty || pacer.isDue(at: time.now)
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
        let number = session?.recovery?.nextNumber
        let largest = session?.recovery?.largestAcknowledged
        session?.recovery?.sent(references, at: time.now)
        guard
            let bytes = connection.seal(
                frames, number: number, largestAcknowledged: largest, at: time.now)
        else {
            close(.noMemory, telling: nil)
            return nil
        }
        session?.recovery?.sent(bytes: bytes.count, isBulk: isBulk, at: time.now)
        session?.recovery?.protect(frames, carrying: references)
        let packet = OutgoingPacket(bytes: bytes, address: connection.address)
        output.append(packet)
        return packet
    }

    // MARK: Frames

    private mutating func writeAck(_ writer: inout WireWriter, room: Int) {
        guard let (ack, arrival) = session?.recovery?.makeAck(at: time.now) else { return }
        ack.write(to: &writer)
        arrival.write(to: &writer)
    }

    private mutating func writeAnswers(
        _ writer: inout WireWriter, _ references: inout [PeerReference]
    ) {
        if session?.owesTicketAnswer == true, let answer = rooms.tickets.session?.answer {
            TicketAnswerFrame(answer).write(to: &writer)
            references.append(.ticketAnswer)
            if session?.recovery == nil { session?.owesTicketAnswer = false }
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
            session?.pingSentAt = time.now
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
        guard let position = rooms.tickets.positionToState, rooms.tickets.mayAct else { return }
        let start = writer.count
        PositionFrame(position).write(to: &writer)
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
        let over = rooms.ownEpochs.over.take(atMost: EpochID.listCount(in: room - writer.count))
        if !over.isEmpty {
            EpochOverFrame(over).write(to: &writer)
            references.append(.epochOver(over))
        }
        let closed = rooms.counterpartEpochs.closed.take(
            atMost: EpochID.listCount(in: room - writer.count))
        if !closed.isEmpty {
            EpochClosedFrame(closed).write(to: &writer)
            references.append(.epochClosed(closed))
        }
        // Nothing that is held may be told before all of it is durable, nor which epochs are known.
        let count = EpochID.listCount(in: room - writer.count)
        let known = rooms.counterpartEpochs.known.take(
            atMost: rooms.heldValues.isClean ? count : 0)
        if !known.isEmpty {
            EpochsKnownFrame(known).write(to: &writer)
            references.append(.epochsKnown(known))
        }
        writeHeldEpochs(&writer, &references, room: room)
    }

    private mutating func writeHeldEpochs(
        _ writer: inout WireWriter, _ references: inout [PeerReference], room: Int
    ) {
        var later: [EpochID] = []
        for epoch in session?.heldDue ?? [] {
            var parts: [EpochHeldFrame.Part] = []
            for receiver in rooms.receivers {
                if let part = receiver.held(epoch) { parts.append(part) }
            }
            guard !rooms.counterpartEpochs.isClosed(epoch) else { continue }
            guard !parts.isEmpty, room - writer.count >= 64 else {
                later.append(epoch)
                continue
            }
            EpochHeldFrame(epoch: epoch, parts: parts).write(to: &writer)
            references.append(.epochHeld(epoch))
        }
        session?.heldDue = later
    }

    /// Writes the records of a channel that may leave and fit.
    mutating func writeOffers(
        _ channel: Channel, _ writer: inout WireWriter, _ references: inout [PeerReference],
        room: Int, isEarly: Bool
    ) {
        while room - writer.count > 16 {
            let reference: PeerReference
            if channel.traits.order == .latestValue {
                guard rooms.values.hasOffer(channel),
                    case .written(let written) = rooms.values.writeOffer(
                        channel, to: &writer, room: room - writer.count, freshRoom: packetRoom)
                else { break }
                if channel.traits.isBudgeted, case .value(let name, _, _) = written {
                    _ = pacer.next(at: time.now) { _ in true }
                    pacer.sent(name.key)
                }
                reference = .value(written)
            } else {
                let place = Rooms.place(of: channel)
                guard rooms.senders[place].hasOffer(isEarly: isEarly),
                    case .written(let written) = rooms.senders[place].writeOffer(
                        to: &writer,
                        OrderedSender.Packet(
                            room: room - writer.count, freshRoom: packetRoom, isEarly: isEarly,
                            allowsFurther: session?.recovery != nil))
                else { break }
                reference = .ordered(channel, written)
            }
            references.append(reference)
        }
    }

    // MARK: Loss

    /// Content that a carrier lost goes out again in its current state.
    mutating func takeBack(_ lost: [PeerReference]) {
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
            case .ticketAnswer, .repair: break
            }
        }
    }

    // MARK: Repair packets

    private mutating func makeRepair(
        _ allowance: Allowance, whenFull bytes: Int?
    ) -> OutgoingPacket? {
        guard allowance.urgent, let recovery = session?.recovery, recovery.isBlockOpen,
            bytes.map({ recovery.isBlockFull($0) }) ?? true
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

    /// Nothing may leave: notes the time until which pacing delays the waiting frames.
    private mutating func pace() {
        guard session?.recovery != nil else { return }
        var waits = false
        for channel in Channel.allCases {
            if channel.traits.order == .latestValue {
                waits = rooms.values.hasOffer(channel) || waits
            } else {
                waits = rooms.senders[Rooms.place(of: channel)].hasOffer() || waits
            }
        }
        guard waits else { return }
        let departure = session?.recovery?.nextDeparture(isUrgent: false)
        session?.recovery?.pacedUntil = departure.flatMap { $0 > time.now ? $0 : nil }
    }
}
