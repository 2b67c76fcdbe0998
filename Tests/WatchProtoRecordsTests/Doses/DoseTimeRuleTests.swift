import Testing
import WatchProtoCore
import WatchProtoRecords

/// The rules for doses that need a clock, a schedule or a time zone.
@Suite struct DoseTimeRuleTests {
    private typealias Phase = DoseDisplay.Phase

    private func after(_ minutes: Int) -> WallMinute {
        WallMinute(minutes: Doses.due.minutes + Int32(minutes))
    }

    /// The display of a slot that is due at 08:00 and again 12 hours later.
    private func shown(
        _ events: [DoseEvent] = [], at minutes: Int, checked: Int? = 10_000, next: Int? = 720,
        added: Int? = nil
    ) -> DoseDisplay {
        DoseDisplay(
            DoseSlotState(of: Doses.slot, events),
            DoseTiming(due: Doses.due, next: next.map(after), added: added.map(after)),
            now: after(minutes), checked: checked.map(after))
    }

    @Test func `Rule 12: a device that has not compared since the dose fell due says so`() {
        var doses = Doses()
        #expect(shown(at: 5, checked: -1).isUnchecked)
        #expect(shown(at: 5, checked: nil).isUnchecked)
        #expect(shown(at: 500, checked: -1).isUnchecked, "nor is it plainly not logged")
        #expect(!shown(at: 5, checked: 0).isUnchecked)
        #expect(shown(at: 5, checked: 6).isUnchecked, "the clock was set back since the check")
        #expect(!shown(at: -5, checked: nil).isUnchecked, "it is not due yet")
        let snooze = doses.record(.snoozed(until: after(60)))
        #expect(shown([snooze], at: 30, checked: nil).isUnchecked)
        #expect(!shown([snooze], at: -1, checked: nil).isUnchecked)
        #expect(!shown([doses.record(.taken)], at: 30, checked: nil).isUnchecked)
        let undone = doses.record(.taken)
        let undo = doses.act(.withdraw, [undone])
        #expect(shown([undone, undo], at: 30, checked: -1).isUnchecked)
    }

    @Test func `Rule 14: a floating time follows the wearer, a fixed one does not`() throws {
        let cet = ZoneOffset(clamping: 60)
        let east = ZoneOffset(clamping: 540)
        let dose = Doses.planned
        let home = ZoneTimeline(cet)
        #expect(home.due(dose).minute == after(-60))
        let trip = ZoneTimeline(cet, [.init(at: after(-2000), east)])
        #expect(trip.due(dose).minute == after(-540))
        #expect(trip.timeline(for: .fixed(cet)).due(dose).minute == after(-60))
        #expect(trip.timeline(for: .absolute).due(dose).minute == Doses.due)
        #expect(trip.timeline(for: .floating) == trip)
        #expect(!trip.due(dose).isMoved && !trip.due(dose).isDateSkipped)
    }

