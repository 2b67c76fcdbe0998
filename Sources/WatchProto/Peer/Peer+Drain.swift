/// What comes out: events, deliveries, journal entries, packets, in that order, until all is quiet.
extension Peer {
    /// Carries out everything that is due, in order. Call once after each input.
    public mutating func drain<Host: PeerHost & ~Copyable>(into host: inout Host) {
        var isBlocked = false
        while true {
            applyOutboxChanges()
            reportEvents(to: &host)
            deliver(to: &host)
            persist(to: &host)
            if !isBlocked { isBlocked = !transmitAll(to: &host) }
            if let reason = closing, isBlocked || !hasOutput {
                closing = nil
                outgoing = []
                outgoingOffset = 0
                controlPackets.removeAll()
                events.append(.linkClosed(reason))
            }
            applyOutboxChanges()
            let isQuiet =
                events.isEmpty && inbox.deliveries.isEmpty && outbox.entries.isEmpty
                && inbox.entries.isEmpty
            if isQuiet { break }
        }
        updateLiveness()
    }

    private mutating func reportEvents<Host: PeerHost & ~Copyable>(to host: inout Host) {
        while !events.isEmpty {
            swap(&spareEvents, &events)
            for event in spareEvents { host.report(event) }
            spareEvents.removeAll(keepingCapacity: spareEvents.count <= Self.spareLimit)
        }
    }

    private mutating func deliver<Host: PeerHost & ~Copyable>(to host: inout Host) {
        guard !inbox.deliveries.isEmpty else { return }
        var batch: [InboundRecord] = []
        swap(&batch, &inbox.deliveries)
        for record in batch {
            if inbox.answerRepetition(record, at: wallTime) {
                counters.recordsRepeated += 1
                continue
            }
            let disposition = host.deliver(record)
            inbox.disposed(record, disposition)
            inbox.noteKey(of: record, disposition, at: wallTime)
        }
    }

    private mutating func persist<Host: PeerHost & ~Copyable>(to host: inout Host) {
        guard !outbox.entries.isEmpty || !inbox.entries.isEmpty else {
            inbox.commitWithoutEntries()
            return
        }
        var entries: [JournalEntry] = []
        swap(&entries, &outbox.entries)
        entries += inbox.entries
        inbox.entries = []
        let receipt = JournalReceipt(rawValue: nextReceipt)
        nextReceipt += 1
        awaitingCommit.append(
            CommitBatch(
                receipt: receipt, queued: queuedSinceBatch,
                settled: outbox.settledSinceBatch, floors: outbox.takeFloors(),
                actions: inbox.commitActions, reserved: reservedSinceBatch))
        if !inbox.commitActions.isEmpty, timers[.received] == nil, link.state == .active {
            timers[.received] = now.advanced(by: configuration.receivedNoticeTime)
        }
        queuedSinceBatch = []
        reservedSinceBatch = nil
        outbox.settledSinceBatch = []
        inbox.commitActions = []
        host.persist(entries, receipt: receipt)
    }

    // MARK: Packets

    private var hasOutput: Bool { outgoingOffset < outgoing.count || !controlPackets.isEmpty }

    /// Gives packets to the carrier until there are none, or it takes no more (then false).
    private mutating func transmitAll<Host: PeerHost & ~Copyable>(to host: inout Host) -> Bool {
        while true {
            if outgoingOffset >= outgoing.count {
                outgoing = []
                outgoingOffset = 0
                if let packet = controlPackets.takeFirst() {
                    outgoing = packet
                } else if carrier != nil, closing == nil, let packet = makePacket() {
                    outgoing = packet
                } else {
                    return true
                }
                counters.packetsSent += 1
            }
            let rest = outgoing.count - outgoingOffset
            let taken = host.transmit(outgoing.span.extracting(last: rest))
            precondition((0...rest).contains(taken), "host took too much")
            counters.bytesSent += UInt64(taken)
            outgoingOffset += taken
            if outgoingOffset < outgoing.count { return false }
        }
    }

