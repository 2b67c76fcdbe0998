import ControlProtocol
import Testing

/// The name of the field that has a record's channel.
let channelField = "channel"

extension JSONValue {
    /// The identity of the record that a reply or an event names.
    var recordID: JSONValue {
        [
            "msg": self["msg"] ?? 0, channelField: self[channelField] ?? "",
            "epoch": self["epoch"] ?? "",
        ]
    }
}

/// The status of one record, as a client gets it, and records that lose their worth.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RecordStatusTests {
    private let bench = Bench()

    private func send(
        _ phone: Program, _ fields: JSONValue = [:]
    ) throws -> (reply: JSONValue, id: JSONValue) {
        var members = fields.object ?? JSONObject()
        members["kind"] = "user_info"
        members["payload_b64"] = "aGFsbG8="
        let reply = try phone.call("send", .object(members))
        var id = JSONObject()
        for name in ["msg", "channel", "epoch"] { id[name] = reply[name] }
        return (reply, .object(id))
    }

    @Test func a_record_is_under_way_then_over() throws {
        let pair = try Pair(bench)
        try pair.phone.call("link.close")
        let kept = try send(pair.phone)
        let waiting = try pair.phone.call("record.status", kept.id)
        #expect(waiting["applied"] == "unknown" && waiting["stage"] == "queued")
        #expect(waiting["outcome"] == nil && kept.reply["expires_at_ms"] == nil)
        let taken = try send(pair.phone)
        try pair.phone.call("cancel", taken.id)
        let back = try pair.phone.poll("record.status", taken.id) { $0["outcome"] != nil }
        #expect(back["applied"] == "no" && back["outcome"] == "cancelled")

        try pair.phone.call("link.open")
        let over = try pair.phone.poll("record.status", kept.id) { $0["outcome"] != nil }
        #expect(over["applied"] == "yes" && over["outcome"] == "applied")
        #expect(over["stage"] == nil)
        // Of this opening where none is named; and one that never was.
        let here = try pair.phone.call(
            "record.status", ["msg": kept.reply["msg"] ?? 0, "channel": "background"])
        #expect(here["outcome"] == "applied")
        let none = try pair.phone.request("record.status", ["msg": 99, "channel": "background"])
        #expect(none["error"]?["code"] == "no_such_record")
        let refused = try pair.phone.request("record.status", ["msg": 1, "channel": "slow"])
        #expect(refused["error"]?["field"] == "channel")
    }

    @Test func a_count_sends_so_many_alike_in_one_command() throws {
        let pair = try Pair(bench)
        let first = try send(pair.phone).reply
        #expect(first["sent"] == nil && first["msg"] == 1)
        let many = try send(pair.phone, ["count": 7])
        #expect(many.reply["sent"] == 7 && many.reply["msg"] == 8)
        #expect(try send(pair.phone, ["count": 1]).reply["sent"] == nil)
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        #expect(try pair.phone.call("record.status", many.id)["applied"] == "yes")
        let arrived = try pair.watch.call("trace.dump")["deliveries"]?.array ?? []
        #expect(arrived.map { $0["number"] } == (1...9).map { JSONValue.whole($0) })
        try pair.watch.call("store")
        let events = pair.watch.events.filter { $0["event"] == "record.arrived" }
        #expect(events.count == 9)
        #expect(events.allSatisfy { $0["payload_b64"] == "aGFsbG8=" && $0["text"] == "hallo" })

        for count in [0, 5001] {
            let refused = try pair.phone.request(
                "send", ["kind": "user_info", "payload_b64": "", "count": .whole(count)])
            #expect(refused["error"]?["field"] == "count", "\(count)")
        }
        try pair.phone.call("send", ["kind": "user_info", "payload_b64": "", "count": 5000])
    }

    @Test("A count that finds no room sends nothing, and with 'partial' what there is room for")
    func a_count_is_sent_whole() throws {
        let pair = try Pair(bench, further: ["--queue-limit", "4"])
        try pair.phone.call("link.close")
        let whole: JSONValue = ["kind": "user_info", "payload_b64": "", "count": 7]
        let refused = try pair.phone.request("send", whole)
        #expect(refused["error"]?["code"] == "queue_full")
        #expect(try pair.phone.call("status")["outstanding"] == 0)
        let some = try send(pair.phone, ["count": 7, "partial": true])
        #expect(some.reply["sent"] == 4 && some.reply["msg"] == 4)
        // The refused command took no number.
        let records = some.reply["records"]?.array ?? []
        #expect(records.map { $0["msg"] } == (1...4).map { JSONValue.whole($0) })
        #expect(records.last == some.id)
        #expect(try pair.phone.call("status")["outstanding"] == 4)
        let none = try pair.phone.request(
            "send", ["kind": "user_info", "payload_b64": "", "count": 2, "partial": true])
        #expect(none["error"]?["code"] == "queue_full")
        try pair.phone.call("link.open")
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        let arrived = try pair.watch.call("trace.dump")["deliveries"]?.array ?? []
        #expect(arrived.map { $0["number"] } == (1...4).map { JSONValue.whole($0) })
    }

    @Test func a_record_that_expires_is_not_delivered() throws {
        let pair = try Pair(bench)
        try pair.phone.call("link.close")
        let brief = try send(pair.phone, ["expires_in_ms": 500])
        let long = try send(pair.phone, ["expires_in_ms": 3_600_000])
        let moments = [brief, long].map { $0.reply["expires_at_ms"]?.integer ?? 0 }
        #expect(moments[1] - moments[0] >= 3_600_000 - 500)
        let over = try pair.phone.poll("record.status", brief.id) { $0["outcome"] != nil }
        #expect(over["applied"] == "no" && over["outcome"] == "expired")
        try pair.phone.call("link.open")
        try pair.phone.poll("record.status", long.id) { $0["applied"] == "yes" }
        let arrived = try pair.watch.call("trace.dump")["deliveries"]?.array ?? []
        #expect(arrived.map { $0["number"] } == [long.reply["msg"]])
        let refused = try pair.phone.request(
            "send", ["kind": "user_info", "payload_b64": "", "expires_in_ms": 0])
        #expect(refused["error"]?["field"] == "expires_in_ms")
    }
}
