internal import WatchProtoCore

/// When a journal that failed is opened again: after a quarter of a second, and then after ever
/// longer waits up to half a minute. The waits begin anew once it has stayed open for as long.
struct JournalRetry {
    private(set) var nextAt: Instant?
    private var wait = Self.first
    private var openedAt: Instant?

    private static var first: Duration { .milliseconds(250) }
    private static var longest: Duration { .seconds(30) }

    /// A batch failed, or the journal could not be opened.
    mutating func failed(at now: Instant) {
        guard nextAt == nil else { return }
        if let openedAt, openedAt.duration(to: now) >= Self.longest { wait = Self.first }
        nextAt = now.advanced(by: wait)
        wait = min(wait * 2, Self.longest)
    }

    /// Another attempt begins.
    ///
    /// - Returns: false where none is due.
    mutating func begin(at now: Instant) -> Bool {
        guard let nextAt, nextAt <= now else { return false }
        self.nextAt = nil
        return true
    }

    /// The journal is open.
    mutating func succeeded(at now: Instant) { openedAt = now }
}
