/// Which packets were lost: by what later ones show, and by time (RFC 9002, section 6).
extension Repair {
    /// When packets now in flight count as lost.
    public var lossDeadline: Instant? {
        guard let first = inFlight.first else { return nil }
        let timeout = max(first.sentAt, lastTimeoutAt).advanced(by: currentTimeout)
        guard let largest = largestAcknowledged, first.number < largest else { return timeout }
        return min(timeout, first.sentAt.advanced(by: patience(largest).with(first)))
    }

    /// How long packets in flight are waited for, now that later ones have arrived.
    private struct Patience {
        let largest: UInt64
        let reorderingWindow: Duration
        /// RFC 9002, 6.1.2.
        let late: Duration

        func with(_ packet: SentPackets.Packet) -> Duration {
            if packet.number + 3 <= largest, packet.coveredBy <= largest {
                return reorderingWindow
            }
            // What waits for its parity waits for the acknowledgement of that.
            let isCovered = packet.coveredBy > packet.number
            return max(isCovered ? late + Repair.longestAckDelay : late, reorderingWindow)
        }

        func isOver(_ packet: SentPackets.Packet, at now: Instant) -> Bool {
            packet.number < largest && packet.sentAt.advanced(by: with(packet)) <= now
        }
    }

    private func patience(_ largest: UInt64) -> Patience {
        var late = currentTimeout
        if let smoothed = roundTrip.smoothed {
            let longest = max(smoothed, roundTrip.latest ?? smoothed)
            late = longest + longest / 8 + interval * 2 + .milliseconds(1)
        }
        return Patience(largest: largest, reorderingWindow: reorderingWindow, late: late)
    }

    private mutating func takeLost(at now: Instant) -> [SentPackets.Packet] {
        guard let largest = largestAcknowledged else { return [] }
        let patience = patience(largest)
        return inFlight.remove(upTo: largest) { patience.isOver($0, at: now) }
    }

    /// What packets carried is to be sent again.
    private mutating func giveUp(
        _ packets: [SentPackets.Packet], werePassed: Bool, areCounted: Bool = true
    ) {
        lostPackets += UInt64(packets.count)
        for packet in packets {
            reordering.gaveUp(
                packet.number, sentAt: packet.sentAt, wasPassed: werePassed, isCounted: areCounted)
        }
    }

    /// How long an acknowledgement is waited for, before any time-out has passed.
    var firstTimeout: Duration {
        // A round trip that took as long as the window may take as long again.
        max(
            roundTrip.timeout(
                initial: initialTimeout, interval: interval, ackDelay: Self.longestAckDelay),
            reorderingWindow)
    }

    private var currentTimeout: Duration {
        let base = firstTimeout
        return min(base * (1 << min(consecutiveTimeouts, 6)), max(base, Self.longestTimeout))
    }

    /// Takes an acknowledgement: gives back what is confirmed, and what is now known to be lost.
    /// Throws when it speaks of a packet that was never sent; the counterpart is at fault.
    public mutating func acknowledged(
        _ ack: AckFrame, _ arrival: ArrivalFrame? = nil, at now: Instant
    ) throws(WireError) -> (confirmed: [FrameReference], lost: [FrameReference]) {
        guard let largest = ack.packets.last, largest < nextNumber else {
            throw WireError(
                .outOfRange, at: 0, expected: "acknowledgement of a packet that was sent",
                found: ack.packets.last ?? 0)
        }
        let isNews = largestAcknowledged.map { largest > $0 } ?? true
        largestAcknowledged = max(largestAcknowledged ?? 0, largest)
        let news = ack.packets.subtracting(confirmed)
        let late = reordering.note(news, at: now)
        if late > 0 { path.late(late) }
        var told = Confirmation()
        var references: [FrameReference] = []
        for range in news {
            confirmed.insert(range)
            for packet in inFlight.remove(range) {
                told.count += 1
                told.bytes += packet.bytes
                references += packet.references
                if isNews, packet.number == largest {
                    let delay = Duration.microseconds(Int64(ack.delayMicroseconds))
                    roundTrip.add(packet.sentAt.duration(to: now), delay: delay)
                    told.newest = packet
                }
            }
        }
        confirmed.keepNewest(limits.ackRanges * 2)
        if told.count > 0 { consecutiveTimeouts = 0 }
        let lost = takeLost(at: now)
        giveUp(lost, werePassed: true)
        told.lost = lost.count
        noteRestored(arrival, in: &told)
        judgeRound(told, largest, at: now)
        let isNew = path.bytesPerSecond == nil
        path.acknowledged(
            told, arrival: arrival?.microseconds ?? ownArrival(ack, at: now),
            roundTrip: roundTrip, at: now)
        if isNew { path.account(for: inFlight, at: now) }
        return (references, lost.flatMap { $0.references })
    }

    private mutating func noteRestored(_ arrival: ArrivalFrame?, in told: inout Confirmation) {
        guard let arrival, arrival.restoredPackets > restoredThere else { return }
        let restored = Int(clamping: arrival.restoredPackets - restoredThere)
        restoredThere = arrival.restoredPackets
        let known = min(restored, told.count)
        // What was put together did not cross the path: it says nothing of how much that carries.
        // Parity covers packets of about one size.
        if told.count > 0 { told.bytes = told.bytes * (told.count - known) / told.count }
        told.count -= known
        told.lost += known
    }

    /// When the largest packet arrived, where the counterpart does not say: by this side's clock,
    /// the way back included.
    private func ownArrival(_ ack: AckFrame, at now: Instant) -> UInt64 {
        let moment = now.nanoseconds / 1000
        return moment - min(moment, ack.delayMicroseconds)
    }

    /// A path that loses much more at once than by itself is given more than it can take.
    private mutating func judgeRound(_ told: Confirmation, _ largest: UInt64, at now: Instant) {
        round.lost += told.lost
        round.arrived += told.count
        guard largest >= round.end else { return }
        let isMuch = round.lost >= 5 && round.lost * 5 > round.lost + round.arrived
        if isMuch { path.overloaded(inFlightBytes: inFlight.bytes) }
        round = (nextNumber, 0, 0)
    }

    /// Gives back what packets carried that are behind others for too long; or what the oldest two
    /// in flight carried, when a time-out has passed: sent again they probe the path, and their
    /// acknowledgement tells of the rest (RFC 9002, 6.2).
    public mutating func expire(at now: Instant) -> [FrameReference] {
        guard let deadline = lossDeadline, deadline <= now else { return [] }
        var lost = takeLost(at: now)
        let werePassed = !lost.isEmpty
        if !werePassed {
            consecutiveTimeouts += 1
            lastTimeoutAt = now
            lost = inFlight.removeFirst(2)
            if consecutiveTimeouts >= 2 { path.silent() }
        }
        // What is lost while nothing at all is heard is no measure of what the path loses.
        let areCounted = werePassed || consecutiveTimeouts == 1
        giveUp(lost, werePassed: werePassed, areCounted: areCounted)
        if areCounted { path.lost(lost.count) }
        return lost.flatMap { $0.references }
    }

    /// The longest time-out that repeated ones lead to.
    private static let longestTimeout: Duration = .seconds(2)
}
