/// How many times a day a complication may wake the watch. Spent only while the counterpart is not
/// reachable; an update beyond it still travels, with the next session.
public struct ComplicationBudget: Sendable {
    private let perDay: Int
    private var day: Int64
    /// Transfers left on this local day.
    public private(set) var remaining: Int

    /// Begins the local day that `clock` shows with all of its `perDay` transfers.
    public init(perDay: Int, clock: WallClock) {
        self.perDay = perDay
        day = Self.localDay(clock)
        remaining = perDay
    }

    /// Takes the clock's new reading; a new local day brings the whole budget back.
    public mutating func clockChanged(_ clock: WallClock) {
        let today = Self.localDay(clock)
        guard today != day else { return }
        day = today
        remaining = perDay
    }

    /// Spends one; false when none was left.
    public mutating func spend() -> Bool {
        guard remaining > 0 else { return false }
        remaining -= 1
        return true
    }

    private static func localDay(_ clock: WallClock) -> Int64 {
        let local = clock.time.milliseconds + Int64(clock.zoneOffsetMinutes) * 60_000
        return local >= 0 ? local / 86_400_000 : (local - 86_399_999) / 86_400_000
    }
}
