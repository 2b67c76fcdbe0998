internal import WatchProtoCore

/// Decides whether the driver's thread polls for a moment before it sleeps.
///
/// It costs tens of microseconds to wake a thread. If an answer is likely soon, the thread polls
/// for as long as a sleeping counterpart takes to wake and answer. If two sides polled for less,
/// each would find the other asleep. The last arrivals show whether an answer is likely. After each
/// poll in vain, more quick answers in a row are needed before the next poll. A link of rare or
/// slow records therefore sleeps.
struct BusyPoll {
    /// The longest poll; 0 for never.
    private let limitNanoseconds: UInt64
    /// Quick arrivals in a row: of bytes, or of requests from another thread, such as an answer of
    /// the journal.
    private var quickArrivals = 0
    /// How many quick arrivals the next poll needs.
    private var neededArrivals = Self.fewest

    /// An arrival is quick within this many times the limit after the sleep began. Most of that
    /// time is the wake-up of both sides.
    private static let quickness: UInt64 = 2
    private static let fewest = 2
    private static let most = 4096

    init(limit: Duration) { limitNanoseconds = Instant.zero.advanced(by: limit).nanoseconds }

    /// How long to poll now; nil to sleep at once.
    var lookNanoseconds: UInt64? {
        limitNanoseconds > 0 && quickArrivals >= neededArrivals ? limitNanoseconds : nil
    }

    /// Records the end of a poll.
    mutating func looked(hasFound: Bool) {
        guard !hasFound else {
            neededArrivals = Self.fewest
            return
        }
        quickArrivals = 0
        neededArrivals = min(neededArrivals * 2, Self.most)
    }

    /// Records the end of a sleep, with or without an arrival.
    mutating func slept(nanoseconds: UInt64, hasArrival: Bool) {
        let isQuick = hasArrival && nanoseconds <= limitNanoseconds * Self.quickness
        quickArrivals = isQuick ? min(quickArrivals + 1, Self.most) : 0
    }
}
