/// What leaves in which packet, and in which order: acknowledgements, what is small and answers
/// something, then records, lane by lane; large ones when nothing else waits.
extension Peer {
    /// The next packet of frames, if anything waits and may leave.
    mutating func makePacket() -> [UInt8]? {
        repair?.heldUntil = nil
        guard link.state == .active else { return makeEarlyPacket() ?? makeFlightCopy() }
        let leave = leave
        if let packet = makeParityPacket(leave) { return packet }
        guard hasFrames(leave) else {
            let parity = endFlight(leave)
            if parity == nil { holdBack() }
            return parity
        }
        let isBulk = !hasFrames(leave, withBulk: false)
        let capacity = frameCapacity(isBulk: isBulk)
        // What is large would keep the parity of what left before it waiting.
        if isBulk || repair?.isFlightFull(capacity) == true, let packet = makeParity(leave) {
            return packet
        }
        guard hasKey() else { return nil }
        let isKeyDue = isNextKeyDue && isNextKeyReady
        var writer = WireWriter()
        writer.bytes.reserveCapacity(256)
        var references: [FrameReference] = []
        let isAckFirst = !isNarrow || repair?.ackDeadline.map { $0 <= now } ?? true
        if isAckFirst { writeAck(to: &writer, capacity: capacity) }
        writeAnswers(to: &writer, &references, capacity: capacity)
        writeRecords(
            to: &writer, &references, leave, isBulk: isBulk, capacity: capacity)
        if !isAckFirst, writer.count > 0, capacity - writer.count >= Self.ackRoom {
            writeAck(to: &writer, capacity: capacity - writer.count)
        }
        guard writer.count > 0 else {
            holdBack()
            return nil
        }
        if isKeyDue { beginNextKey(&writer) }
        let packet = finish(writer.bytes, references, wasHeldBack: isHeldBack, isBulk: isBulk)
        if isKeyDue, repair == nil, sentPackets > 0 {
            sentPackets = Security.Handshake.Sealer.nextKeyNumber(after: sentPackets - 1)
        }
        return packet
    }

    /// Whether the next packet can be sealed; else the link ends.
    private mutating func hasKey() -> Bool {
        let number = repair?.upcomingNumber ?? sentPackets
        guard sendingSealer?.prepare(number) == false else { return true }
        closeLink(.noMemory, telling: nil)
        return false
    }

    /// Seals the frames of a packet, and notes that it leaves.
    private mutating func finish(
        _ frames: [UInt8], _ references: [FrameReference], wasHeldBack: Bool, isBulk: Bool
    ) -> [UInt8]? {
        repair?.sent(references, wasHeldBack: wasHeldBack, at: now)
        let packet = sealedPacket(.transport, frames, of: references)
        guard repair != nil else { return packet }
        repair?.sent(
            bytes: packet?.count ?? 0, isBulk: isBulk, wasHeldBack: wasHeldBack, at: now)
        let isFlight = references.contains(where: \.isWorthParity)
        if isFlight || (references.isEmpty && repair?.isParityDue == true) {
            repair?.protect(frames, isUrgent: references.contains(where: \.isUrgent))
        }
        return packet
    }

    /// Bytes of frames that the next packet has at most, or should have: its parity is to fit one
    /// as well, and nobody should have to wait long for it to pass.
    private func frameCapacity(isBulk: Bool) -> Int {
        guard let repair else { return freshCapacity }
        let largest = largestPacketBytes
        let limit = repair.packetLimit(
            largest: largest, least: isBulk ? Self.leastBulkBytes : Self.leastPacketBytes)
        let parity = isBulk ? 0 : repair.parityOverhead
        guard limit < largest else { return freshCapacity - parity }
        // What would be filled up to more than that has to be less.
        let room = plaintextLimit - (largest - limit)
        let capacity = sendingSealer?.capacity(within: room) ?? 0
        return min(freshCapacity, max(capacity, room / 2)) - parity
    }

    /// Bytes of frames that a packet has at most.
    var freshCapacity: Int {
        plaintextLimit - Security.Handshake.Sealer.leastPaddingBytes - (isNextKeyDue ? 1 : 0)
    }

    /// Bytes of a record that need not leave in parts.
    private var recordCapacity: Int {
        plaintextLimit - Security.Handshake.Sealer.leastPaddingBytes - 1
    }

    private static var leastBulkBytes: Int { 512 }
    static var leastPacketBytes: Int { 1200 }

