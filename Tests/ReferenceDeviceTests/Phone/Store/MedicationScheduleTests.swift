import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

@Suite struct MedicationScheduleTests {
    private func clock(_ text: String, zone: Int16 = 0) -> WallClock {
        WallClock(time: WallTime(iso8601: text)!, zoneOffsetMinutes: zone)
    }

    private func next(_ schedule: MedicationSchedule, _ clock: WallClock) -> String? {
        schedule.nextDose(after: clock)?.wallTime.iso8601
    }

    @Test func `Dates follow the calendar`() {
        #expect(LocalDate("1970-01-01")?.daysSince1970 == 0)
        #expect(LocalDate("2000-02-29")?.daysSince1970 == 11_016)
        #expect(LocalDate("1900-02-29") == nil)
        #expect(LocalDate("2026-02", atEnd: true)?.description == "2026-02-28")
        #expect(LocalDate("2026", atEnd: true)?.description == "2026-12-31")
        #expect(LocalDate("2026-2-1") == nil)
        #expect(LocalDate("1970-01-01")?.weekday == .thursday)
        #expect(LocalDate("1969-12-28")?.weekday == .sunday)
        var date = LocalDate("1899-12-31")!
        for _ in 0..<80_000 {
            #expect(LocalDate(date.description) == date)
            date = date.advanced(by: 1)
        }
    }

    @Test(arguments: [
        ("2026-02-14", "2026-02-14T00:00:00Z"),
        ("2026-02-14T08:00:00Z", "2026-02-14T08:00:00Z"),
        ("2026-02-14T08:00:00.5+02:00", "2026-02-14T06:00:00.500Z"),
        ("2026-01-01T00:30:00-11:00", "2026-01-01T11:30:00Z"),
    ])
    func `Moments are read as FHIR writes them`(text: String, written: String) {
        #expect(WallTime(iso8601: text)?.iso8601 == written)
    }

    @Test(arguments: [
        "2026-02-14T08:00Z", "2026-02-14T08:00:00", "2026-13-01", "2026-02T08:00:00Z", "", "T",
        "2026-02-14T25:00:00Z", "2026-02-14T08:00:00.Z", "2026-02-14T08:00:61Z",
    ])
    func `Other moments are refused`(text: String) {
        #expect(WallTime(iso8601: text) == nil)
    }

    @Test func `A floating dose follows the wearer`() {
        let schedule = MedicationSchedule(minutes: [480, 1200])
        #expect(next(schedule, clock("2026-02-14T07:59:59Z")) == "2026-02-14T08:00:00Z")
        #expect(next(schedule, clock("2026-02-14T08:00:00Z")) == "2026-02-14T20:00:00Z")
        #expect(next(schedule, clock("2026-02-14T20:00:00Z")) == "2026-02-15T08:00:00Z")
        #expect(next(schedule, clock("2026-02-14T08:00:00Z", zone: 120)) == "2026-02-14T18:00:00Z")
        #expect(next(schedule, clock("2026-02-14T23:00:00Z", zone: 330)) == "2026-02-15T02:30:00Z")
    }

    @Test func `A fixed or absolute dose does not`() {
        let tokyo = MedicationSchedule(minutes: [480], zone: .fixed(ZoneOffset(clamping: 540)))
        #expect(next(tokyo, clock("2026-02-14T00:00:00Z", zone: -300)) == "2026-02-14T23:00:00Z")
        let absolute = MedicationSchedule(minutes: [480], zone: .absolute)
        #expect(next(absolute, clock("2026-02-14T00:00:00Z", zone: 600)) == "2026-02-14T08:00:00Z")
    }

    @Test func `Weekdays, first and last days and intervals are kept`() {
        // 2026-02-14 is a Saturday.
        let weekly = MedicationSchedule(minutes: [480], weekdays: .monday)
        #expect(next(weekly, clock("2026-02-14T00:00:00Z")) == "2026-02-16T08:00:00Z")
        #expect(next(weekly, clock("2026-02-16T08:00:00Z")) == "2026-02-23T08:00:00Z")
        var schedule = MedicationSchedule(
            minutes: [480], start: LocalDate("2026-03-01"), end: LocalDate("2026-03-02"))
        #expect(next(schedule, clock("2026-02-14T00:00:00Z")) == "2026-03-01T08:00:00Z")
        #expect(next(schedule, clock("2026-03-02T08:00:00Z")) == nil)
        schedule = MedicationSchedule(minutes: [480], start: LocalDate("2026-02-01"), everyDays: 14)
        #expect(next(schedule, clock("2026-02-02T00:00:00Z")) == "2026-02-15T08:00:00Z")
        #expect(next(schedule, clock("2026-02-15T08:00:00Z")) == "2026-03-01T08:00:00Z")
        schedule.everyDays = 366
        #expect(next(schedule, clock("2026-02-01T08:00:00Z")) == "2027-02-02T08:00:00Z")
        #expect(next(MedicationSchedule(), clock("2026-02-02T00:00:00Z")) == nil)
        #expect(next(MedicationSchedule(minutes: [1], weekdays: []), clock("2026-02-02")) == nil)
    }

    @Test func `The next dose is the first of all later ones`() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<300 {
            let count = generator.uniform(in: 1...4)
            let schedule = MedicationSchedule(
                minutes: (0..<count).map { _ in Int(generator.uniform(in: 0...1439)) },
                weekdays: Weekdays(rawValue: UInt8(generator.uniform(in: 1...127))))
            let zone = Int16(generator.uniform(in: 0...2160)) - 1080
            let start = WallTime(
                milliseconds: 1_770_000_000_000 + Int64(generator.next() >> 34) * 60_000)
            let found = schedule.nextDose(after: WallClock(time: start, zoneOffsetMinutes: zone))
            // Minute by minute, without the schedule's own arithmetic of days.
            var minute = WallMinute(start).minutes + 1
            var expected: WallMinute?
            for _ in 0..<(9 * 1440) {
                let local = Int(minute) + Int(zone) + 26_297_280
                let weekday = (local / 1440 + 3) % 7
                if schedule.minutes.contains(local % 1440),
                    schedule.weekdays.contains(Weekdays(rawValue: 1 << UInt8(weekday)))
                {
                    expected = WallMinute(minutes: minute)
                    break
                }
                minute += 1
            }
            #expect(found == expected)
        }
    }

    @Test func `A clock at the end of time overflows nothing`() {
        let schedule = MedicationSchedule(minutes: [480])
        for time in [Int64.min, .max, -62_200_000_000_000, 300_000_000_000_000] {
            let clock = WallClock(time: WallTime(milliseconds: time), zoneOffsetMinutes: 1080)
            _ = schedule.nextDose(after: clock)
            _ = schedule.doses(on: clock)
        }
    }
}
