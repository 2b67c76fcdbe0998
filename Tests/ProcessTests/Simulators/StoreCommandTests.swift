import ControlProtocol
import Testing

/// The queries of the store: the same with a journal and without.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StoreCommandTests {
    private let bench = Bench()

    @Test func a_page_has_twenty_rows_without_a_limit() throws {
        let pair = try Pair(bench)
        let medications = (0..<21).map { JSONValue.object(["name": .string("Medicine \($0)")]) }
        let list: JSONValue = [
            "format": "watchproto.medications/1", "medications": .array(medications),
        ]
        let file = bench.path("many.json")
        bench.write(JSONWriter.text(list), to: file)
        try pair.synchronize(file)
        for program in [pair.phone, pair.watch] {
            let page = try program.call("medication.list")
            #expect(page["medications"]?.array?.count == 20 && page["next"] != .null)
        }
    }

    @Test(arguments: [false, true]) func the_store_answers(isKept: Bool) throws {
        func journal(_ name: String) -> [String] {
            isKept ? ["--journal", bench.path(name)] : []
        }
        let pair = try Pair(
            bench, phone: Program("PhoneSim", ["--link", bench.link()] + journal("p")),
            watch: Program("WatchSim", ["--link", bench.link()] + journal("w")))
        // 2027-01-15T08:00Z: one dose is overdue, and the other one of the day before has ended.
        for program in [pair.phone, pair.watch] {
            try program.call("clock.set", ["at_ms": 1_800_000_000_000, "zone_minutes": 0])
        }
        #expect(try pair.phone.call("medication.list")["medications"] == [])
        #expect(try pair.watch.call("medication.next")["medications"] == [])
        let file = bench.path("planned.json")
        bench.write(
            #"""
            {"format": "watchproto.medications/1", "medications": [
             {"name": "Early", "form": "tablet", "createdAt": "2020-01-01",
              "schedule": {"times": ["06:00"], "zone": "absolute"}},
             {"name": "Late", "form": "tablet", "createdAt": "2020-01-01",
              "schedule": {"times": ["20:00"], "zone": "absolute"}},
             {"name": "Seldom", "isAsNeeded": true, "form": "tablet"}]}
            """#, to: file)
        try pair.synchronize(file)
        for program in [pair.phone, pair.watch] {
            let page = try program.call("medication.list", ["limit": 2])
            #expect(page["medications"]?.array?.count == 2)
            let rest = try program.call("medication.list", ["after": page["next"] ?? .null])
            #expect(rest["medications"]?.array?.count == 1)
            #expect(rest["next"] == .null)
            let next = try program.call("medication.next", ["limit": 10])["medications"]
            #expect(next?.array?.count == 2)
            let key = next?.array?.first?["key"] ?? .null
            let one = try program.call("medication.fetch", ["key": key])
            #expect(one["next_minute"] == next?.array?.first?["next_minute"])
            let today = try program.call("dose.today", ["limit": 1])
            #expect(today["doses"]?.array?.first?["name"] == "Early")
            let later = try program.call(
                "dose.today",
                ["after_due": today["next_due"] ?? .null, "after": today["next"] ?? .null])
            #expect(later["doses"]?.array?.compactMap { $0["name"] } == ["Late"])
            #expect(try program.call("dose.due")["doses"]?.array?.first?["name"] == "Early")
            #expect(
                try program.request("medication.fetch", ["key": "5"])["error"]?["code"]
                    == "no_such_medication")
            #expect(
                try program.request("medication.fetch")["error"]?["code"] == "missing_field")
        }
        // Taken on the watch, it is due on neither any more.
        let index = try pair.watch.call("medication.list")["medications"]?.array?.firstIndex {
            $0["name"] == "Early"
        }
        try pair.watch.call("dose.record", ["index": .whole(index ?? 0)])
        try pair.phone.poll("dose.history") { $0["count"] == 1 }
        for program in [pair.phone, pair.watch] {
            #expect(
                try program.call("dose.due")["doses"]?.array?.contains { $0["name"] == "Early" }
                    == false)
            let states = try program.call("dose.today")["doses"]?.array?.compactMap { $0["state"] }
            #expect(states == ["taken", "open"])
            let history = try program.call("dose.history")
            #expect(history["doses"]?.array?.first?["action"] == "taken")
            let key = history["doses"]?.array?.first?["key"] ?? .null
            #expect(try program.call("dose.history", ["key": key])["doses"]?.array?.count == 1)
            #expect(try program.call("dose.history", ["key": "5"])["doses"] == [])
        }
        // A skipped dose is open on neither side any more.
        try pair.watch.call(
            "dose.record", ["index": .whole(index == 0 ? 1 : 0), "action": "skipped"])
        try pair.phone.poll("dose.history") { $0["count"] == 2 }
        for program in [pair.phone, pair.watch] {
            let history = try program.call("dose.history")["doses"]?.array
            #expect(history?.compactMap { $0["action"] } == ["skipped", "taken"])
        }
    }
}
