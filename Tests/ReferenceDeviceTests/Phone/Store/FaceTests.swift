import Testing
import WatchProto
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// The face by the phone's records and by the watch's.
@Suite struct FaceTests {
    private let now = WallTime(iso8601: "2026-03-28T21:15:00Z")!

    private func medication(
        _ name: String, _ schedule: MedicationSchedule, added: String = "2026-01-01"
    ) -> Medication {
        var medication = Medication(
            id: MedicationID(derivedFrom: name), name: name,
            createdAt: WallTime(iso8601: added)!)
        medication.strength = "5 mg"
        medication.form = .tablet
        medication.schedule = schedule
        return medication
    }

    private var medications: [Medication] {
        let zone = ZoneRule.fixed(ZoneOffset(clamping: -300))
        return [
            medication("A", MedicationSchedule(minutes: [480, 1200])),
            medication("B", MedicationSchedule(minutes: [600], weekdays: [.saturday, .sunday])),
            medication("C", MedicationSchedule(minutes: [600, 1320], zone: zone)),
            medication(
                "D",
                MedicationSchedule(minutes: [540], start: LocalDate("2019-12-30"), everyDays: 3)),
            medication("E", MedicationSchedule(minutes: [550], everyDays: 5)),
            medication("F", MedicationSchedule(minutes: [560], end: LocalDate("2026-03-28"))),
            medication("G", MedicationSchedule(minutes: [570], start: LocalDate("2026-03-29"))),
            medication("H", MedicationSchedule(minutes: [580]), added: "2026-03-28T12:00:00Z"),
            medication("I", MedicationSchedule(minutes: [1439], zone: .absolute)),
        ]
    }

    @Test func `Phone and watch make equal timelines, byte for byte`() throws {
        var store = MedicationStore()
        for medication in medications { _ = try store.put(medication, at: WallClock(time: now)) }
        // The last Sunday of March: at 01:00 UTC local time jumps by an hour.
        let change = WallMinute(WallTime(iso8601: "2026-03-29T01:00:00Z")!)
        let zone = ZoneTimeline(
            ZoneOffset(clamping: 60), [.init(at: change, ZoneOffset(clamping: 120))])
        var totals: Set<UInt16> = []
        for hours in 0..<60 {
            let time = WallTime(milliseconds: now.milliseconds + Int64(hours) * 3_660_000)
            let clock = WallClock(time: time, zoneOffsetMinutes: 60)
            let phone = store.timeline(at: clock, zone: zone)
            let records = try store.medications.all().map { medication in
                let record = try store.projection(of: medication, at: clock)
                let bytes = try record.encoded()
                return try LightweightMedication(decoding: bytes)
            }
            let watch = FaceTimeline(
                records.reversed().map { FaceDosing($0) }, [:], at: WallMinute(time), zone: zone,
                checked: nil)
            #expect(watch.bytes == phone.bytes)
            totals.formUnion(phone.entries.map(\.total))
        }
        #expect(totals.count > 2, "the days differ")
    }

    @Test func `A tap on either device is about the same dose, in every zone`() throws {
        let zones: [ZoneRule] = [
            .floating, .absolute, .fixed(ZoneOffset(clamping: -300)),
            .fixed(ZoneOffset(clamping: 840)),
        ]
        for rule in zones {
            let one = medication("Z", MedicationSchedule(minutes: [30, 480, 1410], zone: rule))
            let watch = FaceDosing(try MedicationProjection.project(one))
            for hours in 0..<24 {
                for offset in [-600, 0, 330, 780] {
                    let minute = WallMinute(now).advanced(by: hours * 60)
                    let zone = ZoneTimeline(ZoneOffset(clamping: offset))
                    let planned = FaceDosing(one).planned(at: minute, zone)
                    #expect(planned != nil, "\(rule) \(offset)")
                    #expect(watch.planned(at: minute, zone) == planned, "\(rule) \(offset)")
                }
            }
        }
    }