    /// Whether packets hold one usual record and little else.
    var isNarrow: Bool { repair != nil && largestPacketBytes < 512 }

    /// Bytes in which an acknowledgement of one range fits, and when it arrived.
    private static var ackRoom: Int { 40 }

    private mutating func writeAck(to writer: inout WireWriter, capacity: Int) {
        guard let (ack, arrival) = repair?.makeAck(at: now) else { return }
        ack.write(to: &writer, limits: ackLimits(ack.packets, capacity))
        arrival.write(to: &writer)
        packetLog?.pendingFrames.insert(.ack)
    }

    private mutating func writeAnswers(
        to writer: inout WireWriter, _ references: inout [FrameReference], capacity: Int
    ) {
        if isVerdictDue {
            isVerdictDue = false
            let frame = earlyFrame
            frame.write(to: &writer, limits: ackLimits(frame.taken, capacity))
            references.append(.early)
        }
        if let token = pongDue {
            pongDue = nil
            PingFrame(token: token, isPong: true).write(to: &writer)
            references.append(.pong(token))
        }
        if let token = pingDue {
            pingDue = nil
            pingSentAt = now
            PingFrame(token: token, isPong: false).write(to: &writer)
            references.append(.ping)
        }
    }

    private mutating func writeRecords(
        to writer: inout WireWriter, _ references: inout [FrameReference], _ leave: Leave,
        isBulk: Bool, capacity: Int
    ) {
        if leave.rest {
            writeComparisons(to: &writer, &references, capacity: capacity)
            writeAudits(to: &writer, &references, capacity: capacity)
        }
        // Receipts first: they are small, and what they free is worth more than what they delay.
        for lane in Lane.allCases { writeNotices(lane, &writer, &references, capacity: capacity) }
        for lane in Lane.allCases where leave.allows(lane) {
            // On a carrier that can lose, what is small and urgent has a packet without the bulk:
            // that one leaves twice.
            if lane == .bulk, !isBulk, repair != nil { break }
            writeOffers(lane, &writer, &references, capacity: capacity)
        }
        // A record may be too long for what a packet should have, and not for one.
        guard writer.count == 0, capacity < freshCapacity else { return }
        for lane in Lane.allCases where leave.allows(lane) {
            writeOffers(lane, &writer, &references, capacity: freshCapacity, most: 1)
            if writer.count > 0 { return }
        }
    }

    /// An acknowledgement takes a third of the packet at most. What it leaves out, and no later one
    /// tells, is sent again though it has arrived.
    private func ackLimits(_ packets: NumberRanges, _ capacity: Int) -> Limits {
        var limits = configuration.limits
        guard !packets.isEmpty else { return limits }
        limits.ackRanges = packets.newest(in: capacity / 3, atMost: limits.ackRanges)
        return limits
    }

    mutating func hasFrames(_ leave: Leave, withBulk: Bool = true) -> Bool {
        if pongDue != nil || pingDue != nil || isVerdictDue { return true }
        if leave.rest, hasComparisonFrames || hasAuditFrames { return true }
        if let deadline = repair?.ackDeadline, deadline <= now { return true }
        for lane in Lane.allCases {
            if inbox.hasNotices(lane) || outbox.hasNotices(lane) { return true }
            guard leave.allows(lane) else { continue }
            if withBulk || lane != .bulk, outbox.hasOffer(lane) { return true }
        }
        return false
    }

    private mutating func writeNotices(
        _ lane: Lane, _ writer: inout WireWriter, _ references: inout [FrameReference],
        capacity: Int
    ) {
        if inbox.lanes[Int(lane.rawValue)].hasNotices {
            references += inbox.writeNotices(lane, to: &writer, room: capacity - writer.count)
        }
        let state = outbox.lanes[Int(lane.rawValue)]
        if state.floorIsDue || !state.withdrawals.isEmpty {
            references += outbox.writeNotices(lane, to: &writer, room: capacity - writer.count)
        }
    }

    mutating func writeOffers(
        _ lane: Lane, _ writer: inout WireWriter, _ references: inout [FrameReference],
        capacity: Int, most: Int = .max
    ) {
        var left = most
        while left > 0 {
            left -= 1
            switch outbox.writeOffer(
                lane, to: &writer, room: capacity - writer.count,
                freshRoom: repair == nil ? capacity : max(capacity, recordCapacity))
            {
            case .written(let reference): references.append(reference)
            case .noRoom, .nothing: return
            }
        }
    }
}
