/// Which packets are lost: by later acknowledgements, and by time (RFC 9002, section 6).
extension LossRecovery {
    /// When packets in flight are declared lost, unless acknowledged before.
    var lossDeadline: Instant? {
        guard let first = inFlight.first else { return nil }
        let timeout = max(first.sentAt, lastTimeoutAt).advanced(by: currentTimeout)
        guard let largest = largestAcknowledged, first.number < largest else { return timeout }
        return min(timeout, first.sentAt.advanced(by: lossDelay(largest).of(first)))
    }

    /// The time for which a packet may stay unacknowledged when later ones have arrived.
    private struct LossDelay {
        let largest: UInt64
        let reorderingWindow: Duration
        /// The time threshold (RFC 9002, 6.1.2).
        let late: Duration

        func of(_ packet: SentPackets<Reference>.Packet) -> Duration {
            if packet.number + 3 <= largest, packet.coveredBy <= largest {
                return reorderingWindow
            }
            // A covered packet waits for the acknowledgement of its repair packet.
            let isCovered = packet.coveredBy > packet.number
            return max(
                isCovered ? late + ReceivedPackets.longestAckDelay : late, reorderingWindow)
        }

        func isOver(_ packet: SentPackets<Reference>.Packet, at now: Instant) -> Bool {
            packet.number < largest && packet.sentAt.advanced(by: of(packet)) <= now
        }
    }

    private func lossDelay(_ largest: UInt64) -> LossDelay {
        var late = currentTimeout
        if let smoothed = roundTrip.smoothed {
            let longest = max(smoothed, roundTrip.latest ?? smoothed)
            late = longest + longest / 8 + sendInterval * 2 + .milliseconds(1)
        }
        return LossDelay(largest: largest, reorderingWindow: reorderingWindow, late: late)
    }

    private mutating func takeLost(at now: Instant) -> [SentPackets<Reference>.Packet] {
        guard let largest = largestAcknowledged else { return [] }
        let delay = lossDelay(largest)
        return inFlight.remove(upTo: largest) { delay.isOver($0, at: now) }
    }

    private mutating func declareLost(
        _ packets: [SentPackets<Reference>.Packet], werePassed: Bool, areCounted: Bool = true
    ) {
        lostPackets += UInt64(packets.count)
        for packet in packets {
            reordering.declaredLost(
                packet.number, sentAt: packet.sentAt, wasPassed: werePassed, isCounted: areCounted)
        }
    }

    /// The probe time-out before any has passed.
    var firstTimeout: Duration {
        // A round trip that took as long as the window may take as long again.
        max(
            roundTrip.timeout(
                initial: initialTimeout, interval: sendInterval,
                ackDelay: ReceivedPackets.longestAckDelay),
            reorderingWindow)
    }

    private var currentTimeout: Duration {
        let base = firstTimeout
        let longest = max(base, Self.longestTimeout)
        return min(base * (1 << min(consecutiveTimeouts, 6)), longest)
    }

