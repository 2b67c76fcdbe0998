import ControlProtocol
import Testing

/// Warnings about doses (rule 16), and clocks that are wrong (rule 13), on both devices.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DoseLimitTests {
    private let bench = Bench()

    /// Two devices with one planned dose a day and one medication with limits.
    private func pair() throws -> Pair {
        let pair = try Pair(
            bench, phone: Program("PhoneSim", ["--link", bench.link()]),
            watch: Program("WatchSim", ["--link", bench.link()]))
        let file = bench.path("limits.json")
        bench.write(
            #"""
            {"format": "watchproto.medications/1", "medications": [
             {"name": "Early", "form": "tablet", "createdAt": "2020-01-01",
              "schedule": {"times": ["00:00"], "zone": "absolute"}},
             {"name": "Seldom", "isAsNeeded": true, "form": "tablet",
              "limits": {"minimumInterval": 240, "maximumPerDay": 2}}]}
            """#, to: file)
        try pair.synchronize(file)
        return pair
    }

    private func key(of name: JSONValue, _ program: Program) throws -> JSONValue {
        let list = try program.call("medication.list")["medications"]?.array
        return list?.first { $0["name"] == name }?["key"] ?? .null
    }

    /// Waits until both devices have this number of events.
    private func settle(_ count: Int64, _ pair: Pair) throws {
        for program in [pair.phone, pair.watch] {
            try program.poll("dose.history") { $0["count"] == .integer(count) }
        }
    }

    @Test("Rule 16: both devices warn, and record every dose")
    func both_devices_warn() throws {
        let pair = try pair()
        let (phone, watch) = (pair.phone, pair.watch)
        let key = try key(of: "Seldom", phone)
        func take(_ program: Program, _ minute: Int64) throws -> JSONValue? {
            let reply = try program.call(
                "dose.record", ["key": key, "taken_minute": .integer(minute)])
            #expect(reply["recorded"] == 1)
            return reply["warnings"]
        }
        func tooSoon(_ next: Int64) -> JSONValue {
            [
                "warning": "too_soon", "key": key, "next_minute": .integer(next),
                "interval_minutes": 240,
            ]
        }
        func overMaximum(_ taken: Int64) -> JSONValue {
            [
                "warning": "over_daily_maximum", "key": key, "taken": .integer(taken),
                "maximum": 2,
            ]
        }
        #expect(try take(watch, 3_000_000) == nil)
        try settle(1, pair)
        // Each device warns of a dose that the other one recorded.
        #expect(try take(phone, 3_000_239) == [tooSoon(3_000_479)])
        try settle(2, pair)
        #expect(try take(watch, 3_000_479) == [overMaximum(3)])
        try settle(3, pair)
        #expect(try take(phone, 3_000_480) == [tooSoon(3_000_720), overMaximum(4)])
        try settle(4, pair)
        #expect(try take(watch, 3_010_000) == nil, "six days later")
        // A dose that is not taken is no dose too many.
        let skipped = try watch.call("dose.record", ["key": key, "action": "skipped"])
        #expect(skipped["recorded"] == 1 && skipped["warnings"] == nil)
        // A medication without limits.
        let early = try self.key(of: "Early", watch)
        for _ in 0..<4 {
            #expect(try watch.call("dose.record", ["key": early])["warnings"] == nil)
        }
        try settle(10, pair)
    }

    @Test("Rule 16: a withdrawn dose does not count, and a repeated command counts once")
    func only_doses_that_count_warn() throws {
        let watch = try pair().watch
        let key = try key(of: "Seldom", watch)
        let act: JSONValue = [
            "key": key, "taken_minute": 3_000_000,
            "dose": .string(String(repeating: "a", count: 32)),
        ]
        for _ in 0..<2 { #expect(try watch.call("dose.record", act)["warnings"] == nil) }
        let next: JSONValue = ["key": key, "taken_minute": 3_000_001]
        let second = try watch.call("dose.record", next)
        #expect(second["warnings"]?.array?.compactMap { $0["warning"]?.string } == ["too_soon"])
        for dose in [act["dose"], second["doses"]?.array?.first] {
            try watch.call("dose.withdraw", ["dose": dose ?? .null])
        }
        #expect(try watch.call("dose.record", next)["warnings"] == nil)
        let several = try watch.call(
            "dose.record", ["index": 0, "count": 4, "taken_minute": 3_000_002])
        #expect(several["recorded"] == 4)
        let warnings = several["warnings"]?.array ?? []
        #expect(
            warnings.compactMap { $0["warning"]?.string } == ["too_soon", "over_daily_maximum"])
        #expect(warnings.last?["taken"] == 3)
    }

    @Test("Rule 13: an event of a clock that is 5 min wrong is marked, and no status changes")
    func a_wrong_clock_is_marked() throws {
        let pair = try pair()
        let (phone, watch) = (pair.phone, pair.watch)
        // Far from midnight. The watch has answered a comparison since, so it has measured the
        // phone's clock.
        let now: Int64 = 1_800_000_000_000
        try watch.call("link.close")
        try phone.wait("reachability", ["reachable": false])
        for program in [phone, watch] {
            try program.call("clock.set", ["at_ms": .integer(now), "zone_minutes": 0])
        }
        try watch.call("link.open")
        try phone.poll("dose.today") { ($0["checked_minute"]?.integer ?? 0) >= 3_702_719 }
        let early = try key(of: "Early", phone)
        let seldom = try key(of: "Seldom", phone)
        try watch.call(
            "dose.record",
            ["key": early, "day": .integer(now / 86_400_000 - 18_262), "minute": 0])
        try settle(1, pair)
        func states(_ program: Program) throws -> [JSONValue] {
            try program.call("dose.today")["doses"]?.array?.compactMap { $0["state"] } ?? []
        }
        let before = (try states(phone), try states(watch))
        #expect(before.0.contains("taken") && before.1.contains("taken"))
        try watch.call("clock.set", ["at_ms": .integer(now + 300_000)])
        try watch.call("dose.record", ["key": seldom])
        try phone.call("dose.record", ["key": seldom])
        try settle(3, pair)
        for program in [phone, watch] {
            let rows = try program.call("dose.history")["doses"]?.array ?? []
            let marked = rows.filter { $0["uncertain"] == true }
            #expect(marked.count == 1 && rows.count == 3)
            #expect(marked.first?["at_ms"]?.integer ?? 0 >= now + 300_000)
        }
        #expect(try states(phone) == before.0 && states(watch) == before.1)
        // The watch's clock is right again.
        try watch.call("clock.set", ["at_ms": .integer(now + 10_000)])
        try watch.call("dose.record", ["key": seldom])
        try settle(4, pair)
        let last = try phone.call("dose.history", ["limit": 1])["doses"]?.array?.first
        #expect(last?["uncertain"] == nil)
        #expect(try states(phone) == before.0 && states(watch) == before.1)
        let digest = try phone.call("status")["doses"]?["digest"]
        #expect(try digest == watch.call("status")["doses"]?["digest"])
    }
}