    /// Bytes the largest packet of this carrier can have.
    var largestPacketBytes: Int {
        switch carrier?.framing {
        case .datagram(let largest):
            let theirs = counterpart.map { Int(clamping: $0.largestDatagramBytes) } ?? largest
            return min(largest, theirs, configuration.limits.largestDatagramBytes)
        case .stream, nil:
            return Self.streamPacketBytes
        }
    }

    /// Bytes the frames of the largest packet can have, filling included.
    var plaintextLimit: Int {
        largestPacketBytes - DatagramHeader.largestBytes - Security.Handshake.Sealer.overheadBytes
    }

    /// Packets on streams stay short, so that what is urgent waits for no more than this.
    static var streamPacketBytes: Int { 1 << 14 }

    /// The next packet of frames, if anything waits.
    private mutating func makePacket() -> [UInt8]? {
        guard link.state == .active else { return makeEarlyPacket() }
        let mayOffer = repair?.mayTransmit ?? true
        guard hasFrames(mayOffer: mayOffer) else { return nil }
        guard sendingSealer?.prepare(repair?.upcomingNumber ?? sentPackets) ?? true else {
            closeLink(.noMemory, telling: nil)
            return nil
        }
        let isKeyDue = isNextKeyDue && isNextKeyReady
        let capacity =
            plaintextLimit - Security.Handshake.Sealer.leastPaddingBytes - (isKeyDue ? 1 : 0)
        var writer = WireWriter()
        writer.bytes.reserveCapacity(256)
        var references: [FrameReference] = []
        if let ack = repair?.makeAck(at: now) {
            ack.write(to: &writer, limits: ackLimits(ack.packets, capacity))
        }
        if isVerdictDue {
            isVerdictDue = false
            let frame = earlyFrame
            frame.write(to: &writer, limits: ackLimits(frame.taken, capacity))
            references.append(.early)
        }
        if let token = pongDue {
            pongDue = nil
            PingFrame(token: token, isPong: true).write(to: &writer)
        }
        if let token = pingDue {
            pingDue = nil
            pingSentAt = now
            PingFrame(token: token, isPong: false).write(to: &writer)
            references.append(.ping)
        }
        if mayOffer {
            writeComparisons(to: &writer, &references, capacity: capacity)
            writeAudits(to: &writer, &references, capacity: capacity)
        }
        // Receipts first: they are small, and what they free is worth more than what they delay.
        for lane in Lane.allCases { writeNotices(lane, &writer, &references, capacity: capacity) }
        if mayOffer {
            for lane in Lane.allCases {
                writeOffers(lane, &writer, &references, capacity: capacity)
            }
        }
        guard writer.count > 0 else { return nil }
        if isKeyDue { beginNextKey(&writer) }
        repair?.sent(references, at: now)
        let packet = sealedPacket(.transport, writer.bytes)
        if isKeyDue, repair == nil, sentPackets > 0 {
            sentPackets = Security.Handshake.Sealer.nextKeyNumber(after: sentPackets - 1)
        }
        return packet
    }

    /// An acknowledgement takes a third of the packet at most. What it leaves out, and no later one
    /// tells, is sent again though it has arrived.
    private func ackLimits(_ packets: NumberRanges, _ capacity: Int) -> Limits {
        var limits = configuration.limits
        guard !packets.isEmpty else { return limits }
        limits.ackRanges = packets.newest(in: capacity / 3, atMost: limits.ackRanges)
        return limits
    }

    private mutating func hasFrames(mayOffer: Bool) -> Bool {
        if pongDue != nil || pingDue != nil || isVerdictDue { return true }
        if mayOffer, hasComparisonFrames || hasAuditFrames { return true }
        if let deadline = repair?.ackDeadline, deadline <= now { return true }
        for lane in Lane.allCases {
            if inbox.hasNotices(lane) || outbox.hasNotices(lane) { return true }
            if mayOffer, outbox.hasOffer(lane) { return true }
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
        capacity: Int
    ) {
        while true {
            switch outbox.writeOffer(
                lane, to: &writer, room: capacity - writer.count, freshRoom: capacity)
            {
            case .written(let reference): references.append(reference)
            case .noRoom, .nothing: return
            }
        }
    }
}