    @Test func `A tap with a clock of any time has a dose or none`() {
        let one = FaceDosing(medication("Z", MedicationSchedule(minutes: [480])))
        for time in [Int64.min, 0, 253_402_300_799_000, .max] {
            for offset in [-1080, 1080] {
                let minute = WallMinute(WallTime(milliseconds: time))
                let zone = ZoneTimeline(ZoneOffset(clamping: offset))
                #expect(one.planned(at: minute, zone) == nil)
            }
        }
    }

    @Test func `Long instructions do not displace the minute of adding`() throws {
        let schedule = MedicationSchedule(minutes: [480, 1200])
        for padding in 0..<24 {
            let name = "Long" + String(repeating: "x", count: padding)
            var long = medication(name, schedule, added: "2026-03-28T12:00:00Z")
            long.instructions = String(repeating: "Swallow it with water. ", count: 20)
            let record = try MedicationProjection.project(long, now: WallMinute(now))
            #expect(record.entries == long.entries && record.name == name)
            #expect(!record.instructions.isEmpty && record.encodedSize <= 200)
            let face = [FaceDosing(long), FaceDosing(record)].map { dosing in
                FaceTimeline(
                    [dosing], [:], at: WallMinute(now), zone: ZoneTimeline(.utc), checked: nil)
            }
            #expect(face[0] == face[1] && face[0].entries[0].total == 1)
        }
    }

    @Test func `A dose from before a medication was added is not due on either device`() throws {
        var store = MedicationStore()
        let schedule = MedicationSchedule(minutes: [580])
        let added = medication("H", schedule, added: "2026-03-28T12:00:00Z")
        _ = try store.put(added, at: WallClock(time: now))
        let clock = WallClock(time: now)
        let record = try store.projection(of: added, at: clock)
        #expect(record.entries.list.map(\.added) == [WallMinute(added.createdAt)])
        #expect(store.timeline(at: clock).entries[0].total == 0)
        let later = WallClock(time: WallTime(iso8601: "2026-04-28T21:15:00Z")!)
        #expect(try store.projection(of: added, at: later).entries.list.map(\.added) == [nil])
    }

    @Test func `The watch's record has the dates of a schedule`() throws {
        let schedule = MedicationSchedule(
            minutes: [480], start: LocalDate("2026-02-01"), end: LocalDate("2026-05-01"),
            everyDays: 14)
        let record = try MedicationProjection.project(medication("A", schedule))
        #expect(record.schedule.slots.minutes == [480])
        let times = StoredTimes(record)
        #expect(times.everyDays == 14)
        for day in 20_400..<20_700 {
            let date = LocalDate(daysSince1970: day)
            for dosing in [FaceDosing(record), times.dosing(record.id)] {
                #expect(
                    dosing.doses(on: day - 18_262).count == (schedule.holds(on: date) ? 1 : 0),
                    "\(day)")
            }
        }
        // A full record keeps to the next dose that the phone names.
        var long = medication("A", schedule)
        long.strength = String(repeating: "9 mg ", count: 28)
        for count in 24..<34 {
            long.strength = String(repeating: "9 mg ", count: count)
            guard let full = try? MedicationProjection.project(long) else { continue }
            #expect(full.schedule.slots.isEmpty == (full.course == DoseCourse()))
            #expect(full.encodedSize <= LightweightMedication.byteBudget)
        }
    }

    @Test func `A state names the ledger that it includes, and stays within its budget`() throws {
        var store = MedicationStore()
        var long = medication("A", MedicationSchedule(minutes: [480]))
        long.name = String(repeating: "very ", count: 60)
        _ = try store.put(long, at: WallClock(time: now))
        let ledger = LedgerDigest()
        let state = try store.complicationState(at: WallClock(time: now), ledger: ledger)
        #expect(state.ledger == ledger)
        #expect(state.encodedSize <= ComplicationState.byteBudget)
        let bytes = try state.encoded()
        let read = try ComplicationState(decoding: bytes)
        #expect(read == state && read.ledger == ledger)
        #expect(try store.complicationState(at: WallClock(time: now)).ledger == nil)
        var other = state
        other.extensions[1] = [1, 2]
        #expect(other.ledger == nil)
    }
}