    @Test func `Rule 14: a time that daylight saving skips is due at the next instant`() throws {
        // At 02:00 the local clock jumps to 03:00.
        let change = WallMinute(minutes: Int32(Doses.day) * 1440 + 60)
        let zone = ZoneTimeline(
            ZoneOffset(clamping: 60), [.init(at: change, ZoneOffset(clamping: 120))])
        for minute in [120, 150, 179] {
            let due = zone.due(try #require(PlannedDose(day: Doses.day, minute: minute)))
            #expect(due.minute == change && due.isMoved && !due.isDateSkipped)
        }
        for (minute, utc) in [(119, 59), (180, 60), (480, 360)] {
            let due = zone.due(try #require(PlannedDose(day: Doses.day, minute: minute)))
            #expect(Int(due.minute.minutes) == Int(Doses.day) * 1440 + utc && !due.isMoved)
        }
    }

    @Test func `Rule 14: a time that daylight saving doubles is due the first time`() throws {
        // At 03:00 the local clock jumps back to 02:00.
        let change = WallMinute(minutes: Int32(Doses.day) * 1440 + 60)
        let zone = ZoneTimeline(
            ZoneOffset(clamping: 120), [.init(at: change, ZoneOffset(clamping: 60))])
        for (minute, utc) in [(119, -1), (120, 0), (179, 59), (180, 120)] {
            let due = zone.due(try #require(PlannedDose(day: Doses.day, minute: minute)))
            #expect(Int(due.minute.minutes) == Int(Doses.day) * 1440 + utc && !due.isMoved)
        }
    }

    @Test func `Rule 14: a repeated date reopens nothing, and a skipped one says so`() throws {
        var doses = Doses()
        // Across the date line to the east: the whole local date occurs once more.
        let noon = WallMinute(minutes: Int32(Doses.day) * 1440 + 720)
        let back = ZoneTimeline(
            ZoneOffset(clamping: 720), [.init(at: noon, ZoneOffset(clamping: -660))])
        #expect(back.day(at: after(0)) == Int(Doses.day))
        #expect(back.day(at: noon) == Int(Doses.day))
        let slot = DoseSlotState(of: Doses.slot, [doses.record(.taken)])
        #expect(slot.isClosed, "the slot is the date, whichever time it occurs")
        #expect(back.due(Doses.planned).minute == after(-720), "the first time")
        // Across the date line to the west: the clock jumps over a whole date.
        let midnight = WallMinute(minutes: Int32(Doses.day) * 1440 + 600)
        let forth = ZoneTimeline(
            ZoneOffset(clamping: -600), [.init(at: midnight, ZoneOffset(clamping: 840))])
        let skipped = forth.due(Doses.planned)
        #expect(skipped.isDateSkipped && skipped.isMoved && skipped.minute == midnight)
        let next = try #require(PlannedDose(day: Doses.day + 1, minute: 480))
        #expect(!forth.due(next).isDateSkipped && !forth.due(next).isMoved)
    }

    /// A due time by its definition: the local clock shows the minute or a later one for the first
    /// time.
    @Test func `Rule 14: due times follow their definition in random zones`() throws {
        var samples = RecordSamples(seed: 16)
        let start = Int(Doses.day) * 1440
        for _ in 0..<200 {
            func offset() -> ZoneOffset { ZoneOffset(clamping: samples.below(2161) - 1080) }
            let changes = (0..<samples.below(4)).map { _ in
                ZoneTimeline.Change(
                    at: WallMinute(minutes: Int32(start + samples.below(4320) - 1440)), offset())
            }
            let zone = ZoneTimeline(offset(), changes)
            let dose = try #require(
                PlannedDose(day: Doses.day, minute: samples.below(1440)))
            let wanted = (start - 3000...start + 6000).first { minute in
                let wall = WallMinute(minutes: Int32(minute))
                let local =
                    minute
                    + Int(
                        (zone.changes.last { $0.at <= wall }?.offset ?? zone.first).minutes)
                return local >= start + Int(dose.minute)
            }
            #expect(zone.due(dose).minute.minutes == wanted.map { Int32($0) })
        }
    }

    @Test func `Rule 15: midnight closes nothing, and half-way to the next slot does`() {
        #expect(shown(at: -1).phase == Phase.upcoming)
        #expect(shown(at: 0).phase == Phase.due)
        #expect(shown(at: 29).phase == Phase.due)
        #expect(shown(at: 30).phase == Phase.overdue)
        #expect(shown(at: 359).phase == Phase.overdue)
        #expect(shown(at: 360).phase == Phase.notLogged)
        // One dose a day at 22:00: it is overdue past midnight, for 12 hours at most.
        #expect(shown(at: 719, next: 1440).phase == Phase.overdue)
        #expect(shown(at: 720, next: 1440).phase == Phase.notLogged)
        #expect(shown(at: 719, next: nil).phase == Phase.overdue)
        #expect(shown(at: 720, next: nil).phase == Phase.notLogged)
        // Next slots that are very near.
        #expect(shown(at: 4, next: 10).phase == Phase.due)
        #expect(shown(at: 5, next: 10).phase == Phase.notLogged)
        // The end of each phase is named.
        for (minutes, until) in [(-1, 0), (0, 30), (30, 360)] {
            #expect(shown(at: minutes).until == after(until))
        }
        #expect(shown(at: 360).until == nil)
    }

    @Test func `Rule 15: entries are offered for seven days`() {
        var doses = Doses()
        let timing = DoseTiming(due: Doses.due)
        #expect(timing.offersEntry(at: after(7 * 1440)))
        #expect(!timing.offersEntry(at: after(7 * 1440 + 1)))
        let late = doses.record(.taken(nil, at: Doses.due), at: Doses.time(5 * 1440))
        #expect(shown([late], at: 5 * 1440).phase == Phase.taken)
        #expect(late.moment == Doses.due.wallTime)
    }

    @Test func `Rule 15: an entry added after its hour is not due today`() {
        var doses = Doses()
        #expect(shown(at: 60, added: 30).phase == Phase.notDue)
        #expect(shown(at: 60, added: 0).phase == Phase.overdue)
        #expect(!shown(at: 60, checked: nil, added: 30).isUnchecked)
        #expect(shown([doses.record(.taken)], at: 60, added: 30).phase == Phase.taken)
    }

    @Test func `Rule 15: a snoozed dose is due anew at the end of the snooze`() {
        var doses = Doses()
        let snooze = doses.record(.snoozed(until: after(400)))
        #expect(shown([snooze], at: 399).phase == Phase.snoozed(after(400)))
        #expect(shown([snooze], at: 399).until == after(400))
        #expect(shown([snooze], at: 400).phase == Phase.due)
        #expect(shown([snooze], at: 429).phase == Phase.due)
        #expect(shown([snooze], at: 430).phase == Phase.notLogged)
        let short = doses.record(.snoozed(until: after(10)))
        #expect(shown([short], at: 39).phase == Phase.due)
        #expect(shown([short], at: 40).phase == Phase.overdue)
        #expect(shown([short], at: 360).phase == Phase.notLogged)
    }

    @Test func `Rule 16: a dose closed or snoozed silences every device alike`() {
        var doses = Doses()
        let timing = DoseTiming(due: Doses.due)
        func reminder(_ events: [DoseEvent]) -> WallMinute? {
            DoseDisplay.reminder(
                DoseSlotState(of: Doses.slot, events), timing, at: Doses.due)
        }
        let snooze = doses.record(.snoozed(until: after(45)))
        let taken = doses.record(.taken)
        let skipped = doses.record(.skipped)
        #expect(reminder([]) == Doses.due)
        #expect(reminder([snooze]) == after(45))
        for events in [[taken], [skipped], [taken, skipped], [snooze, taken]] {
            #expect(reminder(events) == nil)
        }
        #expect(reminder([taken, doses.act(.withdraw, [taken])]) == Doses.due)
        let added = DoseTiming(due: Doses.due, added: after(1))
        let open = DoseSlotState(of: Doses.slot, [])
        #expect(DoseDisplay.reminder(open, added, at: after(1)) == nil)
        #expect(
            DoseDisplay.reminder(open, DoseTiming(due: Doses.due, added: after(9000)), at: after(1))
                == Doses.due, "the clock was set back since")
        #expect(shown([taken, skipped], at: 60).phase == Phase.conflicting)
    }

    @Test func `Rule 16: limits of doses taken as needed warn, and every record counts`() {
        var doses = Doses()
        let limits = AsNeededLimits(minimumInterval: 240, maximumPerDay: 3)
        let taken = [0, 300, 600].map { doses.record(.taken, nil, at: Doses.time($0)) }
        let moments = taken.map(\.moment)
        func warnings(_ minutes: Int, _ count: Int = 3) -> DoseWarnings {
            limits.warnings(at: after(minutes).wallTime, Array(moments.prefix(count)))
        }
        #expect(warnings(0, 0).dosesInDay == 1 && !warnings(0, 0).isTooSoon)
        #expect(!warnings(240, 1).isTooSoon && warnings(239, 1).isTooSoon)
        #expect(warnings(-239, 1).isTooSoon, "also a late entry")
        #expect(!warnings(900, 2).isOverMaximum && warnings(900).isOverMaximum)
        #expect(warnings(900).dosesInDay == 4)
        #expect(!warnings(1440).isOverMaximum, "the first one is a day old")
        #expect(warnings(1439).isOverMaximum)
        #expect(!warnings(-850).isOverMaximum && warnings(-800).isOverMaximum)
        let far = WallTime(milliseconds: .min)
        #expect(!limits.warnings(at: far, [WallTime(milliseconds: .max)]).isTooSoon)
        #expect(AsNeededLimits().warnings(at: far, moments).dosesInDay == 0)
        let endless = AsNeededLimits(minimumInterval: .max)
        #expect(endless.warnings(at: after(9).wallTime, moments).isTooSoon)
        let none = AsNeededLimits(minimumInterval: .min, maximumPerDay: .min)
        #expect(!none.warnings(at: after(0).wallTime, moments).isTooSoon)
        // The fourth dose is recorded and counted, whatever was warned of.
        let ledger = DoseLedger(taken + [doses.record(.taken, nil, at: Doses.time(601))])
        #expect(ledger.asNeeded(Doses.medication).count == 4)
        #expect(ledger.taken(Doses.medication).count == 4)
    }
}
