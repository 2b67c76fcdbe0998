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
        #expect(log.state(of: try #require(today.slot)) == .taken)
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
            #expect(days == 1_995...2_007)
            return [event]
        }
        log.hold(around: clock(2_001)) { days in
            #expect(days == 1_996...2_008)
            return [event]
        }
        #expect(log.state(of: try #require(event.slot)) == .taken)
    }

    @Test func a_failed_read_is_tried_again() throws {
        struct Failure: Error {}
        var log = DoseLog()
        let event = dose(1, on: 2_000)
        #expect(throws: Failure.self) {
            try log.hold(around: clock(2_000)) { _ in throw Failure() }
        }
        log.hold(around: clock(2_000)) { _ in [event] }
        #expect(log.state(of: try #require(event.slot)) == .taken)
    }
}
