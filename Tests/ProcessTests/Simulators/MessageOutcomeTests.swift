import ControlProtocol
import Testing

/// A message whose outcome is unknown is known later: the devices ask each other.
@Suite(.serialized, .timeLimit(.minutes(3)), Endpoint.isThere) struct MessageOutcomeTests {
    private let bench = Bench()
    private let near = Endpoint.fresh("?datagram=1200")
    private let far = Endpoint.fresh("?datagram=1200")

    private func phone() throws -> Program {
        try Program("PhoneSim", ["--link", near, "--journal", bench.path("p")])
    }

    /// A pair with a link between them that can lose what is sent.
    private func start() throws -> (pair: Pair, rig: Program) {
        let rig = try Program(
            "rig", ["link", "--listen", near, "--connect", far, "--seed", "42", "--quiet"])
        let pair = try Pair(
            bench, phone: phone(),
            watch: Program("WatchSim", ["--link", far, "--journal", bench.path("w")]))
        try pair.watch.call("echo", ["on": false])
        try pair.phone.call(
            "wait",
            [
                "until": "status", "holds": ["outstanding": 0, "reachable": true],
                "timeout_ms": 8000,
            ])
        return (pair, rig)
    }

    /// Sends a message whose acknowledgment does not come, and cuts the phone's link.
    private func send(
        _ pair: Pair, _ rig: Program, arrives: Bool, timeout: Int64
    ) throws -> JSONValue {
        if arrives {
            try rig.call("link.set", ["down": "loss=100%"])
        } else {
            try rig.call("link.down")
        }
        let sent = try pair.phone.call(
            "send", ["kind": "message", "text": "now", "timeout_ms": .integer(timeout)])
        if arrives { try pair.watch.wait("message.arrived", ["text": "now"]) }
        try pair.phone.poll("record.status", sent.recordID) { $0["stage"] == "sent" }
        try pair.phone.call("link.close", ["abrupt": true])
        return sent
    }

    private func repair(_ rig: Program, arrived: Bool) throws {
        if arrived {
            try rig.call("link.set", ["down": "loss=0%"])
        } else {
            try rig.call("link.up")
        }
    }

    @Test(
        "An unknown outcome is learnt when the devices meet again, also after a restart",
        arguments: [(true, false), (false, false), (true, true), (false, true)])
    func learnt(arrives: Bool, restarts: Bool) throws {
        let (started, rig) = try start()
        var pair = started
        let sent = try send(pair, rig, arrives: arrives, timeout: 4000)
        let failed = try pair.phone.wait("message.failed", ["msg": sent["msg"] ?? 0])
        #expect(failed["outcome"] == "outcome_unknown" && failed["cause"] == "link_lost")
        if restarts {
            try pair.phone.call("quit")
            _ = try pair.phone.awaitEnd()
            pair.phone = try phone()
        }
        let before = try pair.phone.call("record.status", sent.recordID)
        #expect(before["applied"] == "unknown" && before["outcome"] == "outcome_unknown")
        try repair(rig, arrived: arrives)
        if !restarts { try pair.phone.call("link.open") }
        var fields = sent.recordID.object ?? JSONObject()
        let outcome: JSONValue = arrives ? "applied" : "not_delivered"
        let applied: JSONValue = arrives ? "yes" : "no"
        fields["outcome"] = outcome
        try pair.phone.wait("record.settled", .object(fields))
        for isAgain in [false, true] {
            if isAgain {
                try pair.phone.call("quit")
                _ = try pair.phone.awaitEnd()
                pair.phone = try phone()
            }
            let after = try pair.phone.call("record.status", sent.recordID)
            #expect(after["outcome"] == outcome && after["applied"] == applied)
        }
        try pair.watch.call("status")
        let given = pair.watch.events.count { $0["event"] == "message.arrived" }
        #expect(given == (arrives ? 1 : 0))
    }

    @Test func a_message_waits_for_its_reply_over_the_next_link() throws {
        let (pair, rig) = try start()
        let sent = try send(pair, rig, arrives: true, timeout: 60_000)
        try repair(rig, arrived: true)
        try pair.phone.call("link.open")
        try pair.phone.wait("reachability", ["reachable": true])
        try pair.watch.poll("status") { $0["reachable"] == true }
        try pair.watch.call("reply", ["msg": sent["msg"] ?? 0, "text": "yes"])
        let replied = try pair.phone.wait("message.replied", ["msg": sent["msg"] ?? 0])
        #expect(replied["text"] == "yes" && replied["epoch"] == sent["epoch"])
        #expect(try pair.phone.call("record.status", sent.recordID)["applied"] == "yes")
        #expect(!pair.phone.events.contains { $0["event"] == "message.failed" })
    }

    @Test func a_message_that_did_not_arrive_ends_before_its_time() throws {
        let (pair, rig) = try start()
        let sent = try send(pair, rig, arrives: false, timeout: 60_000)
        try repair(rig, arrived: false)
        try pair.phone.call("link.open")
        let failed = try pair.phone.wait("message.failed", ["msg": sent["msg"] ?? 0])
        #expect(failed["outcome"] == "not_delivered" && failed["cause"] == "link_lost")
    }
}
