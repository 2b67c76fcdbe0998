import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// The phone's log of the doses around today.
@Suite struct DoseLogTests {
    private func dose(_ number: Int, on day: UInt16) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)), medication: MedicationID(rawValue: 1),
            planned: PlannedDose(day: day, minute: 480), status: .taken,
            time: DoseTime(WallTime(milliseconds: 0)))
    }

    private func clock(_ day: Int) -> WallClock {
        WallClock(time: WallMinute(minutes: Int32(day * 1440)).wallTime)
    }

    @Test func a_dose_of_a_far_day_neither_traps_nor_drops_the_doses_of_today() throws {
        var log = DoseLog()
        let today = dose(1, on: 2_000)
        log.hold(around: clock(2_000)) { _ in [today] }
        for number in 2...3_000 {
            log.insert(dose(number, on: UInt16(clamping: 62_540 + number)))
        }
        log.insert(dose(4_000, on: .max))
        let slot = try #require(today.slot)
        #expect(log.states[slot]?.status == .taken)
    }

    @Test(arguments: [Int(Int32.min / 1440), -3, 0, 65_535, 65_540, Int(Int32.max / 1440)])
    func no_clock_traps(_ day: Int) {
        var log = DoseLog()
        var reads = 0
        for _ in 0..<2 {
            log.hold(around: clock(day)) { _ in
                reads += 1
                return []
            }
        }
        #expect(reads == 1)
    }

    @Test func the_next_day_is_read_and_the_last_one_is_kept_as_it_was() throws {
        var log = DoseLog()
        let event = dose(1, on: 2_000)
        log.hold(around: clock(2_000)) { days in
            #expect(days == 1_995...2_374)
            return [event]
        }
        log.hold(around: clock(2_001)) { days in
            #expect(days == 1_996...2_375)
            return [event]
        }
        let slot = try #require(event.slot)
        #expect(log.states[slot]?.status == .taken)
    }

    @Test func `A dose that is taken weeks before its date is not named again`() throws {
        for days in [7, 14, 90, 366] {
            let dosing = FaceDosing(
                MedicationID(rawValue: 1), ScheduleEntries(try #require(DoseSlots(minutes: [480]))),
                course: DoseCourse(firstDay: 1_999, everyDays: UInt16(days)))
            var log = DoseLog()
            log.hold(around: clock(2_000)) { _ in [] }
            func face() -> FaceEntry {
                let now = WallMinute(clock(2_000).time)
                return FaceTimeline(
                    [dosing], log.states, at: now, zone: ZoneTimeline(.utc), checked: nil
                ).entries[0]
            }
            // The dose of yesterday is over.
            let first = try #require(PlannedDose(day: 1_999, minute: 480))
            let next = try #require(PlannedDose(day: UInt16(1_999 + days), minute: 480))
            for planned in [first, next] {
                log.insert(
                    DoseEvent(
                        id: DoseEventID(rawValue: UInt128(planned.day)),
                        medication: MedicationID(rawValue: 1), planned: planned, status: .taken,
                        time: DoseTime(clock(2_000).time)))
                #expect(face().headline?.slot.day != planned.day, "every \(days) days")
            }
        }
    }

    private func orders(of events: [DoseEvent]) -> [[DoseEvent]] {
        guard events.count > 1 else { return [events] }
        return events.indices.flatMap { first in
            var rest = events
            let event = rest.remove(at: first)
            return orders(of: rest).map { [event] + $0 }
        }
    }

    /// The log keeps states in place of events: in each order they are those of all events.
    @Test func states_are_those_of_all_events_in_every_order() throws {
        let first = dose(1, on: 2_000)
        let time = DoseTime(WallTime(milliseconds: 0))
        let slot = try #require(first.slot)
        let undo = try #require(DoseSlotState(of: slot, [first]).undo(at: time).first)
        let events = [first, undo, dose(2, on: 2_000), dose(3, on: 2_001)]
        for order in orders(of: events) {
            var (read, told) = (DoseLog(), DoseLog())
            read.hold(around: clock(2_000)) { _ in order }
            told.hold(around: clock(2_000)) { _ in [] }
            for event in order + order { told.insert(event) }
            for log in [read, told] {
                #expect(log.states.count == 2)
                #expect(log.states[slot] == DoseSlotState(of: slot, events))
            }
        }
    }

    /// A state for each event of a slot took quadratic time: minutes for these.
    @Test(.timeLimit(.minutes(1)))
    func very_many_events_of_a_slot_take_little_time() throws {
        var log = DoseLog()
        log.hold(around: clock(2_000)) { _ in [] }
        let events = (1...20_000).map { dose($0, on: 2_000) }
        for event in events + events { log.insert(event) }
        let slot = try #require(events[0].slot)
        let isConflicting = DoseSlotState(of: slot, events).isConflicting
        for _ in 0..<2 {
            #expect(log.states[slot]?.heads.count == events.count)
            #expect(log.states[slot]?.isConflicting == isConflicting)
            log.hold(around: clock(2_000)) { _ in [] }
        }
    }

    @Test func a_failed_read_is_tried_again() throws {
        struct Failure: Error {}
        var log = DoseLog()
        let event = dose(1, on: 2_000)
        #expect(throws: Failure.self) {
            try log.hold(around: clock(2_000)) { _ in throw Failure() }
        }
        log.hold(around: clock(2_000)) { _ in [event] }
        let slot = try #require(event.slot)
        #expect(log.states[slot]?.status == .taken)
    }
}
