import Testing

@testable import WatchProtoCore

/// A path estimate and a simulated line: so many bytes a second, one packet after the other, with
/// the same delay in each direction.
struct MeasuredLine {
    var path: PathEstimate
    var trips = RoundTripEstimate()
    var now: Instant
    let bytesPerSecond: Double
    let way: Duration
    private var freeAt = Instant.zero

    init(
        _ path: PathEstimate = PathEstimate(), bytesPerSecond: Double, way: Duration,
        at now: Instant = .zero
    ) {
        self.path = path
        self.bytesPerSecond = bytesPerSecond
        self.way = way
        self.now = now
    }

    /// Sends packets at once and takes their acknowledgements. `queue` is the time that others in
    /// front of them take on the line; each acknowledgement reports `lost` lost packets.
    mutating func burst(
        _ count: Int, bytes: Int = 1000, behind queue: Duration = .zero, lost: Int = 0
    ) {
        var acks: [(AckSummary.Newest, arrival: Instant)] = []
        freeAt = max(freeAt, now.advanced(by: queue))
        for _ in 0..<count {
            let packet = AckSummary.Newest(sentAt: now, bytes: bytes, wasPaced: true)
            path.sent(bytes, roundTrip: trips.smoothed, at: now)
            freeAt = freeAt.advanced(by: time(of: bytes))
            acks.append((packet, freeAt.advanced(by: way)))
        }
        for (packet, arrival) in acks {
            now = arrival.advanced(by: way)
            trips.add(packet.sentAt.duration(to: now))
            var summary = AckSummary()
            summary.count = 1
            summary.bytes = packet.bytes
            summary.lost = lost
            summary.newest = packet
            path.acknowledged(
                summary, arrival: arrival.nanoseconds / 1000, roundTrip: trips, at: now)
        }
    }

    /// The times between departures of packets that leave as soon as the path lets them.
    mutating func gaps(_ count: Int, bytes: Int = 1000) -> [Double] {
        var gaps: [Double] = []
        path.sent(bytes, roundTrip: trips.smoothed, at: now)
        // An environment that wakes late makes up for it: the first gap is shorter by that.
        for place in 0...count {
            let next = path.nextDeparture(
                isUrgent: false, inFlightBytes: 0, roundTrip: trips.smoothed)
            guard let next, next > now else {
                Issue.record("the path does not say when")
                return []
            }
            if place > 0 { gaps.append(Double(now.duration(to: next).nanosecondsClamped) / 1e9) }
            now = next
            path.sent(bytes, roundTrip: trips.smoothed, at: now)
        }
        return gaps
    }

    /// Packets of these sizes in turn, each when the path lets it leave, and its acknowledgement.
    mutating func paced(_ count: Int, bytes sizes: [Int]) {
        for place in 0..<count {
            let next = path.nextDeparture(
                isUrgent: false, inFlightBytes: 0, roundTrip: trips.smoothed)
            if let next, next > now { now = next }
            burst(1, bytes: sizes[place % sizes.count])
        }
    }

    private func time(of bytes: Int) -> Duration {
        .nanoseconds(Int64(Double(bytes) * 1e9 / bytesPerSecond))
    }

    mutating func wait(_ time: Duration) { now = now.advanced(by: time) }

    func mayLeave(_ inFlightBytes: Int, isUrgent: Bool = false) -> Bool {
        path.mayLeave(
            isUrgent: isUrgent, inFlightBytes: inFlightBytes, roundTrip: trips.smoothed, at: now)
    }
}
