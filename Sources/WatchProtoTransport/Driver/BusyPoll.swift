internal import WatchProtoCore

/// Whether the driver's thread looks again for a moment before it sleeps.
///
/// To be woken costs tens of microseconds. Whoever is likely to be answered soon looks instead, for
/// as long as a counterpart that sleeps takes to wake and answer: two that both looked for less
/// would each find the other asleep. Whether it is likely is told by what came last; after looks
/// in vain it takes ever more quick answers in a row until it looks again, so that a link of rare
/// records, or of slow ones, sleeps.
struct BusyPoll {
    /// The longest it looks; 0 for never.
    private let limitNanoseconds: UInt64
    /// Quick arrivals in a row: of bytes, or of what another thread asks, such as an answer of the
    /// journal.
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

    /// A sleep has ended, because something had arrived or not.
    mutating func slept(nanoseconds: UInt64, hasArrival: Bool) {
        let isQuick = hasArrival && nanoseconds <= limitNanoseconds * Self.quickness
        quickArrivals = isQuick ? min(quickArrivals + 1, Self.most) : 0
    }
}
