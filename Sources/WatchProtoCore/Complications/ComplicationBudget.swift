/// The number of times a day that a complication may wake the watch. A transfer is spent only
/// while the counterpart is not reachable. An update beyond the budget still leaves with the next
/// session.
///
/// The budget renews at local midnight. A change of the zone moves the midnight and renews nothing;
/// neither does a clock that is set back.
package struct ComplicationBudget: Sendable {
    private let perDay: Int
    private var zoneOffsetMinutes: Int16
    /// The local midnight at which the budget renews.
    private(set) var renewsAt: WallTime
    /// Transfers that are left.
    package private(set) var remaining: Int

    /// Begins the local day of `clock` with all of its `perDay` transfers.
    package init(perDay: Int, clock: WallClock) {
        self.perDay = max(0, perDay)
        remaining = self.perDay
        zoneOffsetMinutes = clock.zoneOffsetMinutes
        renewsAt = Self.nextMidnight(clock)
    }

    /// Takes a reading of the clock; says whether the budget renewed. Call it when the clock was
    /// set, when the zone changed, and at ``deadline(clock:readAt:)``.
    package mutating func clockChanged(_ clock: WallClock) -> Bool {
        let renews = clock.time >= renewsAt
        let (wait, overflow) =
            renewsAt.milliseconds.subtractingReportingOverflow(clock.time.milliseconds)
        // More than two days ahead: the former reading was wrong.
        let wasWrong = overflow || wait > 2 * Self.dayMilliseconds
        if renews || wasWrong || clock.zoneOffsetMinutes != zoneOffsetMinutes {
            renewsAt = Self.nextMidnight(clock)
            zoneOffsetMinutes = clock.zoneOffsetMinutes
        }
        if renews { remaining = perDay }
        return renews
    }

    /// When the budget renews on the monotonic clock, where the wall clock showed `clock` at the
    /// moment `readAt`.
    package func deadline(clock: WallClock, readAt: Instant) -> Instant {
        let (wait, overflow) =
            renewsAt.milliseconds.subtractingReportingOverflow(clock.time.milliseconds)
        return overflow ? .distantFuture : readAt.advanced(by: .milliseconds(max(0, wait)))
    }

    /// Spends one transfer; false where none was left.
    package mutating func spend() -> Bool {
        guard remaining > 0 else { return false }
        remaining -= 1
        return true
    }

    /// The first local midnight after `clock`; the end of time where there is none.
    private static func nextMidnight(_ clock: WallClock) -> WallTime {
        let offset = Int64(clock.zoneOffsetMinutes) * 60_000
        let time = clock.time.milliseconds
        // How far into the local day the clock is, without a sum that could overflow.
        let within = (time % dayMilliseconds + offset % dayMilliseconds) % dayMilliseconds
        let rest = within < 0 ? -within : dayMilliseconds - within
        let (midnight, overflow) = time.addingReportingOverflow(rest)
        return WallTime(milliseconds: overflow ? .max : midnight)
    }

    private static let dayMilliseconds: Int64 = 86_400_000
}
