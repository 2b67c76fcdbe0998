import Testing

@testable import WatchProtoCore

/// The daily budget of complication transfers, and its renewal.
@Suite struct ComplicationBudgetTests {
    private static let hour: Int64 = 3_600_000

    private static func clock(_ hours: Int64, zone: Int16 = 0) -> WallClock {
        WallClock(time: WallTime(milliseconds: hours * hour), zoneOffsetMinutes: zone)
    }

    /// A budget of two, both spent at ten o'clock.
    private static func spent(zone: Int16 = 0) -> ComplicationBudget {
        var budget = ComplicationBudget(perDay: 2, clock: clock(10, zone: zone))
        let spends = (0..<3).map { _ in budget.spend() }
        #expect(spends == [true, true, false] && budget.remaining == 0)
        return budget
    }

    @Test("The budget renews at local midnight and not before")
    func midnight() {
        var budget = Self.spent()
        let early = budget.clockChanged(Self.clock(23))
        #expect(!early && budget.remaining == 0)
        let renewed = budget.clockChanged(Self.clock(24))
        #expect(renewed && budget.remaining == 2)
        let again = budget.clockChanged(Self.clock(25))
        #expect(!again)
    }

    @Test(
        "The deadline is the next local midnight",
        arguments: [(10, 0, 14), (10, 120, 12), (10, -660, 1), (-1, 0, 1), (0, 0, 24)])
    func deadline(hours: Int64, zone: Int16, wait: Int64) {
        let clock = Self.clock(hours, zone: zone)
        var budget = ComplicationBudget(perDay: 1, clock: clock)
        let readAt = Instant(nanoseconds: 5)
        let deadline = budget.deadline(clock: clock, readAt: readAt)
        #expect(readAt.duration(to: deadline) == .seconds(wait * 3600))
        _ = budget.spend()
        let renewed = budget.clockChanged(Self.clock(hours + wait, zone: zone))
        #expect(renewed && budget.remaining == 1)
    }

    /// DOSES.md: a zone change moves the window and never refills.
    @Test("A change of the zone moves the midnight and renews nothing")
    func zone() {
        var budget = Self.spent()
        // Ten o'clock becomes one o'clock of the next day.
        let moved = budget.clockChanged(Self.clock(10, zone: 15 * 60))
        #expect(!moved && budget.remaining == 0)
        let early = budget.clockChanged(Self.clock(32, zone: 15 * 60))
        #expect(!early)
        let renewed = budget.clockChanged(Self.clock(33, zone: 15 * 60))
        #expect(renewed)
    }

    @Test("A clock that is set back renews nothing")
    func setBack() {
        var budget = Self.spent()
        for hours in [Int64(9), -20, 10] {
            let renewed = budget.clockChanged(Self.clock(hours))
            #expect(!renewed && budget.remaining == 0, "\(hours)")
        }
        // From an hour past midnight back over it: the same midnight renews nothing twice.
        budget = Self.spent()
        _ = budget.clockChanged(Self.clock(25))
        _ = budget.spend()
        _ = budget.clockChanged(Self.clock(23))
        let twice = budget.clockChanged(Self.clock(24))
        #expect(!twice && budget.remaining == 1)
    }

    @Test("A clock that was years ahead delays the renewal by a day at most")
    func wrongClock() {
        var budget = Self.spent()
        _ = budget.clockChanged(Self.clock(24 * 3650))
        _ = budget.spend()
        _ = budget.clockChanged(Self.clock(11))
        let renewed = budget.clockChanged(Self.clock(24))
        #expect(renewed)
    }

    @Test("Extreme clocks trap nowhere", arguments: [Int64.min, -1, 0, 1, .max])
    func extremes(milliseconds: Int64) {
        for zone in [Int16.min, 0, .max] {
            let clock = WallClock(
                time: WallTime(milliseconds: milliseconds), zoneOffsetMinutes: zone)
            var budget = ComplicationBudget(perDay: -5, clock: clock)
            let isSpent = budget.spend()
            #expect(!isSpent)
            for other in [Int64.min, 0, .max] {
                let clock = WallClock(time: WallTime(milliseconds: other), zoneOffsetMinutes: zone)
                _ = budget.clockChanged(clock)
                _ = budget.deadline(clock: clock, readAt: Instant(nanoseconds: .max))
            }
        }
    }
}
