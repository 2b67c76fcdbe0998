import Testing
import WatchProto
import WatchProtoCore
import WatchProtoSecurity

@testable import ReferenceDevice
@testable import WatchProtoJournal

/// An altered row of the tables is found when the file is opened.
@Suite(.timeLimit(.minutes(3)))
struct CheckTests {
    private let household = Household(
        seed: 5, count: 30, clock: WallClock(time: WallTime(milliseconds: 1_771_079_400_000)))

    private func shelf(_ key: any PayloadKey) throws -> Shelf {
        let shelf = try Shelf(key: key)
        let value = StoredValue(
            recovered: .opaque, [1, 2], .background, RecordKey(rawValue: 9), from: 5)
        try shelf.give(
            household.writes + [StoreChange.note(.hasList, [1]), StoredValue.insert(value)])
        return shelf
    }

    /// Each changes one row, which all the file's own structure says nothing of.
    private static let changes: [(sql: String, words: String)] = [
        (
            "UPDATE dose_events SET status = (status + 1) % 4 WHERE id = 3",
            "dose event 3: the column 'status'"
        ),
        (
            "UPDATE dose_events SET day = coalesce(day, 0) + 1 WHERE id = 4",
            "dose event 4: the column 'day'"
        ),
        (
            "UPDATE dose_events SET entry = coalesce(entry, 0) + 1 WHERE id = 4",
            "dose event 4: the column 'entry'"
        ),
        (
            "UPDATE dose_events SET moment_day = moment_day + 1 WHERE id = 4",
            "dose event 4: the column 'moment_day'"
        ),
        (
            "UPDATE dose_events SET medication = x'0201' WHERE id = 5",
            "dose event 5: the column 'medication'"
        ),
        ("UPDATE dose_events SET tag = x'0201' WHERE id = 6", "dose event 6: the column 'tag'"),
        (
            "UPDATE dose_events SET bucket = (bucket + 1) % 256 WHERE id = 7",
            "dose event 7: the column 'bucket'"
        ),
        (
            "UPDATE dose_events SET body = body || x'00' WHERE id = 8",
            "row 8 of the store's table 113"
        ),
        (
            "UPDATE dose_events SET id = 100000 WHERE id = 8",
            "row 100000 of the store's table 113"
        ),
        ("DELETE FROM dose_events WHERE id = 9", "the digests of the dose ledger"),
        (
            "DELETE FROM dose_replacements WHERE event = (SELECT min(event) FROM dose_replacements)",
            "the replacements of the dose ledger"
        ),
        ("UPDATE medications SET tag = x'01' WHERE id = 2", "the column 'tag'"),
        ("UPDATE notes SET id = 1 WHERE id = 2", "row 1 of the store's table 3"),
        ("UPDATE stored_values SET tag = x'81'", "kept value 1: the tag"),
        ("UPDATE medications SET planned = 1 - planned WHERE id = 1", "the column 'planned'"),
        (
            "UPDATE medications SET weekdays = weekdays + 128 WHERE id = 1",
            "the column 'weekdays'"
        ),
        (
            "UPDATE medications SET every_days = every_days + 1 WHERE id = 1",
            "the column 'every_days'"
        ),
        (
            "UPDATE medications SET first_day = coalesce(first_day, 0) + 1 WHERE id = 1",
            "the column 'first_day'"
        ),
        (
            "UPDATE medications SET last_day = coalesce(last_day, 0) + 1 WHERE id = 1",
            "the column 'last_day'"
        ),
        (
            """
            UPDATE medications SET next_dose = next_dose + 1 WHERE id = (
                SELECT min(id) FROM medications
                WHERE next_dose IS NOT NULL AND id IN
                    (SELECT medication FROM slots WHERE zone <> 10000))
            """, "the column 'next_dose'"
        ),
        (
            """
            UPDATE slots SET minute = minute + 1440 WHERE (zone, minute, medication) = (
                SELECT zone, minute, medication FROM slots LIMIT 1)
            """, "times of the day"
        ),
        (
            """
            UPDATE slots SET entry = entry + 1 WHERE (zone, minute, medication) = (
                SELECT zone, minute, medication FROM slots LIMIT 1)
            """, "times of the day"
        ),
        (
            """
            UPDATE slots SET added = added + 1 WHERE (zone, minute, medication) = (
                SELECT zone, minute, medication FROM slots LIMIT 1)
            """, "times of the day"
        ),
        ("DELETE FROM medications WHERE id = (SELECT min(medication) FROM slots)", "missing"),
    ]

    @Test(arguments: [false, true])
    func a_changed_column_is_damage(isSealed: Bool) throws {
        let key: any PayloadKey =
            isSealed ? AtRestPayloads(key: try AtRestKey.random()) : UnsealedPayloads()
        for change in Self.changes {
            let shelf = try shelf(key)
            let error = try shelf.tamper(change.sql)
            #expect(error?.kind == .damaged, "\(change.sql): \(error as Any)")
            #expect(
                error?.detail.contains(change.words) == true, "\(change.sql): \(error as Any)")
            let store =
                change.sql.contains("dose_")
                ? "doses" : change.sql.contains("stored_values") ? "watchproto" : "device"
            #expect(error?.detail.contains(store) == true, "\(error as Any)")
        }
    }

    @Test func what_was_written_is_opened_again() throws {
        for key in [AtRestPayloads(key: try AtRestKey.random()), UnsealedPayloads()]
            as [any PayloadKey]
        {
            let shelf = try shelf(key)
            try shelf.killAndOpen()
            if key is UnsealedPayloads {
                #expect(try shelf.tamper("UPDATE medications SET taken = 3 WHERE id = 1") == nil)
            }
            #expect(try shelf.store.counts().doses == household.events.count)
        }
    }
}
