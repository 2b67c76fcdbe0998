/// A bucket of two tokens. One more comes each quarter of the smoothed round-trip time, within
/// bounds.
struct TokenBucket: Hashable, Sendable {
    private var bounds: ClosedRange<Duration>
    private var roundTrip: Duration
    /// The time between two tokens.
    private var interval: Duration
    /// When the bucket is full again.
    private var fullAt: Instant = .zero

    /// Makes a full bucket.
    ///
    /// - Parameters:
    ///   - bounds: the shortest and the longest time between two tokens.
    ///   - roundTrip: the round-trip time until one is measured.
    init(_ bounds: ClosedRange<Duration>, roundTrip: Duration) {
        self.bounds = bounds
        self.roundTrip = roundTrip
        interval = min(max(roundTrip / 4, bounds.lowerBound), bounds.upperBound)
    }

    /// Whether a token is in the bucket.
    func hasToken(at now: Instant) -> Bool { now.duration(to: fullAt) <= interval }

    /// When a token is in the bucket; the moment may have passed.
    var nextToken: Instant { fullAt.advanced(by: .zero - interval) }

    /// Takes a token. If there is none, the next one comes after a whole interval.
    mutating func spend(at now: Instant) {
        let next = max(fullAt, now).advanced(by: interval)
        fullAt = min(next, now.advanced(by: interval * 2))
    }

    /// Adapts to the smoothed round-trip time.
    mutating func setRoundTrip(_ roundTrip: Duration, at now: Instant) {
        self.roundTrip = roundTrip
        adapt(at: now)
    }

    /// Sets the shortest and the longest time between two tokens.
    mutating func setBounds(_ bounds: ClosedRange<Duration>, at now: Instant) {
        self.bounds = bounds
        adapt(at: now)
    }

    /// The same part of a token is missing as before.
    private mutating func adapt(at now: Instant) {
        let next = min(max(roundTrip / 4, bounds.lowerBound), bounds.upperBound)
        guard next != interval else { return }
        let missing = now.duration(to: fullAt)
        if missing > .zero, interval > .zero {
            let share = Double(missing.nanosecondsClamped) / Double(interval.nanosecondsClamped)
            let rest = share * Double(next.nanosecondsClamped)
            fullAt = now.advanced(by: .nanoseconds(Int64(rest)))
        }
        interval = next
    }
}
