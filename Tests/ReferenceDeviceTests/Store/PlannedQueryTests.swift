import Testing
import WatchProto
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// Planned doses as the two kinds of store give them, by the rules of their display.
@Suite(.timeLimit(.minutes(1))) struct PlannedQueryTests {
    private static let day = 2236

    private func minute(_ minute: Int, day: Int = 0) -> WallMinute {
        WallMinute(minutes: Int32((Self.day + day) * 1440 + minute))
    }

    private func medication(_ name: String, _ minutes: [Int]) -> Medication {
        var medication = Medication(
            id: MedicationID(derivedFrom: name), name: name,
            createdAt: WallTime(milliseconds: 0))
        medication.schedule.minutes = minutes
        return medication
    }

    private func event(
        _ medication: Medication, _ minute: Int, day: Int = 0, _ status: DoseStatus
    ) -> DoseEvent {
        DoseEvent(
            id: .random(), medication: medication.id,
            planned: PlannedDose(day: UInt16(Self.day + day), minute: minute), status: status,
            time: DoseTime(self.minute(minute, day: day).wallTime))
    }

    /// The rows, which are the same from the file and from the list.
    private func rows(
        _ subject: PlannedQuery.Subject, _ medications: [Medication], _ events: [DoseEvent] = [],
        at now: WallMinute, _ zone: ZoneTimeline = ZoneTimeline(.utc),
        after: PlannedCursor? = nil, limit: Int = 50
    ) throws -> [PlannedRow] {
        let query = PlannedQuery(subject, at: now, zone, after: after, limit: limit)
        let clock = WallClock(time: now.wallTime)
        let ledger = MemoryLedger()
        for event in events { ledger.inserted(event, try event.encoded()) }
        let list = ListStore(medications.map { $0.stored(at: clock) }, ledger)
        let shelf = try Shelf()
        try shelf.give(
            medications.map { one in StoreChange.put { one.stored(at: clock) } }
                + (try events.map { LedgerTables.insertion($0, try $0.encoded()) }))
        let found = try shelf.store.planned(query)
        #expect(try list.planned(query) == found)
        return found
    }

    /// The dates, counted from the first one, and the minutes.
    private func planned(_ rows: [PlannedRow]) -> [[Int]] {
        rows.map { [Int($0.planned.day) - Self.day, Int($0.planned.minute)] }
    }

    @Test func `Rule 15: a dose of the evening is due after midnight, until it ends`() throws {
        let evening = medication("A", [1320])
        let night = minute(30, day: 1)
        let due = try rows(.due, [evening], at: night)
        #expect(planned(due) == [[0, 1320]] && due.first?.display.phase == .overdue)
        let today = try rows(.date(daysBack: 0), [evening], at: night)
        #expect(planned(today) == [[0, 1320], [1, 1320]])
        #expect(today.map(\.display.phase) == [.overdue, .upcoming])
        let taken = [event(evening, 1320, .taken)]
        #expect(try rows(.due, [evening], taken, at: night).isEmpty)
        #expect(
            try planned(rows(.date(daysBack: 0), [evening], taken, at: night)) == [[1, 1320]])
        // Half-way to the next one.
        #expect(try planned(rows(.due, [evening], at: minute(599, day: 1))) == [[0, 1320]])
        #expect(try rows(.due, [evening], at: minute(600, day: 1)).isEmpty)
        #expect(
            try planned(rows(.date(daysBack: 0), [evening], at: minute(600, day: 1)))
                == [[1, 1320]])
        // With a second time, it ends earlier.
        let twice = medication("B", [420, 1320])
        #expect(try planned(rows(.due, [twice], at: minute(149, day: 1))) == [[0, 1320]])
        #expect(try rows(.due, [twice], at: minute(150, day: 1)).isEmpty)
    }

    @Test func `A snoozed dose is due when its snooze has ended`() throws {
        let one = medication("A", [480])
        let short = [event(one, 480, .snoozed(until: minute(600)))]
        #expect(try rows(.due, [one], short, at: minute(599)).isEmpty)
        let today = try rows(.date(daysBack: 0), [one], short, at: minute(599))
        #expect(today.map(\.display.phase) == [.snoozed(minute(600))])
        #expect(try planned(rows(.due, [one], short, at: minute(600))) == [[0, 480]])
        #expect(try rows(.due, [one], short, at: minute(1200)).isEmpty)
        // A snooze over midnight, past the end of a dose without one.
        let long = [
            event(one, 480, .snoozed(until: minute(100, day: 1))),
            event(one, 480, .snoozed(until: minute(400, day: 1))),
        ]
        for (now, due, today) in [
            (399, [], [[0, 480], [1, 480]]), (400, [[0, 480]], [[0, 480], [1, 480]]),
            (429, [[0, 480]], [[0, 480], [1, 480]]), (430, [], [[1, 480]]),
        ] as [(Int, [[Int]], [[Int]])] {
            let now = minute(now, day: 1)
            #expect(try planned(rows(.due, [one], long, at: now)) == due)
            #expect(try planned(rows(.date(daysBack: 0), [one], long, at: now)) == today)
        }
        let skipped = long + [event(one, 480, .skipped)]
        #expect(try rows(.due, [one], skipped, at: minute(400, day: 1)).isEmpty)
    }

    @Test func `Rule 14: on a day of daylight saving each dose keeps its own offset`() throws {
        // At 02:00 the local clock jumps to 03:00.
        let change = minute(60)
        let zone = ZoneTimeline(
            ZoneOffset(clamping: 60), [.init(at: change, ZoneOffset(clamping: 120))])
        let evening = medication("A", [1320])
        let night = try rows(.due, [evening], at: minute(420), zone)
        #expect(night.map(\.cursor.due) == [minute(1260, day: -1)])
        let skipped = medication("B", [150, 480])
        let today = try rows(.date(daysBack: 0), [skipped], at: minute(420), zone)
        #expect(today.map(\.cursor.due) == [change, minute(360)])
        let before = try rows(.date(daysBack: 1), [skipped], at: minute(420), zone)
        #expect(before.map(\.cursor.due) == [minute(90, day: -1), minute(420, day: -1)])
    }

    @Test func `Doses that a jump moves to one minute are on no page twice, and on one`() throws {
        let zone = ZoneTimeline(
            ZoneOffset(clamping: 60), [.init(at: minute(60), ZoneOffset(clamping: 120))])
        let two = [medication("A", [130, 150]), medication("B", [140])]
        let first = try rows(.date(daysBack: 0), two, at: minute(90), zone, limit: 1)
        #expect(first.map(\.planned.minute) == [130, 150])
        let rest = try rows(
            .date(daysBack: 0), two, at: minute(90), zone, after: first.last?.cursor, limit: 1)
        #expect(rest.map(\.planned.minute) == [140])
        let last = try rows(
            .date(daysBack: 0), two, at: minute(90), zone, after: rest.last?.cursor, limit: 1)
        #expect(last.isEmpty)
    }

    @Test func `Rule 15: late entries are listed for seven days`() throws {
        let one = medication("A", [480, 720])
        let now = minute(600)
        let oldest = try rows(.date(daysBack: 7), [one], at: now)
        #expect(planned(oldest) == [[-7, 720]] && oldest.first?.display.phase == .notLogged)
        let late = try rows(
            .date(daysBack: 6), [one], [event(one, 480, day: -6, .taken)], at: now)
        #expect(planned(late) == [[-6, 480], [-6, 720]])
        #expect(late.map(\.display.phase) == [.taken, .notLogged])
    }

    @Test func `Rule 15: a dose of an entry that was added after its hour is not due`() throws {
        var one = medication("A", [480])
        one.schedule.entries = one.schedule.entries.added(at: minute(540))
        #expect(try rows(.due, [one], at: minute(600)).isEmpty)
        let today = try rows(.date(daysBack: 0), [one], at: minute(600))
        #expect(today.map(\.display.phase) == [.notDue])
    }
}