    /// Takes an acknowledgement; gives the references acknowledged and those now known to be lost.
    /// Throws `outOfRange` for a packet that was never sent; the counterpart is at fault.
    mutating func acknowledged(
        _ ack: AckFrame, _ arrival: ArrivalFrame? = nil, at now: Instant
    ) throws(WireError) -> (acknowledged: [Reference], lost: [Reference]) {
        guard let largest = ack.packets.last, largest < nextNumber else {
            throw WireError(
                .outOfRange, at: 0, expected: "acknowledgement of a packet that was sent",
                found: ack.packets.last ?? 0)
        }
        let isNews = largestAcknowledged.map { largest > $0 } ?? true
        largestAcknowledged = max(largestAcknowledged ?? 0, largest)
        let news = ack.packets.subtracting(acknowledgedNumbers)
        let spurious = reordering.acknowledged(news, at: now)
        if spurious > 0 { path.spuriouslyLost(spurious) }
        var summary = AckSummary()
        var references: [Reference] = []
        for range in news {
            acknowledgedNumbers.insert(range)
            for packet in inFlight.remove(range) {
                summary.count += 1
                summary.bytes += packet.bytes
                references += packet.references
                if isNews, packet.number == largest {
                    let delay = Duration.microseconds(Int64(clamping: ack.delayMicroseconds))
                    roundTrip.add(packet.sentAt.duration(to: now), delay: delay)
                    summary.newest = AckSummary.Newest(
                        sentAt: packet.sentAt, bytes: packet.bytes, wasPaced: packet.wasPaced)
                }
            }
        }
        acknowledgedNumbers.keepNewest(limits.ackRanges * 2)
        if summary.count > 0 { consecutiveTimeouts = 0 }
        let lost = takeLost(at: now)
        declareLost(lost, werePassed: true)
        summary.lost = lost.count
        countRecovered(arrival, in: &summary)
        endRound(summary, largest)
        let wasUnknown = path.bytesPerSecond == nil
        path.acknowledged(
            summary, arrival: arrival?.microseconds ?? ownArrival(ack, at: now),
            roundTrip: roundTrip, at: now)
        if wasUnknown { path.account(for: inFlight, at: now) }
        return (references, lost.flatMap { $0.references })
    }

    /// A packet that the counterpart recovered was lost all the same.
    private mutating func countRecovered(_ arrival: ArrivalFrame?, in summary: inout AckSummary) {
        guard let arrival, arrival.recoveredPackets > recoveredByCounterpart else { return }
        let recovered = Int(clamping: arrival.recoveredPackets - recoveredByCounterpart)
        recoveredByCounterpart = arrival.recoveredPackets
        let known = min(recovered, summary.count)
        // It did not cross the path, so it shows nothing of the rate. Packets of a block are about
        // equally long.
        if summary.count > 0 {
            summary.bytes = summary.bytes * (summary.count - known) / summary.count
        }
        summary.count -= known
        summary.lost += known
    }

    /// The arrival time of the largest packet, where the counterpart does not report it. It is by
    /// this side's clock, and the way back is included.
    private func ownArrival(_ ack: AckFrame, at now: Instant) -> UInt64 {
        let moment = now.nanoseconds / 1000
        return moment - min(moment, ack.delayMicroseconds)
    }

    /// A path that loses much more at once than usual is given more than it can take.
    private mutating func endRound(_ summary: AckSummary, _ largest: UInt64) {
        round.lost += summary.lost
        round.arrived += summary.count
        guard largest >= round.end else { return }
        let isMuch = round.lost >= 5 && round.lost * 5 > round.lost + round.arrived
        if isMuch { path.overloaded(inFlightBytes: inFlight.bytes) }
        round = (nextNumber, 0, 0)
    }

    /// Declares packets lost whose time is over, and gives the references they carried. Where
    /// a probe time-out has passed, these are the oldest two in flight: their frames probe the
    /// path, and the acknowledgement shows the fate of the rest (RFC 9002, 6.2).
    mutating func expire(at now: Instant) -> [Reference] {
        guard let deadline = lossDeadline, deadline <= now else { return [] }
        var lost = takeLost(at: now)
        let werePassed = !lost.isEmpty
        if !werePassed {
            consecutiveTimeouts += 1
            lastTimeoutAt = now
            lost = inFlight.removeFirst(2)
            if consecutiveTimeouts >= 2 { path.invalidate() }
        }
        // Losses during an outage are no measure of the path's loss rate.
        let areCounted = werePassed || consecutiveTimeouts == 1
        declareLost(lost, werePassed: werePassed, areCounted: areCounted)
        if areCounted { path.lost(lost.count) }
        return lost.flatMap { $0.references }
    }

    /// The longest probe time-out after repeated ones, unless the first is longer.
    private static var longestTimeout: Duration { .seconds(2) }
}
