/// How fast packets leave: by the rate, and by what queues.
extension Path {
    /// Some packets have to queue, or the line would be idle between them; few, or what is urgent
    /// would wait.
    func queueTarget(_ roundTrip: Duration) -> Duration {
        guard let rate = bytesPerSecond else { return roundTrip / 8 }
        let packet = Double(
            packetLimit(largest: datagramBytes, least: 512, roundTrip: roundTrip))
        // Where the line, once idle, waits for its next turn, it had better not be idle.
        let packets = interval > .zero ? packet * 2 : packet
        return .nanoseconds(Int64(packets * 1e9 / rate)) + roundTrip / 200
    }

    /// Searches for a higher rate where nothing queues.
    mutating func steer(
        _ queue: Duration, _ target: Duration, _ roundTrip: Duration, isHeldBack: Bool,
        at now: Instant
    ) {
        guard isHeldBack, queue < target / 2 else {
            if queue >= target / 2 {
                search = 0
                searchSince = nil
            }
            return
        }
        // The path seems to carry more.
        guard let since = searchSince else {
            searchSince = now
            return
        }
        // What was spaced by the path itself is known; what was only sent is not.
        let trips = search == 0 && rate.isShown ? Self.patientTrips : 1
        if since.duration(to: now) >= roundTrip * trips {
            search = min(1, max(0.03, search * 2))
            searchSince = now
        }
    }

    /// By how much more, or less, than the rate is sent: so much that few packets queue.
    func gain(roundTrip: Duration?, at now: Instant) -> Double {
        let trip = max(roundTrip ?? .zero, .milliseconds(10))
        let isTransferring = lastBulkAt.map { $0.duration(to: now) <= trip } ?? false
        let queue = presentQueue(roundTrip: roundTrip, at: now)
        // Before its next turn every packet waits, unless a transfer keeps the line busy.
        let waiting = isTransferring ? queue : max(.zero, queue - interval)
        let missing =
            Double((target - waiting).nanosecondsClamped) / Double(2 * trip.nanosecondsClamped)
        return min(1.05, max(0.75, 1 + missing)) + search
    }

    /// How long packets wait now: what was measured long ago has left the path since.
    func presentQueue(roundTrip: Duration?, at now: Instant) -> Duration {
        let trip = max(roundTrip ?? .zero, .milliseconds(10))
        let isOld = transits.lastAt.map { $0.duration(to: now) > trip * 2 } ?? true
        return isOld ? .zero : queue
    }

    /// The largest packet worth sending: one that keeps the line busy for no longer than what is
    /// urgent can wait for it.
    func packetLimit(largest: Int, least: Int, roundTrip: Duration?) -> Int {
        guard let rate = bytesPerSecond, let trip = roundTrip ?? lastRoundTrip else {
            return min(largest, max(least, Self.unknownPacketBytes))
        }
        let time = max(Double(trip.nanosecondsClamped) / 1e9 / 64, 0.000_25)
        return min(largest, max(least, Int(min(rate * time, 1e6))))
    }

    private static let patientTrips = 4
}
