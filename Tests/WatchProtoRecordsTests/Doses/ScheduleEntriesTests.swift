import Testing
import WatchProtoCore
import WatchProtoRecords

/// The numbers of a schedule's entries, through edits.
@Suite struct ScheduleEntriesTests {
    private func slots(_ minutes: Int...) -> DoseSlots { DoseSlots(minutes: minutes)! }

    private func numbers(_ entries: ScheduleEntries) -> [UInt16] { entries.list.map(\.number) }

    @Test func `Rule 2: the number of an entry survives edits of the schedule`() throws {
        var doses = Doses()
        let first = ScheduleEntries(slots(480, 1200))
        #expect(numbers(first) == [480, 1200])
        let moved = first.edited(to: [540, 1200])
        #expect(numbers(moved) == [480, 1200])
        let dose = try #require(moved.doses(on: Doses.day).first)
        #expect(dose.minute == 540)
        let taken = doses.record(.taken)
        let slot = DoseSlot(medication: Doses.medication, entry: dose.entry, day: dose.day)
        #expect(DoseSlotState(of: slot, [taken]).isClosed, "taken before the time was moved")
        // A new entry at the former time is another slot.
        let added = moved.edited(to: [480, 540, 1200])
        #expect(numbers(added) == [1440, 480, 1200])
        let other = DoseSlot(medication: Doses.medication, entry: 1440, day: Doses.day)
        #expect(DoseSlotState(of: other, [taken]).isOpen)
        #expect(
            numbers(moved.edited(to: [480, 540, 1200]) { $1 == nil && $0 < 1442 })
                .first == 1442)
        // Nor is a minute free that is the number of a dose at another time.
        let back = first.edited(to: [1200]).edited(to: [480, 1200]) { $0 == 480 && $1 == 480 }
        #expect(numbers(back) == [1440, 1200])
        // A time that was removed and comes back is the entry that it was.
        let removed = first.edited(to: [1200])
        #expect(numbers(removed) == [1200])
        #expect(numbers(removed.edited(to: [480, 1200])) == [480, 1200])
        // Two entries that move keep their order.
        #expect(numbers(first.edited(to: [600, 1300])) == [480, 1200])
        #expect(first.edited(to: [480, 1200]) == first)
    }

    @Test func a_medication_keeps_the_numbers() throws {
        var medication = RecordExamples.usual
        let size = medication.encodedSize
        #expect(numbers(medication.entries) == [480, 1200])
        medication.entries = medication.entries
        #expect(medication.encodedSize == size && medication.extensions.isEmpty)
        let times = slots(540, 1200)
        let edited = medication.entries.edited(to: times.minutes)
        medication.schedule.slots = times
        medication.entries = edited
        let again = try LightweightMedication(decoding: try medication.encoded())
        #expect(again == medication && again.entries == edited)
        #expect(medication.encodedSize == size + 7)
        // A field that does not fit the times is of no effect.
        for field in [[], [1], [1, 0, 1, 0], [1, 0, 2, 0, 3, 0]] as [[UInt8]] {
            medication.extensions[1] = field
            #expect(numbers(medication.entries) == [540, 1200])
        }
    }

    @Test func a_medication_keeps_when_its_entries_were_added() throws {
        var medication = RecordExamples.usual
        let size = medication.encodedSize
        let (noon, later) = (WallMinute(minutes: 3_000_000), WallMinute(minutes: 3_000_090))
        for (added, bytes) in [
            ([noon, noon], 4 + 3), ([nil, noon], 8 + 3), ([later, noon], 8 + 3), ([nil, nil], 0),
        ] as [([WallMinute?], Int)] {
            medication.entries = ScheduleEntries(
                zip(medication.entries.list, added).map {
                    ScheduleEntries.Entry(number: $0.number, minute: $0.minute, added: $1)
                })
            let encoding = try medication.encoded()
            let again = try LightweightMedication(decoding: encoding)
            #expect(again.entries.list.map(\.added) == added)
            #expect(FaceDosing(try MedicationView(encoding.span)).entries == again.entries)
            #expect(medication.encodedSize - size == bytes)
        }
        // A moment far in the future is not taken for one of a long time ago.
        medication.entries = medication.entries.added([480], at: WallMinute(minutes: .max))
        medication.entries = medication.entries.added([1200], at: noon)
        let far = try LightweightMedication(decoding: try medication.encoded()).entries
        #expect(far.added(480) == WallMinute(minutes: .max) && far.added(1200) != nil)
        // A field that does not fit the times is of no effect.
        for field in [[], [1], [1, 2, 3], [1, 2, 3, 4, 5, 6]] as [[UInt8]] {
            medication.extensions[3] = field
            #expect(medication.entries.list.map(\.added) == [nil, nil])
        }
    }

    @Test func numbers_are_distinct_after_random_edits() {
        var samples = RecordSamples(seed: 17)
        for _ in 0..<200 {
            var entries = ScheduleEntries(slots(480))
            for _ in 0..<20 {
                let minutes = (0..<samples.below(6)).map { _ in samples.below(8) * 180 }
                let times = DoseSlots(minutes: minutes)!
                let next = entries.edited(to: minutes)
                #expect(next.list.map(\.minute) == times.minutes)
                #expect(Set(numbers(next)).count == times.count)
                for entry in entries.list where times.minutes.contains(entry.minute) {
                    #expect(next.list.contains(entry))
                }
                entries = next
            }
        }
    }
}
