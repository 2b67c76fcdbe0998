import CommandLine
import ControlProtocol
import Glibc
import Testing

/// A phone that is connected with two watches at once: each dose closes on all three devices.
@Suite(.serialized) struct SeveralWatchesTests {
    private let bench = Bench()
    /// When the test began, in seconds. Its doses are of that date in UTC.
    private let begun = Int64(time(nil))

    /// The time since then, as if the test had begun at eight: far from midnight.
    private var now: Int64 { Int64(time(nil)) - begun % 86_400 + 28_800 }

    private func link(_ name: String) -> String { "unix:\(bench.path("\(name).sock"))" }

    private func start(_ name: String) throws -> Program {
        try Program(
            name == "p" ? "PhoneSim" : "WatchSim",
            ["--link", link(name == "p" ? "b" : name), "--journal", bench.path(name)])
    }

    /// Twenty medications with one planned dose a day.
    private func plan() -> String {
        let entries = (0..<20).map { index -> JSONValue in
            [
                "name": .string("Medicine \(index)"), "form": "tablet", "createdAt": "2020-01-01",
                "schedule": ["times": ["00:00"], "zone": "absolute"],
            ]
        }
        let list: JSONValue = [
            "format": "watchproto.medications/1", "medications": .array(entries),
        ]
        bench.write(JSONWriter.text(list), to: bench.path("list.json"))
        return bench.path("list.json")
    }

    /// A phone and two watches with the same medications. The second watch is the active one.
    /// `setsClocks` sets them to ``now``; a process that starts anew has the host's clock.
    private func three(
        setsClocks: Bool = true
    ) throws -> (devices: [String: Program], pairings: [String: JSONValue]) {
        let devices = ["p": try start("p"), "a": try start("a"), "b": try start("b")]
        for device in devices.values where setsClocks {
            try device.call("clock.set", ["at_ms": .integer(now * 1000), "zone_minutes": 0])
        }
        var pairings: [String: JSONValue] = [:]
        let phone = try #require(devices["p"])
        try phone.call("import", ["path": .string(plan())])
        for name in ["a", "b"] {
            let watch = try #require(devices[name])
            let code = try watch.call("pair.show", ["confirmed": true])["code"] ?? .null
            let at = JSONValue.string(link(name))
            try phone.call("pair.enter", ["code": code, "confirmed": true, "link": at])
            let pairing = try phone.wait("pairing.done")["pairing"] ?? .null
            try phone.wait("activation", ["state": "activated", "pairing": pairing])
            try phone.call("sync")
            try watch.poll("store") { $0["count"] == 20 }
            pairings[name] = pairing
        }
        return (devices, pairings)
    }

    private func connect(_ pairing: JSONValue?, _ name: String, to phone: Program) throws {
        try phone.call(
            "link.open", ["pairing": pairing ?? .null, "link": .string(link(name))])
    }

    /// The fields that name today's dose of a medication. Another one may be nearer.
    private func dose(_ index: Int) -> JSONValue {
        let day = (begun - 1_577_836_800) / 86_400
        return ["index": .whole(index), "day": .integer(day), "minute": 0]
    }

