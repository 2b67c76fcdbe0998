/// The smoothed round-trip time and its variation (RFC 9002, section 5.3).
struct RoundTripEstimate: Sendable {
    /// The shortest sample of the session; nil before the first.
    private(set) var least: Duration?
    /// The latest sample; nil before the first.
    private(set) var latest: Duration?
    /// The smoothed round-trip time; nil before the first sample.
    private(set) var smoothed: Duration?
    /// The mean deviation from it.
    private(set) var variation: Duration = .zero

    /// Adds a sample, of which the counterpart delayed its answer by `delay` on purpose. A sample
    /// that is not positive is ignored.
    mutating func add(_ sample: Duration, delay: Duration = .zero) {
        guard sample > .zero else { return }
        latest = sample
        let least = min(self.least ?? sample, sample)
        self.least = least
        guard let smoothed else {
            self.smoothed = sample
            variation = sample / 2
            return
        }
        let adjusted = sample >= least + delay ? sample - delay : sample
        let deviation = smoothed > adjusted ? smoothed - adjusted : adjusted - smoothed
        variation = (variation * 3 + deviation) / 4
        self.smoothed = (smoothed * 7 + adjusted) / 8
    }

    /// The probe time-out: the wait for an answer after which its absence means something (RFC
    /// 9002, section 6.2.1). `initial` is the wait before there is a sample; the longest delay of
    /// an acknowledgement counts once there is one.
    func timeout(
        initial: Duration, interval: Duration, ackDelay: Duration
    ) -> Duration {
        guard let smoothed else { return initial + interval * 2 }
        return smoothed + max(variation * 4, .milliseconds(1)) + interval * 2 + ackDelay
    }
}
