internal import WatchProto

/// Whether the driver's thread looks again for a moment before it sleeps.
///
/// To be woken costs tens of microseconds on most machines, more than an answer takes. So whoever
/// is likely to be answered within that time looks for as long as a wake-up would cost, and sleeps
/// only then: at worst it pays twice what the better choice would have cost (Karlin, Manasse,
/// McGeoch and Owicki, "Competitive Randomized Algorithms for Nonuniform Problems", 1994). Whether
/// it is likely is told by what came last: after looks in vain it takes ever more quick answers in
/// a row until it looks again, so that a link of rare records, or of slow ones, always sleeps.
struct BusyPoll {
    /// The longest it looks; 0 for never.
    private let limitNanoseconds: UInt64
    /// Quick arrivals in a row.
    private var quickArrivals = 0
    /// How many of them it takes to look.
    private var neededArrivals = Self.fewest

    /// An answer that came within so many times the limit of a sleep's beginning was quick: most
    /// of that was the two sides' waking up.
    private static let quickness: UInt64 = 2
    private static let fewest = 2
    private static let most = 4096

    init(limit: Duration) { limitNanoseconds = Instant.zero.advanced(by: limit).nanoseconds }

    /// How long to look now; nil to sleep at once.
    var lookNanoseconds: UInt64? {
        limitNanoseconds > 0 && quickArrivals >= neededArrivals ? limitNanoseconds : nil
    }

    /// A look has ended.
    mutating func looked(hasFound: Bool) {
        guard !hasFound else {
            neededArrivals = Self.fewest
            return
        }
        quickArrivals = 0
        neededArrivals = min(neededArrivals * 2, Self.most)
    }

    /// A sleep has ended, with bytes that had arrived or not.
    mutating func slept(nanoseconds: UInt64, hasArrival: Bool) {
        let isQuick = hasArrival && nanoseconds <= limitNanoseconds * Self.quickness
        quickArrivals = isQuick ? min(quickArrivals + 1, Self.most) : 0
    }
}
