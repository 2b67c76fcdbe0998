import ControlProtocol
import Foundation
import Testing

/// A client sees of its records contents, outcomes, replies and queues.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ControlRecordTests {
    private let bench = Bench()

    private func unsealed(_ further: [String] = []) throws -> Pair {
        try Pair(bench, further: ["--unsealed"] + further)
    }

    @Test func a_message_and_the_reply_that_a_test_gives_are_told_with_their_content() throws {
        let pair = try unsealed()
        try pair.watch.call("echo", ["on": false])
        let sent = try pair.phone.call("send", ["kind": "message", "text": "how are you?"])
        let arrived = try pair.watch.wait("message.arrived", ["text": "how are you?"])
        #expect(arrived["msg"] == sent["msg"] && arrived["epoch"] == sent["epoch"])
        #expect(arrived["expects_reply"] == true && arrived["bytes"] == 12)
        #expect(arrived["payload_b64"] == "aG93IGFyZSB5b3U/")
        let answer: JSONValue = ["msg": arrived["msg"] ?? 0, "text": "fine"]
        let reply = try pair.watch.call("reply", answer)
        let replied = try pair.phone.wait("message.replied", ["msg": sent["msg"] ?? 0])
        #expect(replied["text"] == "fine" && replied["rtt_ns"]?.integer ?? 0 > 0)
        try pair.watch.wait("record.settled", ["msg": reply["msg"] ?? 0, "outcome": "applied"])
        let again = try pair.watch.request("reply", answer)
        #expect(again["error"]?["code"] == "no_such_message")
        // With the echo, a message is answered with its own bytes.
        try pair.watch.call("echo")
        try pair.phone.call("send", ["kind": "message", "payload_b64": "AAEC"])
        let echoed = try pair.phone.wait("message.replied", ["payload_b64": "AAEC"])
        #expect(echoed["text"] == nil)
        #expect(try pair.watch.wait("message.arrived", ["bytes": 3])["text"] == nil)
        try pair.phone.call("status")
        #expect(pair.phone.events.count { $0["event"] == "message.replied" } == 2)
        #expect(!pair.phone.events.contains { $0["event"] == "message.failed" })
    }

    @Test func a_message_without_a_reply_ends_once_in_the_time_that_it_was_given() throws {
        let pair = try unsealed()
        try pair.watch.call("echo", ["on": false])
        let sent = try pair.phone.call(
            "send", ["kind": "message", "text": "?", "timeout_ms": 150])
        let failed = try pair.phone.wait("message.failed", ["msg": sent["msg"] ?? 0])
        #expect(failed["cause"] == "timed_out" && failed["outcome"] == "outcome_unknown")
        // The reply comes too late for an end of its own.
        let arrived = try pair.watch.wait("message.arrived")
        try pair.watch.call("reply", ["msg": arrived["msg"] ?? 0, "text": "late"])
        let reply = try pair.watch.wait("record.settled", [channelField: "interactive"])
        #expect(reply["outcome"] == "applied")
        try pair.phone.call("status")
        #expect(!pair.phone.events.contains { $0["event"] == "message.replied" })
        // Nobody is there.
        try pair.watch.call("link.close")
        try pair.phone.wait("reachability", ["reachable": false])
        let refused = try pair.phone.request("send", ["kind": "message", "text": "?"])
        #expect(refused["error"]?["code"] == "not_reachable")
    }

    @Test func a_record_is_told_with_its_content_and_its_end() throws {
        let pair = try unsealed()
        let sent = try pair.phone.call("send", ["kind": "user_info", "text": "Grüße\n"])
        let arrived = try pair.watch.wait("record.arrived", ["text": "Grüße\n"])
        #expect(arrived["payload_b64"] == "R3LDvMOfZQo=" && arrived["kind"] == "user_info")
        #expect(arrived["epoch"] == sent["epoch"] && arrived["key"] == nil)
        let settled = try pair.phone.wait("record.settled", ["msg": sent["msg"] ?? 0])
        #expect(settled["outcome"] == "applied" && settled[channelField] == "background")
        let context: JSONValue = ["kind": "context", "key": "7", "payload_b64": "AP8="]
        let value = try pair.phone.call("send", context)
        let shown = try pair.watch.wait("record.arrived", ["kind": "context"])
        #expect(shown["key"] == "00000000000000000000000000000007" && shown["text"] == nil)
        try pair.phone.wait("record.settled", ["msg": value["msg"] ?? 0, channelField: "context"])
        // Somebody asked for fewer events.
        try pair.phone.call("events", ["records": false])
        let quiet = try pair.phone.call("send", ["kind": "user_info", "text": "x"])
        try pair.phone.poll("record.status", quiet.recordID) { $0["outcome"] == "applied" }
        try pair.phone.call("status")
        let told = pair.phone.events.filter { $0["event"] == "record.settled" }
        #expect(
            !told.contains { $0["msg"] == quiet["msg"] && $0[channelField] == quiet[channelField] })
    }

    @Test func a_file_goes_by_its_path_and_comes_into_the_directory_for_files() throws {
        let inbox = bench.path("in")
        try FileManager.default.createDirectory(
            atPath: inbox, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: inbox) }
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256) }
        let file = bench.path("big")
        try Data(bytes).write(to: URL(filePath: file))
        let pair = try Pair(
            bench, phone: Program("PhoneSim", ["--link", bench.link(), "--unsealed"]),
            watch: Program(
                "WatchSim", ["--link", bench.link(), "--unsealed", "--inbox", inbox]))
        let sent = try pair.phone.call(
            "send", ["kind": "file", "path": .string(file), "text": "a scan"])
        #expect(sent["bytes"] == 200_000)
        let arrived = try pair.watch.wait("record.arrived", ["kind": "file"])
        #expect(arrived["bytes"] == 200_000 && arrived["text"] == "a scan")
        let path = try #require(arrived["path"]?.string)
        #expect(path.hasPrefix(inbox) && path.hasSuffix("/big"))
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(bytes))
        try pair.phone.wait("record.settled", [channelField: "bulk", "outcome": "applied"])
        #expect(try pair.watch.wait("file.progress", ["done": 200_000])["total"] == 200_000)
        // The phone has no directory for files.
        try pair.watch.call("send", ["kind": "file", "path": .string(file)])
        #expect(
            try pair.watch.wait("record.settled", [channelField: "bulk"])["code"] == 65_530)
        let missing = try pair.phone.request("send", ["kind": "file", "path": "/no/such/file"])
        #expect(missing["error"]?["code"] == "file_missing")
        bench.write("x", to: bench.path(".hidden"))
        for (name, value) in [
            ("path", .string(bench.path(".hidden"))), ("count", 2),
            ("text", .string(String(repeating: "x", count: 4_097))),
        ] as [(String, JSONValue)] {
            var fields: JSONObject = ["kind": "file", "path": .string(file)]
            fields[name] = value
            let refused = try pair.phone.request("send", .object(fields))["error"]
            #expect(refused?["field"] == .string(name == "text" ? "path" : name), "\(name)")
        }
        #expect(
            try pair.phone.request("file.pause", sent.recordID)["error"]?["code"]
                == "no_such_record")
        let other = try pair.phone.request("send", ["kind": "user_info", "path": .string(file)])
        #expect(other["error"]?["field"] == "path")
    }

    @Test func what_is_outstanding_is_listed_and_what_is_cancelled_says_so() throws {
        let pair = try unsealed()
        // A phone whose watch closes may connect once more, and a record leaves.
        try pair.phone.call("link.close")
        try pair.phone.wait("reachability", ["reachable": false])
        let sent = try (0..<3).map { _ in
            try pair.phone.call("send", ["kind": "user_info", "text": "x"])
        }
        let page = try pair.phone.call("outstanding", ["limit": 2])
        #expect(page["count"] == 3 && page["next"] == 2)
        #expect(page["records"]?.array?.map { $0.recordID } == sent.prefix(2).map { $0.recordID })
        #expect(page["records"]?.array?.allSatisfy { $0["stage"] == "queued" } == true)
        let rest = try pair.phone.call("outstanding", ["after": 2])
        #expect(rest["records"]?.array?.map { $0.recordID } == [sent[2].recordID])
        #expect(rest["next"] == .null)
        try pair.phone.call("cancel", sent[1].recordID)
        try pair.phone.wait(
            "record.settled", ["msg": sent[1]["msg"] ?? 0, "outcome": "cancelled"])
        #expect(try pair.phone.call("cancel", sent[1].recordID)["outcome"] == "cancelled")
        try pair.phone.call("link.open")
        try pair.phone.wait("record.settled", ["msg": sent[2]["msg"] ?? 0, "outcome": "applied"])
        // Too late, and the reply says what is known.
        let late = try pair.phone.call("cancel", sent[0].recordID)
        #expect(late["applied"] == "yes" && late["outcome"] == "applied")
        #expect(try pair.phone.call("outstanding")["count"] == 0)
        for command in ["cancel", "record.status"] {
            let none = try pair.phone.request(command, ["msg": 99, channelField: "background"])
            #expect(none["error"]?["code"] == "no_such_record")
        }
    }

    @Test func a_record_of_one_idempotency_key_is_queued_once() throws {
        let pair = try unsealed()
        try pair.watch.call("link.close")
        try pair.phone.wait("reachability", ["reachable": false])
        let fields: JSONValue = ["kind": "user_info", "text": "once", "idempotency_key": "a1"]
        let first = try pair.phone.call("send", fields)
        let second = try pair.phone.call("send", fields)
        #expect(first["repeated"] == nil && second["repeated"] == true)
        #expect(first.recordID == second.recordID)
        #expect(try pair.phone.call("outstanding")["count"] == 1)
        try pair.watch.call("link.open")
        try pair.phone.wait("record.settled", ["msg": first["msg"] ?? 0])
        // It is a record of its own, and the other side knows the key.
        let third = try pair.phone.call("send", fields)
        #expect(third["repeated"] == nil && third["msg"] == 2)
        try pair.phone.wait("record.settled", ["msg": 2, "outcome": "applied"])
        try pair.watch.call("status")
        #expect(pair.watch.events.count { $0["text"] == "once" } == 1)
    }

    @Test func a_record_expires_by_the_clock_that_a_test_sets() throws {
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        let noon: Int64 = 1_800_000_000_000
        try phone.call("clock.set", ["at_ms": .integer(noon), "zone_minutes": 60])
        let sent = try phone.call(
            "send", ["kind": "user_info", "text": "x", "expires_at_ms": .integer(noon + 3_600_000)])
        #expect(try phone.call("record.status", sent.recordID)["stage"] == "queued")
        let late = try phone.call("clock.set", ["at_ms": .integer(noon + 7_200_000)])
        #expect(late["zone_minutes"]?.integer != nil)
        let settled = try phone.wait("record.settled", ["msg": sent["msg"] ?? 0])
        #expect(settled["outcome"] == "expired")
    }

    @Test func a_status_is_told_and_a_message_goes_to_a_capability() throws {
        let pair = try Pair(bench)
        #expect(try pair.phone.call("status")["app"] == .null)
        let none = try pair.phone.request(
            "send", ["kind": "message", "text": "two", "capability": "refill"])
        #expect(none["error"]?["code"] == "no_such_capability")
        try pair.watch.call(
            "app.report", ["foreground": false, "capabilities": ["refill"], "active": false])
        let told = try pair.phone.wait("app.status")
        #expect(told["capabilities"] == ["refill"] && told["foreground"] == false)
        #expect(try pair.phone.call("status")["app"]?["active"] == false)
        let sent = try pair.phone.call(
            "send", ["kind": "message", "text": "two", "capability": "refill"])
        let arrived = try pair.watch.wait("message.arrived", ["text": "two"])
        #expect(arrived["capability"] == "refill" && arrived["msg"] == sent["msg"])
        #expect(try pair.phone.wait("message.replied", ["text": "two"])["msg"] == sent["msg"])
        for (field, value) in [("locked", true), ("active", true)] as [(String, JSONValue)] {
            let refused = try pair.phone.request("app.report", [field: value])
            #expect(refused["error"]?["field"]?.string == field)
        }
    }

    @Test func expiry_and_priority_are_given_with_a_record() throws {
        let pair = try unsealed()
        let past = try pair.phone.request(
            "send", ["kind": "user_info", "text": "x", "expires_at_ms": 1])
        #expect(past["error"]?["code"] == "already_expired")
        let moment: JSONValue = 4_000_000_000_000
        let sent = try pair.phone.call(
            "send", ["kind": "user_info", "text": "x", "expires_at_ms": moment])
        #expect(sent["expires_at_ms"] == moment)
        let low = try pair.phone.call(
            "send", ["kind": "user_info", "text": "low", "priority": "low"])
        #expect(low[channelField] == "bulk")
        #expect(try pair.watch.wait("record.arrived", ["text": "low"])["kind"] == "user_info")
        let wrong: [(JSONValue, String)] = [
            (["kind": "message", "text": "", "priority": "low"], "priority"),
            (["kind": "user_info", "text": "", "priority": "highest"], "priority"),
            (["kind": "file", "path": "/etc/passwd", "priority": "high"], "priority"),
            (["kind": "file", "text": ""], "path"),
            (["kind": "user_info", "text": "", "timeout_ms": 5], "timeout_ms"),
            (["kind": "user_info", "text": "", "payload_b64": ""], "text"),
            (["kind": "user_info", "text": "", "idempotency_key": "x"], "idempotency_key"),
            (["kind": "user_info", "text": "", "idempotency_key": "1", "count": 2], "count"),
            (
                ["kind": "user_info", "text": "", "expires_at_ms": moment, "expires_in_ms": 5],
                "expires_at_ms"
            ),
        ]
        for (fields, field) in wrong {
            let refused = try pair.phone.request("send", fields)
            #expect(refused["error"]?["field"]?.string == field, "\(fields)")
        }
    }
}
