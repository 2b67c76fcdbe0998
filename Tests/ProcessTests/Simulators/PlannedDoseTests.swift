import ControlProtocol
import Testing
import WatchProtoCore
import WatchProtoRecords

/// The commands about planned doses, at hours that a simple day does not have.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PlannedDoseTests {
    private let bench = Bench()
    /// 2027-01-15T08:00Z.
    private static let eight: Int64 = 1_800_000_000_000
    /// That date, in days since 2020-01-01.
    private static let day: Int64 = 2571

    /// Sets the clocks so many minutes after eight.
    private func set(_ pair: Pair, to minutes: Int64) throws {
        for program in [pair.phone, pair.watch] {
            try program.call(
                "clock.set",
                ["at_ms": .integer(Self.eight + minutes * 60_000), "zone_minutes": 0])
        }
    }

    /// The same, and the devices meet again: the watch measures the phone's clock.
    private func meet(_ pair: Pair, at minutes: Int64) throws {
        try pair.watch.call("link.close")
        try pair.phone.wait("reachability", ["reachable": false])
        try set(pair, to: minutes)
        try pair.watch.call("link.open")
        let now = Int64(WallMinute(WallTime(milliseconds: Self.eight)).minutes) + minutes
        try pair.watch.poll("dose.today") { ($0["checked_minute"]?.integer ?? 0) >= now - 1 }
        try pair.phone.poll("dose.today") { ($0["checked_minute"]?.integer ?? 0) >= now - 1 }
    }

    /// Two devices with a medication of these times, and one that is taken as needed.
    private func pair(_ times: [String], at minutes: Int64) throws -> Pair {
        let pair = try Pair(bench)
        try set(pair, to: minutes)
        let list: JSONValue = [
            "format": "watchproto.medications/1",
            "medications": [
                [
                    "name": "Planned", "form": "tablet", "createdAt": "2020-01-01",
                    "schedule": ["times": .array(times.map { .string($0) })],
                ],
                [
                    "name": "Seldom", "form": "tablet", "createdAt": "2020-01-01",
                    "isAsNeeded": true,
                ],
            ],
        ]
        bench.write(JSONWriter.text(list), to: bench.path("list.json"))
        try pair.synchronize(bench.path("list.json"))
        return pair
    }

    private func key(of name: JSONValue, _ program: Program) throws -> JSONValue {
        let list = try program.call("medication.list")["medications"]?.array
        return list?.first { $0["name"] == name }?["key"] ?? .null
    }

    /// The dates of the doses, counted from the first one, with their phases.
    private func doses(_ reply: JSONValue) -> [JSONValue] {
        (reply["doses"]?.array ?? []).map { row in
            [.whole((row["day"]?.integer ?? 0) - Self.day), row["phase"] ?? .null]
        }
    }

    @Test func after_midnight_the_dose_of_the_evening_is_due_and_recorded() throws {
        let pair = try pair(["22:00"], at: 990)
        for program in [pair.phone, pair.watch] {
            #expect(try doses(program.call("dose.due")) == [[0, "overdue"]])
            #expect(
                try doses(program.call("dose.today")) == [[0, "overdue"], [1, "upcoming"]])
        }
        try pair.watch.call("dose.record", ["key": try key(of: "Planned", pair.watch)])
        for program in [pair.phone, pair.watch] {
            try program.poll("dose.due") { $0["doses"] == [] }
            #expect(try doses(program.call("dose.today")) == [[1, "upcoming"]])
            #expect(
                try doses(program.call("dose.today", ["day": 1])) == [[0, "taken"]])
        }
    }

    @Test func a_dose_taken_before_its_time_is_that_one() throws {
        let pair = try pair(["08:00", "22:00"], at: 820)
        try pair.phone.call("dose.record", ["key": try key(of: "Planned", pair.phone)])
        for program in [pair.phone, pair.watch] {
            try program.poll("dose.today") { reply in
                doses(reply) == [[0, "not_logged"], [0, "taken"]]
            }
        }
    }

    @Test func a_dose_is_nearest_to_when_it_was_taken_and_stays_it_when_it_is_repeated() throws {
        let pair = try pair(["08:00", "20:00"], at: 359)
        let dose: JSONValue = [
            "key": try key(of: "Planned", pair.watch),
            "dose": .string(String(repeating: "a", count: 32)),
        ]
        try pair.watch.call("dose.record", dose)
        // The one of 20:00 is nearest by now.
        try set(pair, to: 361)
        #expect(try pair.watch.call("dose.record", dose)["recorded"] == 1)
        try set(pair, to: 1445)
        let eight = WallMinute(WallTime(milliseconds: Self.eight)).minutes
        try pair.watch.call(
            "dose.record",
            [
                "key": try key(of: "Planned", pair.watch),
                "taken_minute": .integer(Int64(eight) + 720),
            ])
        for program in [pair.phone, pair.watch] {
            try program.poll("dose.history") { $0["count"] == 2 }
            let rows = try program.call("dose.history")["doses"]?.array ?? []
            #expect(rows.map { $0["entry"] } == [1200, 480])
            #expect(
                try doses(program.call("dose.today", ["day": 1])) == [[0, "taken"], [0, "taken"]])
        }
    }

    /// Rule 12: a device that was not told says so.
    @Test func a_dose_that_fell_due_without_a_link_is_unchecked_until_the_link_is_back() throws {
        let pair = try pair(["08:00"], at: -60)
        func unchecked(_ program: Program) throws -> [JSONValue?]? {
            try program.call("dose.today")["doses"]?.array?.map { $0["unchecked"] }
        }
        try pair.watch.poll("dose.due") { $0["checked_minute"] != .null }
        try pair.watch.call("link.close")
        try pair.phone.wait("reachability", ["reachable": false])
        #expect(try unchecked(pair.watch) == [false] && unchecked(pair.phone) == [false])
        try set(pair, to: 10)
        #expect(try unchecked(pair.watch) == [true] && unchecked(pair.phone) == [true])
        #expect(try pair.watch.call("dose.due")["doses"]?.array?.first?["unchecked"] == true)
        try pair.watch.call("link.open")
        for program in [pair.phone, pair.watch] {
            try program.poll("dose.today") { reply in
                let row = reply["doses"]?.array?.first
                return row?["unchecked"] == false && row?["state"] == "open"
            }
        }
    }

    /// Rule 15.
    @Test func a_dose_of_days_ago_is_entered_late() throws {
        let pair = try pair(["06:00", "20:00"], at: 0)
        let week = try pair.watch.call("dose.today", ["day": 7])
        #expect(doses(week) == [[-7, "not_logged"]], "that of 06:00 is not offered any more")
        let old = try #require(
            pair.watch.call("dose.today", ["day": 3])["doses"]?.array?.first)
        #expect(old["phase"] == "not_logged" && old["entry"] == 360)
        let entry: JSONValue = [
            "key": old["key"] ?? .null, "day": old["day"] ?? .null, "entry": old["entry"] ?? .null,
            "taken_minute": old["due_minute"] ?? .null,
        ]
        #expect(try pair.watch.call("dose.record", entry)["recorded"] == 1)
        #expect(try pair.watch.call("dose.record", entry)["recorded"] == 0)
        for program in [pair.phone, pair.watch] {
            try program.poll("dose.today", ["day": 3]) { reply in
                doses(reply) == [[-3, "taken"], [-3, "not_logged"]]
            }
        }
    }

    /// Rule 2: both count.
    @Test func doses_as_needed_of_two_devices_within_ten_minutes_are_flagged() throws {
        let pair = try pair(["08:00"], at: -60)
        try meet(pair, at: -60)
        let seldom: JSONValue = ["key": try key(of: "Seldom", pair.phone)]
        try pair.phone.call("dose.record", seldom)
        try meet(pair, at: -55)
        try pair.watch.call("dose.record", seldom)
        try meet(pair, at: -40)
        try pair.watch.call("dose.record", seldom)
        try set(pair, to: -39)
        try pair.watch.call("dose.record", ["key": try key(of: "Planned", pair.watch)])
        for program in [pair.phone, pair.watch] {
            try program.poll("dose.history") { $0["count"] == 4 }
            let rows = try program.call("dose.history")["doses"]?.array ?? []
            let flags = rows.sorted { ($0["at_ms"]?.integer ?? 0) < ($1["at_ms"]?.integer ?? 0) }
                .map { $0["may_be_double"] }
            #expect(flags == [true, true, false, nil])
        }
    }
}
