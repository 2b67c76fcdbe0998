internal import WatchProtoCore

/// Decides when a failed journal is opened again: after a quarter of a second, and then after waits
/// that double up to half a minute. The waits begin anew once the journal has stayed open for as
/// long.
struct JournalRetry {
    private(set) var nextAt: Instant?
    private var wait = Self.first
    private var openedAt: Instant?

    private static var first: Duration { .milliseconds(250) }
    private static var longest: Duration { .seconds(30) }

    /// Records that a batch failed, or that the journal could not be opened.
    ///
    /// - Parameter isOpen: whether the journal itself has not failed. Then there is nothing to wait
    ///   for.
    mutating func failed(at now: Instant, isOpen: Bool = false) {
        guard nextAt == nil else { return }
        if isOpen {
            nextAt = now
            return
        }
        if let openedAt, openedAt.duration(to: now) >= Self.longest { wait = Self.first }
        nextAt = now.advanced(by: wait)
        wait = min(wait * 2, Self.longest)
    }

    /// Begins an attempt.
    ///
    /// - Returns: false if none is due.
    mutating func begin(at now: Instant) -> Bool {
        guard let nextAt, nextAt <= now else { return false }
        self.nextAt = nil
        return true
    }

    /// Records that the journal is open.
    mutating func succeeded(at now: Instant) { openedAt = now }
}
