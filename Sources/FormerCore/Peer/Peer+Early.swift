/// Early data: records that leave behind the first flight of a reconnection, so that they arrive
/// half a round trip after the link is up.
///
/// Such packets have numbers of their own, from 0, and hold whole records and nothing else. The
/// sender counts them as under way until the counterpart's verdict names those that were taken; the
/// others leave again. What is taken is a part of the session that follows: the receiver goes on
/// with it, and so does the sender's credit.
extension Peer {
    /// Makes numbers of first flights durable before they run out.
    mutating func reserveHandshakes() {
        guard configuration.usesEarlyData, !isJournalFailed,
            let end = security.reservationWanted, end > reservationUnderWay
        else { return }
        reservationUnderWay = end
        reservedSinceBatch = end
        outbox.entries.append(.handshakesReserved(end))
    }

    /// A first flight of this side is on its way: records may follow it.
    mutating func beginEarly(behind attempt: HandshakeAttempt<Security.Handshake>) {
        guard configuration.usesEarlyData, link.state == .greeting,
            let sealer = attempt.handshake.earlySending
        else { return }
        earlySending = EarlySending(session: attempt.ids.mine, sealer: sealer)
        earlyFlight = attempt.ids.mine
        earlyParity.encoder = ParityEncoder()
        earlyParity.due = []
        outbox.beginEarly(toldFloors: attempt.toldFloors)
    }

    /// What followed the flight belongs to no session: it waits again.
    mutating func abandonEarly() {
        guard let early = earlySending else { return }
        counters.earlyPacketsReturned += UInt64(early.packets.count)
        earlySending = nil
        outbox.endSession()
    }

    /// The link, or the session, is another one.
    mutating func forgetEarly() {
        counters.earlyPacketsReturned += UInt64(earlySending?.packets.count ?? 0)
        earlySending = nil
        earlyFlight = nil
        earlyArrival = nil
        earlyParity = EarlyParity()
        earlyEpochs = nil
        inbox.knownBeforeEarly = nil
        earlyPackets = []
        tookEarlyOfAnother = false
        isVerdictDue = false
    }

    /// The next packet of early data, if there is any.
    mutating func makeEarlyPacket() -> [UInt8]? {
        let limits = configuration.limits
        guard var early = earlySending, link.state == .greeting, let carrier,
            early.packets.count < limits.earlyPackets, early.bytes < limits.earlyBytes,
            // A fresh flight has another key; and who has answered waits for the session, unless
            // what was answered is known to be old.
            // (A key path would be made anew here for each packet: the sealer is generic.)
            attempt?.ids.mine == early.session, answers.allSatisfy({ $0.isStale })
        else { return nil }
        typealias Sealer = Security.Handshake.Sealer
        // What does not fit waits for the session.
        let room = plaintextRoom(behind: early, on: carrier)
        let capacity = min(room - Sealer.leastPaddingBytes, limits.earlyBytes - early.bytes)
        guard capacity > 0, mayLeaveEarly(behind: early) else { return nil }
        var writer = WireWriter()
        var references: [FrameReference] = []
        let protectable = earlyCapacity(within: capacity)
        // What is too long by the room of its parity leaves without one, and does not keep
        // everything behind it waiting for the session.
        for capacity in [protectable, capacity] where writer.count == 0 {
            // Who asks for an answer wants to know that somebody is there.
            for lane in Lane.allCases where lane != .interactive && outbox.hasOffer(lane) {
                writeOffers(lane, &writer, &references, capacity: capacity)
            }
        }
        let number = UInt64(early.packets.count)
        if writer.count > 0 {
            if repair != nil, writer.count <= protectable {
                earlyParity.encoder.add(number, writer.bytes, isUrgent: true)
            }
        } else {
            guard let parity = nextEarlyParity(within: capacity) else { return nil }
            parity.write(to: &writer)
            counters.paritySent += 1
        }
        early.packets.append(references)
        early.bytes += writer.count
        var frames = writer.bytes
        early.sealer.pad(&frames, from: 0, atMost: room)
        var packet = WireWriter()
        if case .datagram = carrier.framing {
            let header =
                carrier.isLossy
                ? DatagramHeader(
                    kind: .early, hint: UInt16(truncatingIfNeeded: early.session), number: number,
                    largestAcknowledged: nil)
                : DatagramHeader(unnumbered: .early)
            header.write(to: &packet)
            let start = packet.count
            packet.append(frames)
            early.sealer.seal(&packet.bytes, from: start, number: number)
        } else {
            early.sealer.seal(&frames, from: 0, number: number)
            packet.append(StreamFraming.prefix(of: .early, length: frames.count))
            packet.append(frames)
        }
        early.packetBytes += packet.count
        if packetLog != nil {
            logEarly(
                number, of: early.session, bytes: packet.count, firstFrame: writer.bytes.first,
                references)
        }
        noteUnnumbered(packet.count)
        earlySending = early
        counters.earlyPacketsSent += 1
        return packet.bytes
    }

