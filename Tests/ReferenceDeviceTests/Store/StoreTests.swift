import Testing
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoSecurity

@testable import ReferenceDevice

/// The store in a file answers as the one in memory does.
@Suite(.timeLimit(.minutes(2)))
struct StoreTests {
    /// 2026-02-14 at 14:30 in UTC, two hours behind where the wearer is.
    private let clock = WallClock(
        time: WallTime(milliseconds: 1_771_079_400_000), zoneOffsetMinutes: 120)

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64], [true, false])
    func both_kinds_of_store_give_the_same_answers(seed: UInt64, isSealed: Bool) throws {
        let home = Household(seed: seed, count: 60, clock: clock)
        let shelf = try Shelf(
            key: isSealed ? AtRestPayloads(key: try .random()) : UnsealedPayloads())
        try shelf.give(try home.writes)
        let (file, list) = (shelf.store, try home.list)
        #expect(try file.counts() == list.counts())
        for one in home.medications {
            #expect(try file.fetch(one.id)?.body == list.fetch(one.id)?.body)
            #expect(
                try file.doses(of: one.id, before: nil, limit: 100)
                    == list.doses(of: one.id, before: nil, limit: 100))
        }
        #expect(try file.fetch(MedicationID(rawValue: 5)) == nil)
        for limit in [1, 7, 1000] {
            #expect(try file.list(after: 0, limit: limit) == list.list(after: 0, limit: limit))
            #expect(try file.list(after: 20, limit: limit) == list.list(after: 20, limit: limit))
            #expect(try file.byNextDose(limit: limit) == list.byNextDose(limit: limit))
            #expect(
                try file.doses(of: nil, before: 30, limit: limit)
                    == list.doses(of: nil, before: 30, limit: limit))
        }
        for zone in zones {
            for hours in [-30, -14, -3, 0, 5, 9, 160] {
                for subject in subjects {
                    for limit in [1, 7, 1000] {
                        let query = query(subject, zone, hours: hours, limit: limit)
                        let wanted = try list.planned(query)
                        #expect(try file.planned(query) == wanted, "\(subject) \(hours) \(limit)")
                    }
                }
            }
        }
        let due = try list.planned(query(.due, zones[0], limit: 1000))
        #expect(!due.isEmpty, "the sample says nothing")
        let today = try list.planned(query(.date(daysBack: 0), zones[0], limit: 1000))
        #expect(Set(today.map(\.state)).count > 3)
    }

    private let subjects: [PlannedQuery.Subject] = [
        .due, .date(daysBack: 0), .date(daysBack: 1), .date(daysBack: 7),
    ]

    /// The zone of the clock; one that began today, by daylight saving; and two by a journey.
    private var zones: [ZoneTimeline] {
        func change(_ hours: Int, _ minutes: Int) -> ZoneTimeline.Change {
            .init(
                at: WallMinute(clock.time).advanced(by: hours * 60),
                ZoneOffset(clamping: minutes))
        }
        let here = ZoneOffset(clamping: 120)
        return [
            ZoneTimeline(here), ZoneTimeline(ZoneOffset(clamping: 60), [change(-11, 120)]),
            ZoneTimeline(ZoneOffset(clamping: -600), [change(-20, 840)]),
            ZoneTimeline(ZoneOffset(clamping: 840), [change(-3, -600)]),
        ]
    }

    private func query(
        _ subject: PlannedQuery.Subject, _ zone: ZoneTimeline, hours: Int = 0,
        after: PlannedCursor? = nil, limit: Int
    ) -> PlannedQuery {
        let now = WallMinute(clock.time)
        return PlannedQuery(
            subject, at: now.advanced(by: hours * 60), zone, checked: now.advanced(by: -90),
            after: after, limit: limit)
    }

    @Test(arguments: [1, 7]) func pages_of_the_day_join_without_a_gap(limit: Int) throws {
        let home = Household(seed: 9, count: 80, clock: clock)
        let shelf = try Shelf()
        try shelf.give(try home.writes)
        for zone in zones {
            let subject = PlannedQuery.Subject.date(daysBack: 0)
            let whole = try shelf.store.planned(query(subject, zone, limit: 1000))
            var pages: [PlannedRow] = []
            while true {
                let page = try shelf.store.planned(
                    query(subject, zone, after: pages.last?.cursor, limit: limit))
                pages += page
                if page.count < limit { break }
            }
            #expect(pages == whole)
            #expect(whole.count > 20)
        }
    }

    @Test func changes_outlive_a_kill() throws {
        let home = Household(seed: 3, count: 20, clock: clock)
        let shelf = try Shelf(key: AtRestPayloads(key: try .random()))
        try shelf.give(try home.writes)
        var edited = home.medications[4]
        edited.name = "Another"
        edited.history = DoseHistory(taken: 3, skipped: 1)
        edited.schedule = MedicationSchedule(minutes: [600])
        edited.isActive = true
        edited.isAsNeeded = false
        let (changed, clock) = (edited, clock)
        try shelf.give([
            StoreChange.put { changed.stored(at: clock) },
            StoreChange.remove(home.medications[7].id),
            StoreChange.remove(MedicationID(rawValue: 99)),
            StoreChange.note(.complication, [1, 2, 3]),
        ])
        try shelf.killAndOpen()
        let store = shelf.store
        let row = try #require(try store.fetch(changed.id))
        #expect(row.history == DoseHistory(taken: 3, skipped: 1))
        #expect(row.place == 5, "it keeps its place")
        let read = try Medication(stored: row)
        #expect(read.name == "Another")
        #expect(read.history == DoseHistory(taken: 3, skipped: 1))
        #expect(try store.fetch(home.medications[7].id) == nil)
        #expect(try store.counts().medications == 19)
        #expect(try store.note(.complication) == [1, 2, 3])
        #expect(try store.note(.hasList) == nil)
        let zone = ZoneTimeline(ZoneOffset(clamping: 120))
        let today = try store.planned(query(.date(daysBack: 0), zone, limit: 1000))
        #expect(today.filter { $0.cursor.place == 5 }.map(\.planned.minute) == [600])
        #expect(!today.contains { $0.cursor.place == 8 })
        // A removed medication comes back at the end.
        let again = home.medications[7]
        try shelf.give([StoreChange.put { again.stored(at: clock) }])
        #expect(try store.fetch(again.id)?.place == 21)
    }

    @Test func a_batch_of_five_hundred_is_one_transaction() throws {
        let home = Household(seed: 3, count: 500, clock: clock)
        let shelf = try Shelf()
        let before = shelf.file.counters.commits
        try shelf.give(try home.writes.prefix(500).map { $0 })
        #expect(try shelf.store.counts().medications == 500)
        #expect(shelf.file.counters.commits == before + 1)
    }

    @Test func next_doses_that_are_over_are_found() throws {
        let home = Household(seed: 5, count: 40, clock: clock)
        let shelf = try Shelf()
        try shelf.give(try home.writes)
        let first = try #require(try shelf.store.byNextDose(limit: 1).first)
        let due = try #require(first.nextDose)
        #expect(try shelf.store.overtaken(at: WallMinute(clock.time), limit: 100) == [])
        #expect(try shelf.store.overtaken(at: due, limit: 100).first == first)
        try shelf.give([StoreChange.nextDose(at: first.place, nil)])
        #expect(try shelf.store.byNextDose(limit: 100).allSatisfy { $0.place != first.place })
    }

    // MARK: Contents in clear

    @Test func under_a_key_the_file_names_nothing() throws {
        let home = Household(seed: 2, count: 3, clock: clock)
        func secrets() throws -> [[UInt8]] {
            let one = home.medications[1]
            var id = WireWriter()
            id.uint128(one.id.rawValue)
            var event = WireWriter()
            event.uint128(home.events[0].id.rawValue)
            return [
                Array(one.name.utf8), Array(one.strength.utf8), id.bytes, event.bytes,
                id.bytes.reversed(), event.bytes.reversed(),
            ]
        }
        let open = try Shelf()
        try open.give(try home.writes)
        for secret in try secrets().prefix(4) { #expect(open.holds(secret), "the search works") }
        let sealed = try Shelf(key: AtRestPayloads(key: try .random()))
        try sealed.give(try home.writes)
        for secret in try secrets() { #expect(!sealed.holds(secret)) }
        #expect(
            try sealed.store.list(after: 0, limit: 10) == home.list.list(after: 0, limit: 10))
    }

    @Test func a_bit_that_fell_in_a_record_is_found_without_a_key_too() throws {
        let home = Household(seed: 2, count: 3, clock: clock)
        let shelf = try Shelf()
        try shelf.give(try home.writes)
        try shelf.give([
            SQLWrite(
                "UPDATE medications SET body = CAST(replace(body, 'Remedy', 'Remedx') AS BLOB) "
                    + "WHERE id = 2")
        ])
        #expect(throws: StoreFailure.self) { try shelf.store.fetch(home.medications[1].id) }
        #expect(try shelf.store.fetch(home.medications[0].id) != nil)
    }

    /// A body sealed for one row does not pass for another.
    @Test func a_row_moved_to_another_place_does_not_open() throws {
        let home = Household(seed: 2, count: 3, clock: clock)
        let shelf = try Shelf(key: AtRestPayloads(key: try .random()))
        try shelf.give(try home.writes)
        try shelf.give([
            SQLWrite(
                "UPDATE medications SET body = (SELECT body FROM medications WHERE id = 1) "
                    + "WHERE id = 2")
        ])
        #expect(throws: StoreFailure.self) { try shelf.store.fetch(home.medications[1].id) }
        #expect(try shelf.store.fetch(home.medications[0].id) != nil)
    }
}