    /// The states of today's doses, by medication and minute.
    private func states(_ program: Program) throws -> [String: String] {
        let rows = try program.call("dose.today", ["limit": 200])["doses"]?.array ?? []
        return Dictionary(
            rows.map { row in
                ("\(row["key"] ?? .null) \(row["due_minute"] ?? .null)", row["state"]?.string ?? "")
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The identities of all events of a ledger.
    private func events(of program: Program) throws -> Set<String> {
        var identities: Set<String> = []
        var fields: JSONValue = ["limit": 200]
        while true {
            let page = try program.call("dose.history", fields)
            for row in page["doses"]?.array ?? [] {
                if let identity = row["dose"]?.string { identities.insert(identity) }
            }
            guard let before = page["next"], before != .null else { return identities }
            fields = ["limit": 200, "before": before]
        }
    }

    /// Waits until all ledgers are equal, and returns the number of their events.
    private func settle(_ devices: some Sequence<Program>) throws -> Int64 {
        var found: [JSONValue?] = []
        for _ in 0..<400 {
            found = try devices.map { try $0.call("status")["doses"] }
            let digests = Set(found.map { $0?["digest"]?.string ?? "" })
            if digests.count == 1, found.allSatisfy({ $0?["settled"] == true }) { break }
            usleep(25_000)
        }
        let digests = Set(found.map { $0?["digest"]?.string ?? "" })
        #expect(digests.count == 1, "\(found)")
        return found.first??["count"]?.integer ?? -1
    }

    private func end(_ programs: some Sequence<Program>) throws {
        for program in programs {
            try program.call("quit")
            _ = try program.awaitEnd()
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func a_dose_of_one_watch_is_closed_on_the_other_while_both_are_connected() throws {
        let (devices, pairings) = try three()
        let (phone, a, b) = (devices["p"]!, devices["a"]!, devices["b"]!)
        try connect(pairings["a"], "a", to: phone)
        try phone.wait(
            "watch.reachability", ["pairing": pairings["a"] ?? .null, "reachable": true])
        for row in try phone.call("pair.list")["pairings"]?.array ?? [] {
            #expect(row["reachable"] == true)
        }
        _ = try settle(devices.values)
        // Each device has the events of those that it is paired with (rule 12).
        for device in devices.values {
            let minute = (now - 1_577_836_800) / 60
            try device.poll("dose.due") { reply in
                reply["checked_minute"]?.integer.map { minute - $0 < 5 } ?? false
            }
        }
        let before = try states(b)
        try a.call("dose.record", dose(0))
        try b.wait("dose.arrived", ["new": true])
        #expect(try settle(devices.values) == 1)
        let after = try states(b)
        #expect(after.values.count { $0 == "taken" } == before.values.count { $0 == "taken" } + 1)
        #expect(try states(a) == after && states(phone) == after)
        // The other way, and from the phone.
        try b.call("dose.record", dose(1))
        try phone.call("dose.record", dose(2))
        #expect(try settle(devices.values) == 3)
        // Nothing comes back to the watch that it came from.
        #expect(!a.events.contains { $0["event"] == "dose.arrived" && $0["new"] == false })
        try phone.call("link.close", ["pairing": pairings["a"] ?? .null])
        let row = try phone.call("pair.list")["pairings"]?.array?.first
        #expect(row?["reachable"] == false && row?["state"] == "inactive")
        #expect(try phone.call("status")["reachable"] == true)
        try end(devices.values)
    }

    @Test(.timeLimit(.minutes(3)))
    func the_status_of_an_application_goes_to_all_watches() throws {
        let (devices, pairings) = try three()
        let (phone, a, b) = (devices["p"]!, devices["a"]!, devices["b"]!)
        let first = pairings["a"] ?? .null
        try phone.call("app.report", ["foreground": false, "capabilities": ["doses"]])
        try b.wait("app.status", ["foreground": false, "capabilities": ["doses"]])
        try connect(first, "a", to: phone)
        try a.wait("app.status", ["foreground": false, "capabilities": ["doses"]])
        try phone.call("app.report", ["foreground": true])
        for watch in [a, b] { try watch.wait("app.status", ["foreground": true]) }
        // The status of the inactive watch is told apart, and does not count for the active one.
        try a.call("app.report", ["foreground": false, "capabilities": ["first"]])
        try phone.wait(
            "watch.status",
            ["pairing": first, "foreground": false, "capabilities": ["first"], "active": true])
        #expect(try phone.call("status")["app"]?["capabilities"] != ["first"])
        try end(devices.values)
    }

    @Test(.timeLimit(.minutes(3)))
    func the_active_watch_may_change_while_both_are_connected() throws {
        let (devices, pairings) = try three()
        let (phone, a, b) = (devices["p"]!, devices["a"]!, devices["b"]!)
        for name in ["a", "b"] { try connect(pairings[name], name, to: phone) }
        try phone.call("pair.activate", ["pairing": pairings["a"] ?? .null])
        try phone.wait(
            "watch.reachability", ["pairing": pairings["b"] ?? .null, "reachable": true])
        try phone.wait("activation", ["state": "activated", "pairing": pairings["a"] ?? .null])
        try b.call("dose.record", ["index": 0])
        try a.wait("dose.arrived", ["new": true])
        #expect(try settle(devices.values) == 1)
        // Two watches cannot listen at one address.
        let busy = try phone.request(
            "link.open", ["pairing": pairings["b"] ?? .null, "link": .string(link("a"))])
        #expect(busy["error"]?["code"] == "link_unsuitable")
        // The forgotten watch has no session any more, and the other one is as it was.
        try phone.call("pair.forget", ["pairing": pairings["b"] ?? .null])
        #expect(try phone.call("pair.list")["pairings"]?.array?.count == 1)
        try a.call("dose.record", ["index": 1])
        try phone.poll("status") { $0["doses"]?["count"] == 2 }
        try end(devices.values)
    }

    /// A wrong or dead address of a watch that is not active shows at once.
    @Test(.timeLimit(.minutes(2)))
    func the_link_of_another_watch_tells_why_it_ends() throws {
        let (devices, pairings) = try three()
        let phone = devices["p"]!
        let pairing = pairings["a"] ?? .null
        let other = try start("c")
        let code = try other.call("pair.show", ["confirmed": true])["code"] ?? .null
        let at = JSONValue.string(link("c"))
        try phone.call("pair.enter", ["code": code, "confirmed": true, "link": at])
        try phone.wait("pairing.done")
        // The watch that is met there is another one.
        try connect(pairing, "b", to: phone)
        let closed = try phone.wait("link.closed", ["pairing": pairing])
        #expect(closed["reason"]?.string?.isEmpty == false)
        try connect(pairing, "nobody", to: phone)
        let failed = try phone.wait("link.not_opened", ["pairing": pairing])
        #expect(failed["detail"]?.string?.isEmpty == false)
        try end(devices.values)
        try end([other])
    }

    /// `KILLS=500` kills so many processes; see CONTRIBUTING.md.
    private static let kills: Int = {
        guard let text = unsafe getenv("KILLS").map({ unsafe String(cString: $0) }) else {
            return 24
        }
        guard let count = Int(text), count > 0 else {
            fatalError("KILLS=\(text): expected the number of kills, at least 1")
        }
        return count
    }()

    @Test(.timeLimit(.minutes(kills < 100 ? 3 : 60)))
    func three_ledgers_are_equal_after_kills_under_taps() throws {
        var (devices, pairings) = try three(setsClocks: false)
        try connect(pairings["a"], "a", to: devices["p"]!)
        var confirmed: Set<String> = []
        var unknown: Int64 = 0
        for _ in 0..<Self.kills {
            for program in devices.values {
                let reply = try program.call("dose.record", dose(Int.random(in: 0..<20)))
                let identity = try #require(reply["doses"]?.array?.first?.string)
                #expect(confirmed.insert(identity).inserted)
            }
            let name = ["p", "a", "b"].randomElement()!
            let victim = devices[name]!
            var act = dose(3).object ?? JSONObject()
            act["cmd"] = "dose.record"
            victim.write(JSONWriter.text(.object(act)) + "\n")
            unknown += 1
            usleep(UInt32.random(in: 0..<20_000))
            victim.signal(SIGKILL)
            #expect(try victim.awaitEnd() == .signalled(SIGKILL))
            devices[name] = try start(name)
            if name == "p" { try connect(pairings["a"], "a", to: devices["p"]!) }
        }
        let count = try settle(devices.values)
        #expect(count <= Int64(confirmed.count) + unknown)
        for (name, program) in devices {
            let held = try events(of: program)
            #expect(Int64(held.count) == count, "device \(name)")
            #expect(confirmed.isSubset(of: held), "device \(name) lost confirmed doses")
        }
        let shown = try devices.values.map { try states($0) }
        #expect(Set(shown).count == 1, "all devices show the same")
        try end(devices.values)
    }
}