    /// Whether another early packet may leave now; else notes when.
    private mutating func mayLeaveEarly(
        behind early: EarlySending<Security.Handshake.Sealer>
    ) -> Bool {
        guard let path = repair?.path else { return true }
        let isUrgent = outbox.hasOffer(.complication) || !earlyParity.due.isEmpty
        let bytes = early.packetBytes
        if path.mayLeave(isUrgent: isUrgent, inFlightBytes: bytes, roundTrip: nil, at: now) {
            return true
        }
        repair?.heldUntil = path.nextDeparture(
            isUrgent: isUrgent, inFlightBytes: bytes, roundTrip: nil)
        return false
    }

    /// Bytes of frames of an early packet, whose parity is to fit one as well.
    private func earlyCapacity(within capacity: Int) -> Int {
        guard let repair else { return capacity }
        let limit = repair.packetLimit(largest: largestPacketBytes, least: Self.leastPacketBytes)
        return capacity - (largestPacketBytes - limit) - ParityEncoder.overhead(first: 0)
    }

    /// Where nothing else is left to leave early: parity of what did.
    private mutating func nextEarlyParity(within capacity: Int) -> ParityFrame? {
        if repair != nil, earlyParity.due.isEmpty, earlyParity.encoder.count > 0 {
            var path = repair?.path ?? path
            earlyParity.due = earlyParity.encoder.parity(
                for: &path, limitBytes: capacity, at: now)
            repair?.path = path
            earlyParity.encoder.removeAll()
        }
        guard let next = earlyParity.due.first else { return nil }
        // What is left of the early data's room may have shrunk meanwhile.
        guard ParityEncoder.overhead(first: next.first) + next.bytes.count <= capacity else {
            earlyParity.due = []
            return nil
        }
        earlyParity.due.removeFirst()
        return next
    }

    /// Bytes the frames of the next early packet can have, filling included.
    private func plaintextRoom(
        behind early: EarlySending<Security.Handshake.Sealer>, on carrier: CarrierTraits
    ) -> Int {
        guard carrier.isLossy else { return plaintextLimit }
        let isKnown = repair?.path.bytesPerSecond != nil
        let window =
            isKnown
            ? configuration.limits.earlyBytes
            : configuration.limits.earlyWindow(datagramBytes: largestPacketBytes)
        let framing = largestPacketBytes - plaintextLimit
        return min(plaintextLimit, window - early.packetBytes - framing)
    }

    /// The counterpart says what became of this side's early data.
    mutating func receive(_ frame: EarlyFrame) {
        guard Security.isSealed else {
            closeLink(.unexpected(frame: FrameType.early.rawValue), telling: .violation)
            return
        }
        // It comes again where the packet with it was lost, or was thought to be.
        if frame.verdict == .accepted, !frame.taken.isEmpty, frame.session != earlyFlight {
            auditAfterOldFlight()
        }
        guard let early = earlySending else { return }
        earlySending = nil
        // Whichever of this side's flights it is on: an older one that somebody sent again may have
        // come behind the one that counts, and the number taught is the same for all.
        if case .stale(let highest) = frame.verdict {
            security.learn(highest)
            reserveHandshakes()
            counters.earlyPacketsStale += UInt64(early.packets.count)
        }
        let isTaken = frame.verdict == .accepted && frame.session == early.session
        for (number, references) in early.packets.enumerated() {
            guard !isTaken || !frame.taken.contains(UInt64(number)) else {
                counters.earlyPacketsTaken += 1
                continue
            }
            counters.earlyPacketsReturned += 1
            for reference in references {
                counters.framesResent += 1
                outbox.lost(reference)
            }
        }
    }

    /// The verdict for the first packet of the session.
    var earlyFrame: EarlyFrame {
        EarlyFrame(
            session: earlyArrival?.session ?? 0, verdict: earlyArrival?.verdict ?? .none,
            taken: earlyArrival?.taken ?? NumberRanges())
    }
}
