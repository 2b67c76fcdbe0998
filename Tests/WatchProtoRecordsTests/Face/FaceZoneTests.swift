import Testing
import WatchProtoCore
import WatchProtoRecords

/// Faces across daylight saving, travel and odd dates.
@Suite struct FaceZoneTests {
    private let cet = ZoneOffset(clamping: 60)
    private let cest = ZoneOffset(clamping: 120)

    private func at(_ minute: Int, day: Int = Faces.day) -> WallMinute {
        Faces.minute(minute, day: day)
    }

    @Test func `FT-15: a time that daylight saving skips is due at the jump`() {
        // At 02:00 local, 01:00 UTC, the clock jumps to 03:00.
        let zone = ZoneTimeline(cet, [.init(at: at(60), cest)])
        let timeline = Faces.timeline(
            [Faces.dosing(1, [150]), Faces.dosing(2, [180]), Faces.dosing(3, [1439])], at: at(0),
            zone: zone)
        #expect(timeline.look(at(59)).due == 0)
        #expect(timeline.look(at(60)).due == 2, "02:30 and 03:00 are one moment")
        #expect(timeline.look(at(60)).total == 3)
        // The local date ends an hour earlier.
        #expect(timeline.look(at(1319)).notLogged == 2)
        #expect(timeline.look(at(1320)).notLogged == 0)
    }

    @Test func `FT-16: a time that daylight saving doubles is due once, the first time`() {
        // At 03:00 local, 01:00 UTC, the clock jumps back to 02:00.
        let zone = ZoneTimeline(cest, [.init(at: at(60), cet)])
        let dosing = [Faces.dosing([150])]
        let timeline = Faces.timeline(dosing, at: at(0), zone: zone)
        #expect(timeline.look(at(29)).due == 0 && timeline.look(at(30)).due == 1)
        #expect(timeline.look(at(60)).overdue == 1, "half an hour later, at the jump")
        let taken = Faces.timeline(
            dosing, [Faces.event(Faces.slot(1, 150), .taken)], at: at(40), zone: zone)
        for minute in [60, 90, 119] {
            #expect(taken.look(at(minute)).taken == 1 && taken.look(at(minute)).due == 0)
        }
    }

    @Test func `FT-17: travel to the east brings floating doses forward, and fixed ones not`() {
        let east = ZoneTimeline(cet, [.init(at: at(300), ZoneOffset(clamping: 540))])
        let fixed = Faces.dosing(2, [600]) { $0.zone = .fixed(ZoneOffset(clamping: 60)) }
        let timeline = Faces.timeline([Faces.dosing(1, [600]), fixed], at: at(290), zone: east)
        #expect(timeline.look(at(299)).due == 0)
        #expect(timeline.look(at(300)).due == 1, "14:00 there: 10:00 is over")
        #expect(timeline.look(at(300)).headline?.slot == Faces.slot(1, 600))
        #expect(timeline.look(at(540)).due == 1, "10:00 at home")
        #expect(timeline.look(at(540)).overdue == 1)
    }

    @Test func `FT-18: travel to the west reopens nothing, and a due dose stays due`() {
        // 08:00 at home is 07:00 UTC; at 11:00 UTC the wearer lands where it is 05:00.
        let west = ZoneTimeline(cet, [.init(at: at(660), ZoneOffset(clamping: -360))])
        let dosing = [Faces.dosing([480])]
        let open = Faces.timeline(dosing, at: at(650), zone: west)
        #expect(open.look(at(650)).overdue == 1)
        #expect(open.look(at(660)).overdue == 1, "it does not become upcoming again")
        #expect(open.look(at(839)).overdue == 1, "08:00 there changes nothing")
        let taken = Faces.timeline(
            dosing, [Faces.event(Faces.slot(1, 480), .taken)], at: at(650), zone: west)
        for minute in [660, 840, 1140] {
            let entry = taken.look(at(minute))
            #expect(entry.taken == 1 && entry.total == 1 && entry.overdue == 0 && entry.due == 0)
        }
    }

    @Test func `FT-19: a date repeated at the date line counts its doses once`() {
        let back = ZoneTimeline(
            ZoneOffset(clamping: 720), [.init(at: at(720), ZoneOffset(clamping: -660))])
        let taken = Faces.timeline(
            [Faces.dosing([480])], [Faces.event(Faces.slot(1, 480), .taken)], at: at(700),
            zone: back)
        for minute in [719, 720, 1140, 2099] {
            let entry = taken.look(at(minute))
            #expect(entry.taken == 1 && entry.total == 1 && entry.due == 0)
        }
        #expect(taken.look(at(2100)).taken == 0, "the next date")
    }

    @Test func `FT-20: a dose of a date that travel skips says so, and counts at the jump`() {
        let forth = ZoneTimeline(
            ZoneOffset(clamping: -600), [.init(at: at(600), ZoneOffset(clamping: 840))])
        let timeline = Faces.timeline([Faces.dosing([480])], at: at(590), zone: forth)
        let entry = timeline.look(at(600))
        #expect(entry.due >= 1)
        #expect(timeline.entries.contains { $0.headline?.isDateSkipped == true })
    }

