/// How long packets are under way, by two clocks that do not agree: only differences mean
/// something.
///
/// A long packet takes longer to pass without having waited, so that what it takes at the measured
/// rate is left out. Where that rate is too low this makes short packets seem late; where the
/// difference is not left out, long ones do. What both say is true.
struct TransitTimes: Sendable {
    private var whole = Delays()
    private var waiting = Delays()

    /// When one was last noted.
    var lastAt: Instant? { whole.lastAt }

    /// How long packets queue.
    var queue: Duration { min(whole.queue, waiting.queue) }

    /// Notes that a packet was under way for so long, by clocks that do not agree, `passing` of
    /// which it takes at the measured rate; those within `span` of it count as the latest.
    mutating func note(
        _ microseconds: Int64, passing: Int64, over span: Duration, at now: Instant
    ) {
        whole.note(microseconds, over: span, at: now)
        waiting.note(microseconds - passing, over: span, at: now)
    }
}

/// The shortest delays of late and of all, which differ by what packets wait.
private struct Delays: Sendable {
    /// The shortest of each of the last spans.
    private var least: [(microseconds: Int64, since: Instant)] = []
    /// The latest ones.
    private var latest: [(microseconds: Int64, at: Instant)] = []

    var lastAt: Instant? { latest.last?.at }

    /// By how much the shortest of the latest is above the shortest of all: how long packets queue.
    var queue: Duration {
        guard let least = least.map(\.microseconds).min(),
            let latest = latest.map(\.microseconds).min()
        else { return .zero }
        return .microseconds(max(0, latest - least))
    }

    mutating func note(_ microseconds: Int64, over span: Duration, at now: Instant) {
        least.removeAll { $0.since.duration(to: now) > Self.memory }
        if let last = least.last, last.since.duration(to: now) < Self.memory / 4 {
            least[least.count - 1].microseconds = min(last.microseconds, microseconds)
        } else {
            least.append((microseconds, now))
        }
        latest.append((microseconds, now))
        let first = latest.partitioningIndex { $0.at.duration(to: now) <= span }
        latest.removeFirst(max(first, latest.count - Self.latestLimit))
    }

    /// How long the shortest is remembered: a path may change.
    private static let memory: Duration = .seconds(10)
    private static let latestLimit = 64
}
