/// How long packets are under way, by two clocks that do not agree: only differences mean
/// something.
struct TransitTimes: Sendable {
    /// The shortest of each of the last spans.
    private var least: [(microseconds: Int64, since: Instant)] = []
    /// The latest ones.
    private var latest: [(microseconds: Int64, at: Instant)] = []

    /// When one was last noted.
    var lastAt: Instant? { latest.last?.at }

    /// By how much the shortest of the latest is above the shortest of all: how long packets queue.
    var queue: Duration {
        guard let least = least.map(\.microseconds).min(),
            let latest = latest.map(\.microseconds).min()
        else { return .zero }
        return .microseconds(max(0, latest - least))
    }

    /// Notes one; those within `span` of it count as the latest.
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
