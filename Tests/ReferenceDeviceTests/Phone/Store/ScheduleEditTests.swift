import Testing
import WatchProto
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// The doses of today after an edit of a schedule, by an import or an act.
@Suite struct ScheduleEditTests {
    private let id = MedicationID(rawValue: 1)

    private func medication(_ minutes: [Int]) -> Medication {
        var medication = Medication(
            id: id, name: "Metformin", createdAt: WallTime(iso8601: "2026-01-01")!)
        medication.schedule.minutes = minutes
        return medication
    }

    private func clock(_ hour: Int) -> WallClock {
        WallClock(time: WallTime(iso8601: "2026-02-14T\(hour < 10 ? "0" : "")\(hour):00:00Z")!)
    }

    /// A store whose list is imported at each hour with these times.
    private func store(
        _ imports: (hour: Int, minutes: [Int])...
    ) throws -> MedicationStore {
        var store = MedicationStore()
        store.holdDoses(around: clock(0)) { _ in [] }
        for one in imports { try take(medication(one.minutes), into: &store, at: one.hour) }
        return store
    }

    private func take(
        _ medication: Medication, into store: inout MedicationStore, at hour: Int
    ) throws {
        var summary = ImportSummary(file: "x", format: .plainList)
        summary.medications = [medication]
        _ = try store.take(summary, at: clock(hour))
    }

