/// The one-way delays of packets, by two clocks that do not agree: only differences mean something.
///
/// A long packet takes longer on the line without having queued. So delays are kept twice, with and
/// without the packet's own time at the measured rate. Where the rate is estimated too low, the
/// second makes short packets seem late; the first makes long packets seem late. The shorter queue
/// of the two counts.
struct OneWayDelays: Sendable {
    private var whole = RecentMinimum()
    private var waiting = RecentMinimum()

    /// When the last delay was added.
    var lastAt: Instant? { whole.lastAt }

    /// The queuing delay of packets.
    var queue: Duration { min(whole.queue, waiting.queue) }

    /// Adds the delay of a packet in microseconds, by clocks that do not agree. `serialization` is
    /// its time on the line at the measured rate; delays within `span` count as recent.
    mutating func add(
        _ microseconds: Int64, serialization: Int64, over span: Duration, at now: Instant
    ) {
        whole.add(microseconds, over: span, at: now)
        waiting.add(microseconds - serialization, over: span, at: now)
    }
}

/// The shortest of the recent delays, and the shortest of the last ten seconds.
struct RecentMinimum: Sendable {
    /// The shortest delay of each of the last spans.
    private var minima: [(microseconds: Int64, since: Instant)] = []
    /// The recent delays.
    private var recent: [(microseconds: Int64, at: Instant)] = []

    var lastAt: Instant? { recent.last?.at }

    /// The shortest delay of the last ten seconds; nil before the first delay.
    var least: Duration? { minima.map { $0.microseconds }.min().map { .microseconds($0) } }

    /// By how much the shortest recent delay exceeds the shortest of all.
    var queue: Duration {
        guard let least, let latest = recent.map({ $0.microseconds }).min() else { return .zero }
        return max(.zero, .microseconds(latest) - least)
    }

    /// Adds a delay in microseconds. Delays within `span` count as recent.
    mutating func add(_ microseconds: Int64, over span: Duration, at now: Instant) {
        minima.removeAll { $0.since.duration(to: now) > Self.memory }
        if let last = minima.last, last.since.duration(to: now) < Self.memory / 4 {
            minima[minima.count - 1].microseconds = min(last.microseconds, microseconds)
        } else {
            minima.append((microseconds, now))
        }
        recent.append((microseconds, now))
        let first = recent.partitioningIndex { $0.at.duration(to: now) <= span }
        recent.removeFirst(max(first, recent.count - Self.recentLimit))
    }

    /// The time for which the shortest delay is remembered: a path may change.
    private static let memory: Duration = .seconds(10)
    private static let recentLimit = 64
}
