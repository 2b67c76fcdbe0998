import Testing
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords

@testable import WatchProto

/// Rule 16: every dose that is said to be taken counts for the limits of a medication.
@Suite struct LedgerTakenTests {
    private static let day: Int64 = 86_400_000

    private func time(_ milliseconds: Int64) -> DoseTime {
        DoseTime(WallTime(milliseconds: 1_767_225_600_000 + milliseconds))
    }

    /// Acts of several devices, which do not see each other, on two medications over ten days.
    private func events(_ seed: UInt64) -> [DoseEvent] {
        var random = SeededGenerator(seed: seed)
        var events: [DoseEvent] = []
        for number in 1...700 {
            let id = DoseEventID(rawValue: UInt128(random.next()) << 64 | UInt128(number))
            var time = time(Int64(random.next() % UInt64(10 * Self.day)))
            time.device = UInt32(number % 3)
            let status: DoseStatus = random.next() % 4 == 0 ? .skipped : .taken
            let former = events.isEmpty ? nil : events[Int(random.next() % UInt64(events.count))]
            let action = [DoseAction.record, .record, .correct, .withdraw, .resolve][
                Int(random.next() % 5)]
            if let former, action != .record,
                let event = DoseEvent(
                    id: id, action, [former], status: action == .withdraw ? nil : status,
                    time: time)
            {
                events.append(event)
                continue
            }
            let day = UInt16(2_200 + random.next() % 3)
            events.append(
                DoseEvent(
                    id: id, medication: MedicationID(rawValue: UInt128(7 + random.next() % 2)),
                    planned: random.next() % 2 == 0 ? nil : PlannedDose(day: day, minute: 480),
                    status: status, time: time))
        }
        return events
    }

    private func check(_ store: any LedgerStore, _ events: [DoseEvent]) throws {
        let whole = DoseLedger(events)
        for medication in [7, 8].map({ MedicationID(rawValue: $0) }) {
            let hasDouble = whole.asNeeded(medication).contains { $0.mayBeDouble }
            #expect(hasDouble)
            for hours in stride(from: Int64(-30), through: 270, by: 7) {
                let moment = time(hours * 3_600_000).wall
                let expected = whole.taken(medication).filter { event in
                    abs(event.moment.milliseconds - moment.milliseconds) <= Self.day
                }
                let found = try store.taken(of: medication, near: moment, within: Self.day)
                #expect(Set(found.map(\.id)) == Set(expected.map(\.id)))
                #expect(found.count == expected.count)
                let half = WallTime(milliseconds: moment.milliseconds + Self.day / 2)
                try checkDoubles(store, whole, medication, moment...half)
            }
        }
    }

    /// The doses of these moments may be double exactly if they may be so among all.
    private func checkDoubles(
        _ store: any LedgerStore, _ whole: DoseLedger, _ medication: MedicationID,
        _ moments: ClosedRange<WallTime>
    ) throws {
        let near = try store.asNeeded(
            of: medication, near: moments, within: AsNeededDose.doubleWindow)
        let found = AsNeededDose.list(of: medication, near)
        #expect(
            found.filter { moments.contains($0.event.moment) }
                == whole.asNeeded(medication).filter { moments.contains($0.event.moment) })
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func a_ledger_in_memory_counts_as_the_model(_ seed: UInt64) throws {
        let (ledger, events) = (MemoryLedger(), self.events(seed))
        for event in events { ledger.inserted(event, try event.encoded()) }
        try check(ledger, events)
    }

    @Test func a_ledger_in_a_file_counts_as_the_model() throws {
        let folder = try Folder()
        let tables = LedgerTables(
            try JournalFile(
                path: folder.file("j"), options: JournalOptions(stores: [LedgerTables.schema])))
        let events = self.events(4)
        try tables.write(try events.flatMap { tables.insertion($0, try $0.encoded()) })
        try check(tables, events)
        tables.file.close()
    }

    @Test func moments_at_the_ends_of_time_are_apart() throws {
        let ledger = MemoryLedger()
        for (number, milliseconds) in [Int64.min, 0, .max].enumerated() {
            let event = DoseEvent(
                id: DoseEventID(rawValue: UInt128(number + 1)),
                medication: MedicationID(rawValue: 7), planned: nil, status: .taken,
                time: DoseTime(WallTime(milliseconds: milliseconds)))
            ledger.inserted(event, try event.encoded())
        }
        for milliseconds in [Int64.min, 0, .max] {
            let found = try ledger.taken(
                of: MedicationID(rawValue: 7), near: WallTime(milliseconds: milliseconds),
                within: Self.day)
            #expect(found.map(\.moment.milliseconds) == [milliseconds])
        }
    }
}
