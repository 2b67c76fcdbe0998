import ControlProtocol
import Testing

/// A phone tells of records that went to another watch than the active one.
@Suite(.serialized, .timeLimit(.minutes(2))) struct FormerWatchTests {
    private let watches = SimulatorWatchesTests()

    @Test(arguments: [true, false])
    func a_record_of_a_former_watch_tells_its_outcome(files: Bool) throws {
        let phone = try watches.phone(at: "a", files: files)
        let a = try watches.watch("a", files: files)
        let first = try watches.pair(phone, a, "a")
        let info: JSONValue = ["kind": "user_info", "text": "x"]
        let done = try phone.call("send", info)
        try phone.wait("record.settled", ["msg": done["msg"] ?? 0, "outcome": "applied"])
        try a.call("echo", ["on": false])
        let asked = try phone.call("send", ["kind": "message", "text": "?"])
        try phone.wait("record.settled", [channelField: "interactive", "outcome": "applied"])
        try a.call("link.close")
        try phone.wait("reachability", ["reachable": false])
        let queued = try phone.call("send", info)
        let b = try watches.watch("b", files: files)
        let second = try watches.pair(phone, b, "b")
        #expect(first != second)
        // The message had no reply when its watch ceased to be the active one.
        #expect(
            phone.others.contains {
                $0["event"] == "message.failed" && $0["msg"] == asked["msg"]
            })
        #expect(try phone.call("record.status", asked.recordID)["outcome"] == "applied")
        let over = try phone.call("record.status", done.recordID)
        #expect(over["applied"] == "yes" && over["pairing"] == first)
        let waiting = try phone.call("record.status", queued.recordID)
        #expect(waiting["stage"] == "queued" && waiting["pairing"] == first)
        let list = try phone.call("outstanding", ["pairing": first])
        #expect(list["records"]?.array?.map { $0.recordID } == [queued.recordID])
        // The ledgers are compared meanwhile, by a message.
        let none: JSONValue = [
            "until": "outstanding", "holds": ["count": 0], "timeout_ms": 8000,
        ]
        try phone.call("wait", none)
        let refused = try phone.request("cancel", queued.recordID)["error"]
        #expect(refused?["code"] == "not_active" && refused?["pairing"] == first)
        // With a link of its own it can be cancelled, and tells so.
        try phone.call("link.open", ["pairing": first])
        try phone.call("cancel", queued.recordID)
        // It may have left before: that watch has to say that it did not come.
        try a.call("link.open")
        try phone.wait("record.settled", ["msg": queued["msg"] ?? 0, "outcome": "cancelled"])
        #expect(try phone.call("record.status", queued.recordID)["outcome"] == "cancelled")
    }

    /// A message of a watch that is not the active one is answered in its own session.
    @Test func a_reply_goes_to_the_watch_that_asked() throws {
        let phone = try watches.phone(at: "a")
        let (a, b) = (try watches.watch("a"), try watches.watch("b"))
        let first = try watches.pair(phone, a, "a")
        let second = try watches.pair(phone, b, "b")
        try phone.call("link.open", ["pairing": first])
        try phone.wait("watch.reachability", ["pairing": first, "reachable": true])
        try phone.call("echo", ["on": false])
        for (watch, text, pairing) in [(a, "a?", first), (b, "b?", second)] {
            try watch.poll("status") { $0["reachable"] == true }
            try watch.call("send", ["kind": "message", "text": .string(text)])
            let arrived = try phone.wait("message.arrived", ["text": .string(text)])
            #expect(arrived["pairing"] == pairing)
            try phone.call("reply", answer(arrived, "\(text)!"))
            try watch.wait("message.replied", ["text": .string("\(text)!")])
            try watch.call("send", ["kind": "user_info", "text": .string(text)])
            let record = try phone.wait("record.arrived", ["text": .string(text)])
            #expect(record["pairing"] == pairing)
        }
        // No other watch gets the reply to one whose session has ended.
        try a.call("send", ["kind": "message", "text": "late?"])
        let late = try phone.wait("message.arrived", ["text": "late?"])
        try b.call("send", ["kind": "message", "text": "next?"])
        let next = try phone.wait("message.arrived", ["text": "next?"])
        try phone.call("link.close", ["pairing": first])
        let refused = try phone.request("reply", answer(late, "no"))["error"]
        #expect(refused?["code"] == "not_active" && refused?["pairing"] == first)
        try phone.call("reply", answer(next, "yes"))
        try b.wait("message.replied", ["text": "yes"])
        #expect(b.events.count { $0["event"] == "message.replied" } == 2)
    }

    private func answer(_ message: JSONValue, _ text: String) -> JSONValue {
        ["msg": message["msg"] ?? 0, "epoch": message["epoch"] ?? "", "text": .string(text)]
    }
}
