import CommandLine
import ControlProtocol
import Glibc
import Testing

/// Queues that are full, of a phone with two watches: each is one watch's alone.
extension SimulatorWatchesTests {
    private static let note: JSONValue = ["kind": "user_info", "payload_b64": "AAEC"]

    private func refusal(
        _ phone: Program, _ command: String, _ fields: JSONValue
    ) throws -> JSONValue? {
        try phone.request(command, fields)["error"]
    }

    private func count(_ event: String, of program: Program) -> Int {
        program.events.count { $0["event"]?.string == event }
    }

    @Test func a_queue_that_is_full_stays_its_watchs_and_loses_nothing() throws {
        var phone = try phone(at: "a", ["--queue-limit", "4"])
        let (a, b) = (try watch("a"), try watch("b"))
        let first = try pair(phone, a, "a")
        try phone.call("import", ["path": .string(bench.list(count: 4))])
        try phone.call("sync")
        try a.poll("store") { $0["count"] == 4 }
        let second = try pair(phone, b, "b")
        try phone.call("sync")
        try b.poll("store") { $0["count"] == 4 }
        try phone.poll("status") { $0["outstanding"] == 0 }

        // One watch is out of reach: what each channel holds for it is full.
        try activate(first, on: phone)
        try a.call("link.close", ["abrupt": true])
        try phone.wait("reachability", ["reachable": false])
        let changed = try phone.call("medication.change", ["index": 0, "count": 4])["records"]
        for _ in 0..<4 { try phone.call("send", Self.note) }
        let list = try phone.call("list")["medications"]
        // The newest value of a medication takes the place of the one that waits.
        let refused: [(String, JSONValue)] = [("send", Self.note)]
        func expectFull(_ comment: Comment) throws {
            for (command, fields) in refused {
                let error = try refusal(phone, command, fields)
                #expect(error?["code"] == "queue_full" && error?["records"] == 4, comment)
            }
        }
        try expectFull("the queue holds four of each")
        #expect(try phone.call("list")["medications"] == list)
        #expect(try queued(for: first, of: phone).count == 8)

        // It is in the other one's way neither while that is reached nor while its own fills up.
        try activate(second, on: phone)
        try phone.call("medication.change", ["index": 1, "count": 2])
        try phone.poll("status") { $0["outstanding"] == 0 }
        try b.call("link.close", ["abrupt": true])
        try phone.wait("reachability", ["reachable": false])
        for _ in 0..<4 { try phone.call("send", Self.note) }
        #expect(try refusal(phone, "send", Self.note)?["code"] == "queue_full")

        // Killed and started anew with less room, the phone has all of both, and takes no more.
        phone.signal(SIGKILL)
        #expect(try phone.awaitEnd() == .signalled(SIGKILL))
        phone = try self.phone(at: "b", ["--queue-limit", "2"])
        #expect(try queued(for: first, of: phone).count == 8)
        #expect(try queued(for: second, of: phone).count == 4)
        try phone.call("pair.activate", ["pairing": first, "link": .string(link("a"))])
        #expect(try queued(for: first, of: phone).count == 8)
        try expectFull("there is less room than before")

        // Each has what is its own once it is reached, and there is room again.
        try a.call("link.open")
        try phone.wait("activation", ["state": "activated", "pairing": first])
        try phone.poll("status") { $0["outstanding"] == 0 }
        try phone.call("send", Self.note)
        try phone.poll("status") { $0["outstanding"] == 0 }
        try b.call("link.open")
        try phone.call("pair.activate", ["pairing": second, "link": .string(link("b"))])
        try phone.poll("status") { $0["outstanding"] == 0 }
        for program in [a, b] { try program.call("store") }
        let seen = a.events.filter { $0["event"] == "medication.visible" }
        for record in changed?.array ?? [] {
            let revision = record["revision"]
            #expect(seen.contains { $0["key"] == record["key"] && $0["revision"] == revision })
        }
        #expect(changed?.array?.count == 4 && seen.count == 8)
        #expect(count("medication.visible", of: b) == 6)
        #expect(count("record.arrived", of: a) == 5 && count("record.arrived", of: b) == 4)
    }

    @Test(arguments: [("PhoneSim", 65_536), ("WatchSim", 8192)])
    func a_queue_holds_one_record_at_least_and_what_there_is_room_for_at_most(
        name: String, most: Int
    ) throws {
        for value in ["0", "-1", "\(most + 1)", "many"] {
            let program = try Program(
                name, ["--link", bench.link(), "--queue-limit", value], awaitsReady: false)
            #expect(try program.awaitEnd() == .exited(64), "\(value)")
            #expect(program.errorText().contains("--queue-limit"))
        }
        _ = try Program(name, ["--link", bench.link(), "--queue-limit", "\(most)"])
    }
}
