/// The wait before a carrier is opened again.
///
/// After a session of use the first attempt is immediate. Then the wait is `first`, doubling up to
/// `longest`, each shortened by up to a quarter at random so that two sides do not march in step.
/// After an opening that failed no attempt is immediate: it would fail again. In the background
/// each wait is four times as long.
package struct ReopenBackoff: Hashable, Sendable {
    private let first: Duration
    private let longest: Duration
    private var failures = 0
    /// Whether the application is in the foreground.
    package var isForeground = true

    /// Starts with `first` after a failure and never waits longer than `longest`.
    package init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// A session was of use: the next attempt is immediate.
    package mutating func succeeded() { failures = 0 }

    /// A carrier could not be opened.
    package mutating func openingFailed() { failures = max(failures, 1) }

    /// The wait before the next attempt, shortened by up to a quarter with these random bits.
    package mutating func nextWait(random: UInt64) -> Duration {
        defer { failures += 1 }
        guard failures > 0 else { return .zero }
        let usual = min(first * (1 << min(failures - 1, 16)), longest)
        let full = isForeground ? usual : usual * 4
        return full - full / 4 * (Double(random >> 11) * 0x1p-53)
    }
}
