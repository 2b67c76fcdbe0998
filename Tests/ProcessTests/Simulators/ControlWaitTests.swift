import ControlProtocol
import Testing

/// Waits for events after a cursor, waits for states, and fields that a command does not have.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ControlWaitTests {
    private let bench = Bench()

    private func unsealed() throws -> Pair { try Pair(bench, further: ["--unsealed"]) }

    @Test func a_wait_behind_a_cursor_matches_no_event_of_before() throws {
        let pair = try unsealed()
        try pair.phone.call("send", ["kind": "user_info", "text": "first"])
        let first = try pair.watch.wait("record.arrived")
        let seq = try #require(first["seq"])
        // Without the cursor, the next command would look back to no event at all.
        let fields: JSONValue = ["event": "record.arrived", "timeout_ms": 50, "after": seq]
        #expect(try pair.watch.request("wait", fields)["error"]?["code"] == "timed_out")
        let cursor = try pair.watch.call("events")["seq"] ?? 0
        #expect(cursor.integer ?? 0 >= seq.integer ?? 0)
        try pair.phone.call("send", ["kind": "user_info", "text": "second"])
        // Other commands between the event and the wait take nothing away.
        try pair.watch.poll("trace.dump") { $0["deliveries"]?.array?.count == 2 }
        try pair.watch.call("status")
        let second = try pair.watch.wait("record.arrived", ["after": cursor])
        #expect(second["text"] == "second")
        #expect(try pair.watch.wait("record.arrived", ["after": 0])["text"] == "first")
        // A state that holds is no event after the cursor.
        let state: JSONValue = [
            "event": "reachability", "reachable": true, "timeout_ms": 50, "after": cursor,
        ]
        #expect(try pair.watch.request("wait", state)["error"]?["code"] == "timed_out")
        let ahead = try pair.watch.request(
            "wait", ["event": "synced", "timeout_ms": 1, "after": 1_000_000])
        #expect(ahead["error"]?["field"] == "after")
    }

    @Test func a_cursor_of_events_that_are_gone_is_refused() throws {
        let pair = try unsealed()
        try pair.phone.call("send", ["kind": "user_info", "text": "x", "count": 2500])
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        let refused = try pair.phone.request(
            "wait", ["event": "record.settled", "timeout_ms": 1, "after": 0])
        #expect(refused["error"]?["code"] == "cursor_too_old")
        let oldest = try #require(refused["error"]?["oldest"]?.integer)
        try pair.phone.wait("record.settled", ["after": .integer(oldest - 1)])
    }

    @Test func a_wait_for_a_state_ends_when_it_holds() throws {
        let pair = try unsealed()
        let holds: JSONValue = [
            "until": "status", "holds": ["outstanding": 0, "reachable": true],
            "timeout_ms": 8000,
        ]
        #expect(try pair.phone.call("wait", holds)["state"]?["outstanding"] == 0)
        try pair.watch.call("link.close")
        // One member of a member.
        let down = try pair.phone.call(
            "wait",
            [
                "until": "status", "holds": ["reachability": ["evidence": "link_down"]],
                "timeout_ms": 8000,
            ])
        #expect(down["state"]?["reachable"] == false)
        let sent = try pair.phone.call("send", ["kind": "user_info", "text": "x"])
        let early = try pair.phone.request(
            "wait", ["until": "status", "holds": ["outstanding": 0], "timeout_ms": 30])
        #expect(
            early["error"] == [
                "code": "timed_out", "until": "status", "timeout_ms": 30,
                "found": ["outstanding": 1],
            ])
        let which: JSONValue = ["msg": sent["msg"] ?? 0, channelField: "background"]
        let applied: JSONValue = [
            "id": 77, "cmd": "wait", "until": "record.status", "fields": which,
            "holds": ["applied": "yes"], "timeout_ms": 8000,
        ]
        pair.phone.write(JSONWriter.text(applied) + "\n")
        try pair.phone.call("status")
        #expect(!pair.phone.events.contains { $0["id"] == 77 })
        try pair.watch.call("link.open")
        var reply = JSONValue.null
        while reply["id"] != 77 { reply = try pair.phone.line(within: 8) }
        #expect(reply["state"]?["outcome"] == "applied")
    }

    @Test func a_wait_for_a_state_that_cannot_be_is_refused() throws {
        let watch = try Program("WatchSim", ["--link", bench.link(), "--unsealed"])
        func error(_ fields: JSONValue) throws -> JSONValue? {
            try watch.request("wait", fields)["error"]
        }
        let timeout: JSONValue = 10
        let query = try error(["until": "stauts", "holds": ["x": 1], "timeout_ms": timeout])
        #expect(query?["field"] == "until" && query?["expected"] == "'status'")
        let act = try error(["until": "dose.record", "holds": ["x": 1], "timeout_ms": timeout])
        #expect(act?["field"] == "until")
        let none = try error(["until": "status", "timeout_ms": timeout])
        #expect(none?["field"] == "holds")
        let member = try error(
            ["until": "status", "holds": ["outstandin": 0], "timeout_ms": timeout])
        #expect(member?["did_you_mean"] == "outstanding")
        let inner = try error(
            ["until": "status", "holds": ["reachability": ["flap": 1]], "timeout_ms": timeout])
        #expect(inner?["did_you_mean"] == "flaps")
        let field = try error(
            [
                "until": "record.status", "fields": ["msg": 1, "chanel": "bulk"],
                "holds": ["applied": "yes"], "timeout_ms": timeout,
            ])
        #expect(field?["did_you_mean"] == .string(channelField))
        // The end of the process answers whoever waits still.
        watch.write(
            #"{"id":7,"cmd":"wait","until":"store","holds":{"count":5},"timeout_ms":60000}"# + "\n")
        watch.closeInput()
        let lines = try watch.rest()
        #expect(lines.first { $0["id"] == 7 }?["error"]?["code"] == "ending")
    }

    /// Each command refuses a field that it does not have, and lists those of the schema.
    @Test(arguments: ["PhoneSim", "WatchSim"])
    func every_command_refuses_an_unknown_field(name: String) throws {
        let schema = JSONSchema(published: "control-1")
        let program = try Program(name, ["--link", bench.link(), "--unsealed"])
        func known(_ command: String, _ fields: JSONValue) throws -> Set<String> {
            let error = try program.request(command, fields)["error"]
            #expect(error?["code"] == "unknown_field", "\(command)")
            return Set(error?["known"]?.array?.compactMap(\.string) ?? [])
        }
        func published(_ definition: String, _ omitted: [String]) -> Set<String> {
            let members = schema.root["$defs"]?[definition]?["properties"]?.object?.members ?? []
            return Set(members.map(\.name)).subtracting(omitted)
        }
        var count = 0
        for command in schema.definitions("command.").sorted() {
            let programs = schema.comment("command.\(command)")?.split(separator: " ") ?? []
            guard programs.contains(Substring(name)), command != "wait" else { continue }
            count += 1
            let fields = try known(command, ["zzzzzzzzzzzzzzzz": 1])
            #expect(fields == published("command.\(command)", ["cmd", "id"]), "\(command)")
        }
        #expect(count > 40)
        // A wait has the members of its event.
        let other = ["PhoneSim": "WatchSim", "WatchSim": "PhoneSim"][name]
        for event in schema.definitions("event.").sorted() where !["ready", "bye"].contains(event) {
            guard schema.comment("event.\(event)") != other else { continue }
            let members = try known(
                "wait",
                ["event": .string(event), "timeout_ms": 1, "zzzzzzzzzzzzzzzz": 1])
            let own = published("event.\(event)", ["event", "t_ns", "seq"])
            #expect(members.subtracting(["event", "after", "timeout_ms"]) == own, "\(event)")
        }
        let typo = try program.request(
            "send", ["kind": "user_info", "text": "x", "expires_in": 5])["error"]
        #expect(typo?["did_you_mean"] == "expires_in_ms")
        let mix: JSONValue = [
            "mix": [["kind": "message", "rate": 1]], "duration_ms": 1,
        ]
        #expect(try program.request("load.start", mix)["error"]?["did_you_mean"] == "rate_per_s")
    }

    @Test func status_and_events_have_the_evidence_of_reachability() throws {
        let alone = try Program("PhoneSim", ["--link", "unix:\(bench.path("x"))", "--unsealed"])
        let none = try alone.call("status")["reachability"]
        #expect(
            none == ["evidence": .null, "heard_ns": .null, "answered_ns": .null, "flaps": 0])
        let pair = try unsealed()
        let status = try pair.phone.call("status")
        let evidence = status["reachability"]
        #expect(status["reachable"] == true && evidence?["evidence"] == "session_activated")
        let begun = pair.phone.ready["t_ns"]?.integer ?? .max
        let heard = try #require(evidence?["heard_ns"]?.integer)
        #expect(heard > begun && evidence?["flaps"] == 0)
        // A record that is acknowledged proves the way there, and the newest proof is shown.
        try pair.phone.call("send", ["kind": "user_info", "text": "x"])
        try pair.phone.wait("record.settled")
        let later = try pair.phone.call("status")["reachability"]
        #expect(later?["heard_ns"]?.integer ?? 0 > heard)
        #expect(later?["answered_ns"]?.integer ?? 0 > heard)
        try pair.watch.call("link.close")
        let gone = try pair.phone.wait("reachability", ["reachable": false])
        #expect(gone["heard_ns"] != nil && gone["flaps"]?.integer ?? 0 >= 0)
        #expect(try pair.phone.call("status")["reachability"]?["evidence"] == gone["evidence"])
    }
}
