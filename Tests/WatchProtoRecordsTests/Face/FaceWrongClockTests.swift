import Testing
import WatchProtoCore
import WatchProtoRecords

/// Faces with clocks that were wrong, with doses that are recorded days ahead, and with inputs that
/// nobody has.
@Suite struct FaceWrongClockTests {
    private func at(_ minute: Int, day: Int = Faces.day) -> WallMinute {
        Faces.minute(minute, day: day)
    }

    @Test func `FT-30: a medication that was added with a clock ahead is due all the same`() {
        let usual = Faces.dosing([480, 1200])
        for days in [1, 3, 6, 400] {
            let ahead = Faces.dosing([480, 1200]) { $0.setAdded(at(600, day: Faces.day + days)) }
            let timeline = Faces.timeline([ahead], at: at(400))
            #expect(timeline.look(at(400)).total == 2 && timeline.look(at(480)).due == 1)
            #expect(timeline.look(at(510)).headline?.slot == Faces.slot(1, 480))
        }
        let far = Faces.dosing([480, 1200]) { $0.setAdded(WallMinute(minutes: .max)) }
        #expect(
            Faces.timeline([far], at: at(400)) == Faces.timeline([usual], at: at(400)))
        // The clocks of two devices differ by minutes: the medication was added just now.
        let fresh = Faces.dosing([480, 1200]) { $0.setAdded(at(605)) }
        #expect(Faces.timeline([fresh], at: at(600)).entries[0].total == 1)
        #expect(Faces.timeline([fresh], at: at(600)).entries[0].overdue == 0)
        let soon = Faces.dosing([480, 1200]) { $0.setAdded(at(630)) }
        let timeline = Faces.timeline([soon], at: at(600))
        #expect(timeline.look(at(614)).overdue == 1 && timeline.look(at(615)).overdue == 0)
    }

    @Test func `FT-31: a clock beyond the dates of doses makes no face that counts as right`() {
        let dosings = [Faces.dosing([480])]
        for minute in [Int32.min, .min + 1, -26_297_280, -1, 65_536 * 1440, .max - 1, .max] {
            let now = WallMinute(minutes: minute)
            for list in [dosings, []] {
                let timeline = Faces.timeline(list, at: now)
                #expect(timeline.entries.count == 1)
                #expect(timeline.shown(at: now).asOf == now)
                #expect(timeline.nextLook(after: now) >= now)
            }
        }
        for minute in [0, 65_535 * 1440] {
            let now = WallMinute(minutes: Int32(minute))
            #expect(Faces.timeline(dosings, at: now).shown(at: now).asOf == nil)
        }
    }

    @Test func `FT-23: a dose that is recorded days ahead counts on its date`() {
        let twice = [0, 1].map { Faces.event(Faces.slot(1, 480, day: Faces.day + 4), .taken, $0) }
        let later = Faces.event(
            Faces.slot(1, 480, day: Faces.day + 4), .snoozed(until: at(0, day: Faces.day + 9)))
        for events in [twice, [later]] {
            let timeline = Faces.timeline([Faces.dosing([480])], events, at: at(600))
            for day in Faces.day...Faces.day + 1 {
                let now = at(700, day: day)
                var entry = timeline.look(now)
                entry.minute = now
                #expect(
                    Faces.timeline([Faces.dosing([480])], events, at: now).entries[0] == entry)
                #expect(entry.conflicting == 0 && entry.snoozed == 0)
            }
        }
        // Each week: the next dose is taken already, and the one after it is postponed.
        let weekly = Faces.dosing([480]) { $0.weekdays = Weekdays(of: Faces.day - 1) }
        let next = Faces.slot(1, 480, day: Faces.day + 6)
        let after = Faces.slot(1, 480, day: Faces.day + 13)
        let end = at(0, day: Faces.day + 14)
        let taken = Faces.timeline([weekly], [Faces.event(next, .taken)], at: at(600))
        #expect(taken.entries[0].headline?.slot == after)
        let snoozed = Faces.timeline(
            [weekly], [Faces.event(next, .snoozed(until: end))], at: at(600))
        // A snooze ends a day after its dose, at the latest (S-11).
        #expect(snoozed.entries[0].headline?.slot == next)
        #expect(snoozed.entries[0].headline?.phase == .snoozed(at(480, day: Faces.day + 7)))
        let both = [Faces.event(next, .snoozed(until: at(0, day: Faces.day + 7)))]
        #expect(
            Faces.timeline([weekly], both, at: at(600)).entries[0].headline?.phase
                == .snoozed(at(0, day: Faces.day + 7)))
    }

    @Test func `FT-23: odd courses, snoozes and zones follow the definition too`() throws {
        var samples = RecordSamples(seed: 31)
        for _ in 0..<40 {
            let now = at(samples.below(1440))
            let zone = samples.oddZones()
            let dosings = samples.oddDosings()
            let events = samples.oddEvents(of: dosings)
            let states = FaceTimeline.states(events)
            let checked = samples.below(2) == 0 ? nil : samples.faceMinute(-4000, 4000)
            let timeline = FaceTimeline(dosings, states, at: now, zone: zone, checked: checked)
            #expect(timeline.entries.count <= FaceTimeline.largestCount)
            var minutes = Set(stride(from: now.minutes, to: timeline.end.minutes, by: 311))
            for entry in timeline.entries {
                minutes.formUnion([entry.minute.minutes - 1, entry.minute.minutes])
            }
            for number in minutes.sorted() where number >= now.minutes {
                let minute = WallMinute(minutes: number)
                var entry = timeline.look(minute)
                entry.minute = minute
                let plain = PlainFace(
                    dosings, states, at: minute, zone: zone, checked: timeline.checked)
                let isRight = entry == plain.entry
                try #require(isRight, "\(minute): \(entry) and \(plain.entry)")
            }
        }
    }

    @Test func `FT-5: no input makes more than 24 entries, or none`() {
        var samples = RecordSamples(seed: 32)
        let edges: [Int32] = [.min, .min + 1, -1440, -1, 0, 1, 94_371_839, .max - 1440, .max]
        var longest = 0
        for turn in 0..<300 {
            var dosings = samples.oddDosings()
            for place in dosings.indices {
                dosings[place].setAdded(samples.minute())
                if samples.below(2) == 0 {
                    dosings[place].course = DoseCourse(
                        firstDay: UInt16(samples.below(65_536)),
                        lastDay: UInt16(samples.below(65_536)),
                        everyDays: UInt16(samples.below(300)))
                }
            }
            let now = turn % 2 == 0 ? samples.minute() : WallMinute(minutes: edges[turn % 9])
            let slots = dosings.flatMap { dosing in
                dosing.entries.list.map { ($0.number, dosing.medication) }
            }
            let events = slots.map { number, medication in
                Faces.event(
                    DoseSlot(
                        medication: medication, entry: number,
                        day: UInt16(clamping: Int(now?.minutes ?? 0) / 1440)),
                    .snoozed(until: samples.minute() ?? WallMinute(minutes: .max)))
            }
            let timeline = FaceTimeline(
                dosings, FaceTimeline.states(events), at: now ?? at(0), zone: samples.oddZones(),
                checked: samples.minute())
            #expect((1...24).contains(timeline.entries.count))
            #expect(timeline.end >= timeline.entries[timeline.entries.count - 1].minute)
            longest = max(longest, timeline.entries.count)
            for minute in edges {
                let shown = timeline.shown(at: WallMinute(minutes: minute))
                for family in FaceFamily.allCases {
                    let scene = FaceScene(
                        shown, checked: timeline.checked, now: WallMinute(minutes: minute),
                        zone: samples.oddZones(), age: samples.below(2) == 0 ? .max : .min)
                    #expect(!FaceContent(family, scene).accessibility.isEmpty)
                }
            }
        }
        #expect(longest > 10)
    }
}

