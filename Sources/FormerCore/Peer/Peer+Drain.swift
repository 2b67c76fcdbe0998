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
            reportDepartures(to: &host)
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

    private mutating func reportDepartures<Host: PeerHost & ~Copyable>(to host: inout Host) {
        guard !outbox.departures.isEmpty else { return }
        for id in outbox.departures { host.departed(id) }
        outbox.departures.removeAll(keepingCapacity: outbox.departures.count <= Self.spareLimit)
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
        if let memory = pathToNote() { entries.append(.pathMeasured(memory)) }
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
        largestPacketBytes - headerBytes - Security.Handshake.Sealer.overheadBytes
    }

    /// Bytes in front of the next packet's frames.
    private var headerBytes: Int {
        // The first number of the next key is far from this one.
        guard let repair, link.state == .active, !isNextKeyDue else {
            return DatagramHeader.largestBytes
        }
        return repair.headerBytes
    }

    /// Packets on streams stay short, so that what is urgent waits for no more than this.
    static var streamPacketBytes: Int { 1 << 14 }
}