    /// The dose of a record that names none.
    private func planned(_ store: MedicationStore, at hour: Int) throws -> PlannedDose? {
        let dosing = FaceDosing(try #require(try store[id]))
        return dosing.planned(at: WallMinute(clock(hour).time), ZoneTimeline(.utc))
    }

    /// The first entry of the face, of which both devices have the same timeline.
    private func entry(_ store: MedicationStore, at hour: Int) throws -> FaceEntry {
        let record = try store.projection(
            of: try #require(try store[id]), at: clock(hour))
        let bytes = try record.encoded()
        let read = try LightweightMedication(decoding: bytes)
        let view = FaceDosing(try MedicationView(bytes.span))
        let stored = try Medication(storedBody: try #require(try store[id]).storedBody())
        let timelines = [FaceDosing(read), view, FaceDosing(stored)].map {
            FaceTimeline(
                [$0], store.doseLog.states, at: WallMinute(clock(hour).time),
                zone: ZoneTimeline(.utc), checked: nil)
        }
        let timeline = store.timeline(at: clock(hour))
        #expect(timelines.allSatisfy { $0 == timeline })
        return timeline.entries[0]
    }

    @Test func `Rule 2: a time that an import moves keeps the dose that was taken`() throws {
        var store = try store((7, [480]))
        let taken = DoseEvent(
            id: DoseEventID(rawValue: 1), medication: id,
            planned: try planned(store, at: 9), status: .taken, time: DoseTime(clock(9).time))
        store.record(taken)
        #expect(try entry(store, at: 10).taken == 1)
        try take(medication([495]), into: &store, at: 10)
        let moved = try entry(store, at: 20)
        #expect((moved.taken, moved.total, moved.overdue) == (1, 1, 0))
        #expect(try store[id]?.schedule.entries.list.map(\.number) == [480])
        // A second time is another dose, also at the hour of the first one.
        try take(medication([480, 495]), into: &store, at: 11)
        #expect(try store[id]?.schedule.entries.list.map(\.number) == [1440, 480])
        #expect(try entry(store, at: 12).taken == 1)
        let added = DoseSlot(medication: id, entry: 1440, day: 2236)
        #expect(store.doseLog.states[added] == nil)
        #expect(try planned(store, at: 9)?.entry == 480)
    }

    @Test func `Rule 15: an hour that has passed when it was added is not due`() throws {
        var store = try store((7, [1200]), (12, [480, 1200]))
        let added = try entry(store, at: 13)
        #expect((added.total, added.overdue, added.due) == (1, 0, 0))
        #expect(try store.complicationState(at: clock(13)).overdue == 0)
        // An hour that comes is.
        try take(medication([480, 840, 1200]), into: &store, at: 13)
        #expect(try entry(store, at: 16).overdue == 1)
        let evening = try entry(store, at: 22)
        #expect((evening.overdue, evening.notLogged, evening.total) == (1, 1, 2))
        let tomorrow = clock(9).time.milliseconds + 86_400_000
        let next = WallClock(time: WallTime(milliseconds: tomorrow))
        let tomorrows = store.timeline(at: next).entries[0]
        #expect((tomorrows.overdue, tomorrows.total) == (1, 3))
    }

    @Test func `Rule 15: a day that becomes one with doses has none before that`() throws {
        for pause in [\Medication.isActive, \.isAsNeeded] {
            var store = try store((7, [480, 1200]))
            let begins = pause == \.isActive
            try store.change(id, at: clock(7)) { $0[keyPath: pause] = !begins }
            try store.change(id, at: clock(12)) { $0[keyPath: pause] = begins }
            let entry = try entry(store, at: 21)
            #expect((entry.total, entry.overdue) == (1, 1))
        }
        var store = try store((7, [480, 1200]))
        // A Saturday.
        try store.change(id, at: clock(7)) { $0.schedule.weekdays = [.sunday] }
        #expect(try entry(store, at: 11).total == 0)
        try store.change(id, at: clock(12)) { $0.schedule.weekdays = .all }
        #expect(try entry(store, at: 21).overdue == 1)
        // Another edit leaves a dose that is overdue as it is.
        store = try self.store((7, [480, 1200]))
        try store.change(id, at: clock(12)) { $0.schedule.end = LocalDate("2026-03-01") }
        #expect(try entry(store, at: 13).overdue == 1)
    }

    @Test func `A missed dose of yesterday stays when today becomes a day with doses`() throws {
        var store = try store((7, [1320]))
        // Friday's dose of 22:00 is open on Saturday morning.
        try store.change(id, at: clock(0)) {
            $0.schedule.weekdays = [.monday, .tuesday, .wednesday, .thursday, .friday]
        }
        #expect(try entry(store, at: 7).overdue == 1)
        try store.change(id, at: clock(7)) { $0.schedule.weekdays = .all }
        let morning = try entry(store, at: 7)
        #expect((morning.overdue, morning.headline?.slot.day) == (1, 2235))
        #expect(try entry(store, at: 9).overdue == 1)
    }

    @Test func a_medication_that_comes_back_is_not_due_again() throws {
        var store = try store((7, [480]))
        let taken = DoseEvent(
            id: DoseEventID(rawValue: 1), medication: id,
            planned: PlannedDose(day: 2236, minute: 480), status: .taken,
            time: DoseTime(clock(8).time))
        store.record(taken)
        try take(medication([495]), into: &store, at: 9)
        try store.remove(id)
        try take(medication([495, 1200]), into: &store, at: 10)
        let entry = try entry(store, at: 11)
        #expect((entry.overdue, entry.total) == (0, 1))
    }

    @Test func a_record_without_room_for_numbers_is_that_of_a_new_schedule() throws {
        var fallen = 0
        for count in 100..<190 {
            var long = medication([480])
            long.strength = String(repeating: "9", count: count)
            var store = MedicationStore()
            store.holdDoses(around: clock(0)) { _ in [] }
            // With as many edits, it fits without numbers.
            var edited = long
            (edited.revision, edited.updatedAt) = (2, clock(10).time)
            edited.schedule.minutes = [495]
            let due = WallMinute(minutes: 0)
            guard (try? MedicationProjection.project(edited, nextDose: due)) != nil else {
                continue
            }
            try take(long, into: &store, at: 7)
            long.schedule.minutes = [495]
            try take(long, into: &store, at: 10)
            // The list can be sent, and the hour that has passed is not due again.
            let record = try store.projection(
                of: try #require(try store[id]), at: clock(11))
            #expect(record.encodedSize <= LightweightMedication.byteBudget)
            if try store[id]?.schedule.entries.list.first?.number == 495 {
                fallen += 1
                #expect(store.timeline(at: clock(11)).entries[0].overdue == 0)
            }
        }
        #expect(fallen > 0)
    }

    @Test func edits_mean_an_urgent_state_or_another() throws {
        var store = try store((7, [480]))
        #expect(store.takeEdits() == .urgentChange && store.takeEdits() == nil)
        try store.change(id, at: clock(8)) { $0.color = 1 }
        #expect(store.takeEdits() == .change)
        try store.change(id, at: clock(8)) { $0.strength = "5 mg" }
        try store.change(id, at: clock(8)) { $0.color = 2 }
        #expect(store.takeEdits() == .urgentChange)
        try take(medication([490]), into: &store, at: 9)
        #expect(store.takeEdits() == .urgentChange)
        try store.remove(id)
        #expect(store.takeEdits() == .urgentChange)
        var list = PhoneList()
        list.append(medication([480]))
        store.replace(list)
        #expect(store.takeEdits() == .change)
        // A list that is read again takes no urgency from an edit that has not left.
        try store.change(id, at: clock(10)) { $0.strength = "10 mg" }
        store.replace(list)
        #expect(store.takeEdits() == .urgentChange)
    }

    @Test func an_import_that_changes_nothing_changes_no_entry() throws {
        var store = try store((7, [480]), (8, [490]))
        let before = try #require(try store[id])
        #expect(before.revision == 2)
        try take(medication([490]), into: &store, at: 9)
        #expect(try store[id] == before)
    }
}
