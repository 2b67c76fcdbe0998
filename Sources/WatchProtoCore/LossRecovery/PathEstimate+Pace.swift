/// Pacing: the rate and the queue on the path set the speed at which packets leave.
extension PathEstimate {
    /// Counts packets that were declared lost without an acknowledgement.
    mutating func lost(_ count: Int) { loss.add(delivered: 0, lost: count) }

    /// The recent queuing delay on the path.
    var queue: Duration { delays.queue }

    /// Takes back spurious losses.
    mutating func spuriouslyLost(_ count: Int) { loss.removeSpurious(count) }

    /// The target queuing delay. Without any queue the line would be idle between packets; with a
    /// long one urgent frames would wait.
    func queueTarget(_ roundTrip: Duration) -> Duration {
        guard let rate = bytesPerSecond else { return roundTrip / 8 }
        let packet = Double(
            packetLimit(largest: datagramBytes, least: 512, roundTrip: roundTrip))
        // A carrier with an interval, once idle, waits for its next turn.
        let packets = sendInterval > .zero ? packet * 2 : packet
        return .nanoseconds(Int64(packets * 1e9 / rate)) + roundTrip / 200
    }

    /// Probes for a higher rate where nothing queues.
    mutating func probe(
        _ queue: Duration, _ target: Duration, _ roundTrip: Duration, wasPaced: Bool,
        at now: Instant
    ) {
        guard wasPaced, queue < target / 2 else {
            if queue >= target / 2 {
                probeGain = 0
                probeSince = nil
            }
            return
        }
        guard let since = probeSince else {
            probeSince = now
            return
        }
        // A rate that the path itself showed is doubted later.
        let trips = probeGain == 0 && rate.isSpacedByPath ? Self.patientTrips : 1
        if since.duration(to: now) >= roundTrip * trips {
            probeGain = min(1, max(0.03, probeGain * 2))
            probeSince = now
        }
    }

    /// The pace as a multiple of the rate, at which few packets queue.
    func gain(roundTrip: Duration?, at now: Instant) -> Double {
        let trip = max(roundTrip ?? .zero, .milliseconds(10))
        let isTransferring = lastBulkAt.map { $0.duration(to: now) <= trip } ?? false
        let queue = presentQueue(roundTrip: roundTrip, at: now)
        // Every packet waits for the carrier's next turn unless a transfer keeps the line busy.
        let waiting = isTransferring ? queue : max(.zero, queue - sendInterval)
        let missing =
            Double((queueTarget - waiting).nanosecondsClamped)
            / Double(2 * trip.nanosecondsClamped)
        return min(1.05, max(0.75, 1 + missing)) + probeGain
    }

    /// The present queuing delay. An old measurement has left the path.
    func presentQueue(roundTrip: Duration?, at now: Instant) -> Duration {
        let trip = max(roundTrip ?? .zero, .milliseconds(10))
        let isOld = delays.lastAt.map { $0.duration(to: now) > trip * 2 } ?? true
        return isOld ? .zero : queue
    }

    /// The largest packet worth sending: it keeps the line busy no longer than urgent frames may
    /// wait.
    func packetLimit(largest: Int, least: Int, roundTrip: Duration?) -> Int {
        guard let rate = bytesPerSecond, let trip = roundTrip ?? lastRoundTrip else {
            return min(largest, max(least, Self.unknownPacketBytes))
        }
        let time = max(Double(trip.nanosecondsClamped) / 1e9 / 64, 0.000_25)
        return min(largest, max(least, Int(min(rate * time, 1e6))))
    }

    private static let patientTrips = 4
}
