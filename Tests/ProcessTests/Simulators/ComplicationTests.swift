import ControlProtocol
import Glibc
import Testing

/// The planner of complications between two real processes.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorComplicationTests {
    private let bench = Bench()

    private func phone() throws -> Program {
        try Program("PhoneSim", ["--link", bench.link(), "--journal", bench.path("p")])
    }

    private func watch() throws -> Program {
        try Program("WatchSim", ["--link", bench.link(), "--journal", bench.path("w")])
    }

    @discardableResult
    private func update(
        _ phone: Program, _ text: String, _ cause: JSONValue = "urgent_change"
    ) throws -> JSONValue {
        try phone.call(
            "complication.update", ["text": .string(text), "cause": cause])["reason"] ?? .null
    }

    private func counts(_ phone: Program) throws -> JSONValue {
        try phone.call("status")["complications"] ?? .null
    }

    private func setForeground(_ pair: Pair, _ isForeground: Bool) throws {
        try pair.watch.call("app.report", ["foreground": .bool(isForeground)])
        try pair.phone.poll("status") {
            $0["complications"]?["foreground"] == .bool(isForeground)
        }
        // A moment after its word the watch is still awake, and an update would ride for free.
        usleep(100_000)
    }

    @Test("250 offline updates leave 50 of 50; the spent pushes survive a kill")
    func budget() throws {
        var pair = try Pair(bench, phone: phone(), watch: watch())
        try pair.phone.call("link.close", ["abrupt": true])
        for number in 0..<250 { #expect(try update(pair.phone, "\(number)") == "unreachable") }
        try pair.phone.call("link.open")
        try pair.watch.poll("face") { $0["complication"]?["text"] == "249" }
        #expect(try counts(pair.phone)["left"] == 50)
        try setForeground(pair, false)
        for text in ["one", "two"] {
            #expect(try update(pair.phone, text) == "pushed")
            try pair.watch.poll("face") { $0["complication"]?["text"] == .string(text) }
            usleep(600_000)
        }
        // By day the first of these is pushed, at night none.
        try update(pair.phone, "three", "change")
        #expect(try update(pair.phone, "four", "change") == "waiting")
        let left = try counts(pair.phone)["left"]
        #expect(left == 47 || left == 48)
        pair.phone.signal(SIGKILL)
        _ = try pair.phone.awaitEnd()

        pair.phone = try phone()
        #expect(try counts(pair.phone)["left"] == left)
        try pair.phone.call("link.open")
        // The update that waited leaves with the next session, and the watch tells of itself again.
        try pair.watch.poll("face") { $0["complication"]?["text"] == "four" }
        try pair.phone.poll("status") { $0["complications"]?["foreground"] == false }
        #expect(try counts(pair.phone)["left"] == left)
    }

    @Test("1,000 updates in a second cost 3 pushes at most, and each has one reason")
    func burst() throws {
        let pair = try Pair(bench, phone: phone(), watch: watch())
        try setForeground(pair, false)
        try pair.phone.call(
            "load.start",
            ["mix": [["kind": "complication", "rate_per_s": 1020]], "duration_ms": 980])
        let done = try pair.phone.wait("load.done")
        try pair.phone.poll("status") { $0["complications"]?["reasons"]?["waiting"] == 0 }
        let counts = try counts(pair.phone)
        let reasons = counts["reasons"]?.object?.members ?? []
        let sum = reasons.reduce(0) { $0 + ($1.value.integer ?? 0) }
        #expect(counts["offered"]?.integer == sum && sum >= 990)
        // On a machine with much else to do the load takes longer than a second.
        let length = 980 + (done["late_max_ns"]?.integer ?? 0) / 1_000_000
        let most = 2 + length / 500
        #expect((2...most).contains(counts["reasons"]?["pushed"]?.integer ?? 0), "\(counts)")
        let why = try pair.phone.call("complication.why", ["limit": 100])["decisions"]?.array ?? []
        #expect(why.count == 100 && why.last?["reason"] == "pushed")
        #expect(why.last?["number"]?.integer == sum)
        try pair.watch.poll("face") { $0["complication"]?["text"] == .string("update \(sum)") }
    }

    @Test("Each cause has its reason, and an update that finds no push is told")
    func causes() throws {
        let pair = try Pair(bench, phone: phone(), watch: watch())
        try setForeground(pair, false)
        for (cause, reason) in [
            ("passing_time", "shown_by_timeline"), ("watch_event", "own_event"),
        ] {
            let reply = try pair.phone.call(
                "complication.update", ["text": "x", "cause": .string(cause)])
            #expect(reply["result"] == "dropped" && reply["reason"] == .string(reason))
        }
        let small = try pair.phone.call(
            "complication.update", ["text": "x", "change": 4, "threshold": 5])
        #expect(small["reason"] == "below_threshold" && small["msg"] == nil)
        for number in 0..<50 {
            #expect(try update(pair.phone, "\(number)") == "pushed")
            usleep(520_000)
        }
        #expect(try update(pair.phone, "one too many") == "demoted")
        #expect(try pair.phone.wait("complication.demoted")["urgent"] == true)
        #expect(try counts(pair.phone)["missed_targets"] == 1)
        // It leaves with the next durable record.
        try pair.phone.call("send", ["kind": "user_info", "text": "ride"])
        try pair.watch.poll("face") { $0["complication"]?["text"] == "one too many" }
        #expect(try counts(pair.phone)["left"] == 0)
    }
}