    @Test func `FT-21: the leap day is a date like others`() {
        // 2028-02-29 is day 2981.
        let leap = 2981
        let dosing = Faces.dosing([480]) {
            $0.course = DoseCourse(firstDay: UInt16(leap - 1), lastDay: UInt16(leap + 1))
        }
        for day in leap - 1...leap + 1 {
            let timeline = Faces.timeline([dosing], at: at(0, day: day))
            #expect(timeline.look(at(480, day: day)).headline?.slot == Faces.slot(1, 480, day: day))
        }
        let after = Faces.timeline([dosing], at: at(1300, day: leap + 1))
        #expect(after.look(at(0, day: leap + 2)).total == 0)
        #expect(after.look(at(0, day: leap + 2)).headline == nil)
    }

    @Test func `FT-22: a clock set back or forth changes no status`() {
        let events = [
            Faces.event(Faces.slot(1, 480), .taken), Faces.event(Faces.slot(2, 480), .skipped),
        ]
        let dosings = [Faces.dosing(1, [480]), Faces.dosing(2, [480]), Faces.dosing(3, [480])]
        for minute in stride(from: -2000, through: 2000, by: 100) {
            let timeline = Faces.timeline(dosings, events, at: at(600 + minute))
            for entry in timeline.entries {
                #expect(entry.headline?.slot != Faces.slot(1, 480))
                #expect(entry.headline?.slot != Faces.slot(2, 480))
            }
        }
    }

    /// A timeline is right at each of its minutes: as if it were made anew, and as the definition
    /// says.
    @Test func `FT-23: a timeline equals the definition at every minute`() throws {
        var samples = RecordSamples(seed: 25)
        for _ in 0..<60 {
            let now = at(samples.below(1440))
            let zone = samples.zones()
            let dosings = samples.dosings()
            let events = samples.events(of: dosings)
            let check = samples.below(3)
            let earlier = WallMinute(minutes: now.minutes - Int32(check * 300))
            let checked: WallMinute? = check == 0 ? nil : earlier
            let states = FaceTimeline.states(events)
            let timeline = FaceTimeline(dosings, states, at: now, zone: zone, checked: checked)
            #expect(timeline.entries.count <= FaceTimeline.largestCount)
            #expect(timeline.entries.map(\.minute) == timeline.entries.map(\.minute).sorted())
            for (entry, next) in zip(timeline.entries, timeline.entries.dropFirst()) {
                #expect(!entry.shows(the: next), "one entry for each change, and none without")
            }
            var minutes = Set(stride(from: now.minutes, to: timeline.end.minutes, by: 37))
            for entry in timeline.entries {
                for minute in entry.minute.minutes - 1...entry.minute.minutes + 1 {
                    minutes.insert(minute)
                }
            }
            minutes.insert(timeline.end.minutes - 1)
            for number in minutes.sorted() {
                let minute = WallMinute(minutes: number)
                guard minute >= now, minute < timeline.end else { continue }
                var entry = timeline.look(minute)
                entry.minute = minute
                let plain = PlainFace(dosings, states, at: minute, zone: zone, checked: checked)
                let isRight = entry == plain.entry
                try #require(isRight, "\(entry) and \(plain.entry)")
                let fresh = FaceTimeline(
                    dosings, states, at: minute, zone: zone, checked: checked)
                #expect(fresh.entries[0] == entry)
            }
        }
    }

    @Test func `FT-24: any order of medications and events gives the same bytes`() {
        var samples = RecordSamples(seed: 26)
        for _ in 0..<50 {
            var dosings: [FaceDosing] = []
            for number in 1...20 {
                dosings.append(Faces.dosing(number, [samples.below(1440), 480]))
            }
            let events = samples.events(of: dosings)
            let now = at(samples.below(1440))
            let bytes = Faces.timeline(dosings, events, at: now).bytes
            dosings.shuffle(using: &samples.random)
            let others = events.shuffled(using: &samples.random)
            let shuffled = Faces.timeline(dosings, others, at: now)
            #expect(shuffled.bytes == bytes)
        }
    }

    @Test func `FT-25: a course and a moment of adding survive the encoding`() throws {
        let slots = try #require(DoseSlots(minutes: [480]))
        var medication = LightweightMedication(
            id: MedicationID(rawValue: 9), name: "A", dosage: Dosage(strength: "5 mg"),
            schedule: DoseSchedule(slots: slots), updatedAt: WallTime(milliseconds: 0))
        #expect(medication.course == DoseCourse() && medication.entries.added(480) == nil)
        let usual = medication.encodedSize
        medication.course = DoseCourse(firstDay: 2500, everyDays: 3)
        medication.entries = medication.entries.added(at: WallMinute(minutes: -5))
        let bytes = try medication.encoded()
        let read = try LightweightMedication(decoding: bytes)
        #expect(read.course == medication.course && read.entries == medication.entries)
        #expect(read.entries.added(480) == WallMinute(minutes: -5))
        #expect(FaceDosing(read) == FaceDosing(medication))
        #expect(FaceDosing(read).course.everyDays == 3)
        medication.course = DoseCourse()
        medication.entries = ScheduleEntries(slots)
        #expect(medication.encodedSize == usual)
        medication.extensions[2] = [1]
        medication.extensions[3] = [1]
        #expect(medication.course == DoseCourse() && medication.entries == ScheduleEntries(slots))
    }
}