extension RecordSamples {
    /// Up to three changes between any two offsets.
    fileprivate mutating func oddZones() -> ZoneTimeline {
        func offset(_ samples: inout RecordSamples) -> ZoneOffset {
            ZoneOffset(clamping: samples.below(2161) - 1080)
        }
        let first = offset(&self)
        return ZoneTimeline(
            first,
            (0..<below(4)).map { _ in
                ZoneTimeline.Change(at: faceMinute(-1440, 5760), offset(&self))
            })
    }

    /// Medications with courses, and with any minute of adding within ten days.
    fileprivate mutating func oddDosings() -> [FaceDosing] {
        dosings().map { dosing in
            var dosing = dosing
            dosing.setAdded(below(2) == 0 ? nil : faceMinute(-14_400, 28_800))
            switch below(4) {
            case 0: dosing.course.everyDays = UInt16(1 + below(6))
            case 1: dosing.course.firstDay = UInt16(Faces.day + below(9) - 4)
            case 2: dosing.course.lastDay = UInt16(Faces.day + below(9) - 4)
            default: break
            }
            return dosing
        }
    }

    /// Events of the days around, with snoozes of many hours, but none that ends before its date.
    fileprivate mutating func oddEvents(of dosings: [FaceDosing]) -> [DoseEvent] {
        var events: [DoseEvent] = []
        for dosing in dosings {
            for day in Faces.day - 4...Faces.day + 6 {
                for dose in dosing.doses(on: day) where below(2) == 0 {
                    let slot = DoseSlot(
                        medication: dosing.medication, entry: dose.entry, day: dose.day)
                    let end = Faces.minute(below(7200), day: day + 1)
                    let statuses: [DoseStatus] = [.taken, .skipped, .snoozed(until: end)]
                    for number in 0..<1 + below(2) {
                        events.append(Faces.event(slot, statuses[below(3)], number))
                    }
                }
            }
        }
        return events
    }
}
