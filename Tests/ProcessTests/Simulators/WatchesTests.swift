import CommandLine
import ControlProtocol
import Glibc
import Testing

/// A phone with two watches, each at a link of its own, of which one is active.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorWatchesTests {
    let bench = Bench()

    func link(_ name: String) -> String { "unix:\(bench.path("\(name).sock"))" }

    func phone(
        at watch: String, files: Bool = true, _ further: [String] = []
    ) throws -> Program {
        let file = files ? ["--journal", bench.path("p")] : []
        return try Program("PhoneSim", ["--link", link(watch)] + file + further)
    }

    func watch(_ name: String, files: Bool = true) throws -> Program {
        let file = files ? ["--journal", bench.path(name)] : []
        return try Program("WatchSim", ["--link", link(name)] + file)
    }

    /// Pairs with the watch at the link of this name, which is the active one from then on.
    func pair(_ phone: Program, _ watch: Program, _ name: String) throws -> JSONValue {
        let code = try watch.call("pair.show", ["confirmed": true])["code"] ?? .null
        let at = JSONValue.string(link(name))
        try phone.call("pair.enter", ["code": code, "confirmed": true, "link": at])
        let pairing = try phone.wait("pairing.done")["pairing"] ?? .null
        try phone.wait("activation", ["state": "activated", "pairing": pairing])
        try phone.wait("reachability", ["reachable": true])
        return pairing
    }

    /// Makes one the active watch and waits until it is reached.
    func activate(_ pairing: JSONValue, on phone: Program) throws {
        try phone.call("pair.activate", ["pairing": pairing])
        try phone.wait("activation", ["state": "activated", "pairing": pairing])
    }

    /// The row of a pairing.
    func row(_ pairing: JSONValue, of phone: Program) throws -> JSONValue? {
        try phone.call("pair.list")["pairings"]?.array?.first { $0["pairing"] == pairing }
    }

    /// The records in the queue for a watch. The state of the face is left out, as it may come
    /// half a second after an edit.
    func queued(for pairing: JSONValue, of phone: Program) throws -> [JSONValue] {
        let reply = try phone.call("outstanding", ["pairing": pairing])
        return (reply["records"]?.array ?? []).filter { $0["channel"] != "complication" }
            .map { $0["msg"] ?? .null }
    }

    private func end(_ programs: Program...) throws {
        for program in programs {
            try program.call("quit")
            _ = try program.awaitEnd()
        }
    }

    @Test(arguments: [true, false])
    func each_watch_has_its_own_queue_and_one_is_active(files: Bool) throws {
        let phone = try phone(at: "a", files: files)
        var a = try watch("a", files: files)
        let b = try watch("b", files: files)
        let first = try pair(phone, a, "a")
        try phone.call("import", ["path": .string(bench.list())])
        try phone.call("sync")
        try a.poll("store") { $0["count"] == 20 }
        // The newer one is the active one; the former's keys stay.
        let second = try pair(phone, b, "b")
        #expect(try phone.call("status")["pairing"] == second)
        #expect(try row(first, of: phone)?["state"] == "inactive")
        #expect(try row(second, of: phone)?["state"] == "active")
        #expect(try b.call("store")["count"] == 0)
        try phone.call("sync")
        try b.poll("store") { $0["count"] == 20 }
        try phone.poll("status") { $0["outstanding"] == 0 }

        // Records accepted while one watch is active belong to it, even if it is out of reach.
        try activate(first, on: phone)
        // Its answers to the list may have been lost with the session before.
        try phone.poll("status") { $0["outstanding"] == 0 }
        try a.call("link.close", ["abrupt": true])
        try phone.wait("reachability", ["reachable": false])
        try phone.call("medication.change", ["index": 0, "count": 3])
        let changes = try queued(for: first, of: phone)
        #expect(changes.count == 3)
        let before = try a.call("store")["digest"]
        try activate(second, on: phone)
        #expect(try queued(for: first, of: phone) == changes)
        try phone.call("medication.change", ["index": 1])
        try phone.poll("status") { $0["outstanding"] == 0 }
        #expect(try a.call("store")["digest"] == before)

        // The watch comes back into reach and has nothing until it is active again.
        try a.call("link.open")
        try activate(first, on: phone)
        try phone.poll("status") { $0["outstanding"] == 0 }
        #expect(try a.call("store")["digest"] != before)
        // The changes meanwhile went to the other watch alone, until a list is synchronized.
        try phone.call("sync")
        let digest = try phone.call("list")["digest"]
        try a.poll("store") { $0["digest"] == digest }
        #expect(try b.call("store")["digest"] != digest)

        // A dose taken on the one that is not active waits on it.
        try b.call("dose.record", ["index": 0])
        try activate(second, on: phone)
        try phone.poll("list") { $0["doses"] == 1 }
        try end(phone, a, b)
        guard files else { return }
        // Started anew, the phone has the same watch.
        a = try watch("a")
        let again = try self.phone(at: "b")
        #expect(again.ready["pairing"] == second)
        #expect(try row(first, of: again)?["state"] == "inactive")
    }

    @Test func switching_tells_each_state_and_whose_it_is() throws {
        let phone = try phone(at: "a", files: false)
        let (a, b) = (try watch("a", files: false), try watch("b", files: false))
        let first = try pair(phone, a, "a")
        let second = try pair(phone, b, "b")
        let already = phone.events.count
        try activate(first, on: phone)
        let told = phone.events[already...].filter { $0["event"] == "activation" }
        let states = told.map { "\($0["state"]?.string ?? "") \($0["pairing"] == first)" }
        #expect(
            states == [
                "inactive false", "not_activated false", "inactive true", "activated true",
            ])
        #expect(phone.events[already...].contains { $0["event"] == "link.closed" })
        try b.wait("reachability", ["reachable": false])
        // It is active already: nothing happens.
        let count = phone.events.count
        try phone.call("pair.activate", ["pairing": first])
        try phone.call("status")
        #expect(!phone.events[count...].contains { $0["event"] == "activation" })
        #expect(second != first)
    }

    @Test func what_cannot_be_switched_is_refused_and_changes_nothing() throws {
        let phone = try phone(at: "a", files: false)
        let a = try watch("a", files: false)
        let first = try pair(phone, a, "a")
        func refusal(_ program: Program, _ fields: JSONValue) throws -> JSONValue? {
            try program.request("pair.activate", fields)["error"]
        }
        let unknown = JSONValue.string(String(repeating: "1", count: 32))
        #expect(try refusal(phone, ["pairing": unknown])?["code"] == "no_such_pairing")
        #expect(try refusal(phone, ["pairing": "00"])?["field"] == "pairing")
        #expect(try refusal(phone, ["pairing": first, "link": "fd:3,4"])?["field"] == "link")
        #expect(try refusal(a, ["pairing": first])?["code"] == "not_a_phone")
        #expect(try phone.call("status")["reachable"] == true)
        try phone.call("pair.show")
        #expect(try refusal(phone, ["pairing": first])?["code"] == "pairing_busy")
        try phone.call("pair.cancel")
        try phone.wait("reachability", ["reachable": true])
    }

    @Test func a_link_without_a_pairing_is_that_of_the_active_watch() throws {
        let phone = try phone(at: "a", files: false)
        let a = try watch("a", files: false)
        let first = try pair(phone, a, "a")
        // A watch is met at its own link.
        for command in ["link.open", "pair.show"] {
            let refused = try a.request(command, ["link": .string(link("b"))])["error"]
            #expect(refused?["code"] == "unknown_field" && refused?["field"] == "link")
        }
        let wrong = try phone.request("link.open", ["link": "no address"])["error"]
        #expect(wrong?["code"] == "bad_field" && wrong?["field"] == "link")
        #expect(try phone.call("status")["link"]?.string == link("a"))
        try phone.call("link.open", ["link": .string(link("b"))])
        #expect(try phone.call("status")["link"]?.string == link("b"))
        try phone.poll("status") { $0["reachable"] == false }
        try phone.call("link.open", ["link": .string(link("a"))])
        #expect(try row(first, of: phone)?["link"]?.string == link("a"))
        try phone.poll("status") { $0["reachable"] == true }
        let open = try Program("PhoneSim", ["--link", link("c"), "--unsealed"])
        let unpaired = try open.request("link.open", ["link": .string(link("a"))])["error"]
        #expect(unpaired?["code"] == "unsealed")
    }

    @Test func pairing_anew_with_one_leaves_the_queue_of_the_other() throws {
        let phone = try phone(at: "a")
        let (a, b) = (try watch("a"), try watch("b"))
        _ = try pair(phone, a, "a")
        let second = try pair(phone, b, "b")
        try phone.call("link.close")
        try phone.call("send", ["kind": "user_info", "payload_b64": "AAAA", "count": 2])
        _ = try pair(phone, a, "a")
        #expect(try row(second, of: phone)?["outstanding"] == 2)
        #expect(try phone.call("pair.list")["pairings"]?.array?.count == 2)
        try phone.call("pair.activate", ["pairing": second, "link": .string(link("b"))])
        for _ in 0..<2 { try b.wait("record.arrived", ["kind": "user_info"]) }
        #expect(!a.events.contains { $0["event"] == "record.arrived" })
    }

    @Test func forgetting_one_leaves_the_other_as_it_is() throws {
        let phone = try phone(at: "a")
        let (a, b) = (try watch("a"), try watch("b"))
        let first = try pair(phone, a, "a")
        try phone.call("import", ["path": .string(bench.list())])
        try a.call("link.close", ["abrupt": true])
        try phone.wait("reachability", ["reachable": false])
        try phone.call("medication.change", ["index": 0, "count": 3])
        let changes = try queued(for: first, of: phone)
        #expect(changes.count == 3)
        let second = try pair(phone, b, "b")
        try phone.call("sync")
        try b.poll("store") { $0["count"] == 20 }
        // The active one goes: its session ends, and the one before it is active again.
        try phone.call("pair.forget", ["pairing": second])
        #expect(try row(second, of: phone) == nil)
        #expect(try row(first, of: phone)?["state"] == "active")
        #expect(try queued(for: first, of: phone) == changes)
        try a.call("link.open")
        try phone.wait("activation", ["state": "activated", "pairing": first])
        try a.poll("store") { $0["count"] == 3 }
        // And one that is not active: the session of the other goes on.
        let third = try pair(phone, b, "b")
        try phone.call("pair.forget", ["pairing": first])
        #expect(try phone.call("status")["pairing"] == third)
        #expect(try phone.call("status")["reachable"] == true)
        #expect(try phone.call("pair.list")["pairings"]?.array?.count == 1)
    }

    @Test func a_kill_in_the_middle_of_a_switch_loses_nothing_of_either() throws {
        var phone = try phone(at: "a")
        let (a, b) = (try watch("a"), try watch("b"))
        let both = [try pair(phone, a, "a"), try pair(phone, b, "b")]
        try phone.call("import", ["path": .string(bench.list())])
        let links = ["a", "b"].map { JSONValue.string(link($0)) }
        // From nothing done to all of it done.
        for round in 0..<8 {
            for place in [0, 1] {
                try phone.call(
                    "pair.activate", ["pairing": both[place], "link": links[place]])
                try phone.call("medication.change", ["index": .whole(round + 10 * place)])
            }
            phone.write(
                JSONWriter.text(["cmd": "pair.activate", "pairing": both[0]]) + "\n")
            usleep(UInt32(round) * 1500)
            phone.signal(SIGKILL)
            #expect(try phone.awaitEnd() == .signalled(SIGKILL))
            phone = try self.phone(at: "b")
            // One or the other, and both with their keys.
            #expect(both.contains(phone.ready["pairing"] ?? .null))
            #expect(try phone.call("pair.list")["pairings"]?.array?.count == 2)
        }
        // Every change has reached the watch that was active when it was made, and no other.
        for (place, watch) in [(0, a), (1, b)] {
            try phone.call("pair.activate", ["pairing": both[place], "link": links[place]])
            try phone.wait("activation", ["state": "activated", "pairing": both[place]])
            try phone.poll("status") { $0["outstanding"] == 0 }
            #expect(try watch.call("store")["count"] == 8)
        }
    }
}
