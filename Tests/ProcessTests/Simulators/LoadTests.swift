import ControlProtocol
import Glibc
import Testing

/// Loads, and the two traces joined.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorLoadTests {
    private let bench = Bench()

    /// All pages of a trace.
    private func dump(_ program: Program) throws -> (records: [JSONValue], deliveries: [JSONValue])
    {
        var records: [JSONValue] = []
        var deliveries: [JSONValue] = []
        var next: JSONValue = 0
        while next != .null {
            let page = try program.call("trace.dump", ["after": next, "limit": 100])
            records += page["records"]?.array ?? []
            deliveries += page["deliveries"]?.array ?? []
            next = page["next"] ?? .null
        }
        return (records, deliveries)
    }

    private func name(_ record: JSONValue) -> String {
        ["epoch", "channel", "number"].map { JSONWriter.text(record[$0] ?? .null) }
            .joined(separator: "/")
    }

    /// Each record that was applied arrived exactly once, and nothing arrived that was not sent.
    private func check(_ sent: [JSONValue], _ arrived: [JSONValue]) {
        var deliveries: [String: JSONValue] = [:]
        for delivery in arrived {
            #expect(deliveries.updateValue(delivery, forKey: name(delivery)) == nil)
        }
        for record in sent {
            #expect(record["settled"] != nil, "\(JSONWriter.text(record))")
            let delivery = deliveries.removeValue(forKey: name(record))
            if record["settled"] == "applied" { #expect(delivery != nil) }
            guard let delivery else { continue }
            #expect(delivery["kind"] == record["kind"])
            #expect(delivery["content"] == record["content"])
            #expect(delivery["revision"] == record["revision"])
            let moments =
                ["intended_ns", "accepted_ns", "sent_ns"].map { record[$0]?.integer ?? 0 }
                + ["delivered_ns", "visible_ns"].map { delivery[$0]?.integer ?? 0 }
            #expect(moments == moments.sorted() && moments[0] > 0, "\(moments)")
        }
        #expect(deliveries.isEmpty)
    }

    @Test func each_record_of_a_load_arrives_exactly_once() throws {
        let pair = try Pair(bench)
        try pair.synchronize(bench.list())
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        try pair.phone.call("trace.reset")
        try pair.watch.call("trace.reset")
        for program in [pair.phone, pair.watch] { try program.call("events", ["records": false]) }
        try pair.phone.call(
            "load.start",
            [
                "mix": [
                    ["kind": "medication", "rate_per_s": 40],
                    ["kind": "complication", "rate_per_s": 40],
                    ["kind": "message", "rate_per_s": 50],
                ], "duration_ms": 1100, "warmup_ms": 100, "seed": 7,
            ])
        try pair.watch.call(
            "load.start",
            [
                "mix": [
                    ["kind": "dose", "rate_per_s": 40], ["kind": "message", "rate_per_s": 50],
                ],
                "duration_ms": 1000, "seed": 7, "arrivals": "poisson",
            ])
        let done = try pair.phone.wait("load.done")
        #expect(done["refused"] == [:])
        let doneThere = try pair.watch.wait("load.done")
        // 40 + 40 + 50 a second for 1.1 s, exactly: the plan follows from the rates alone.
        #expect(done["sent"] == 143)
        for program in [pair.phone, pair.watch] {
            try program.poll("status") { $0["outstanding"] == 0 }
        }
        let phone = try dump(pair.phone)
        let watch = try dump(pair.watch)
        #expect(phone.records.count == 143)
        #expect(.whole(watch.records.count) == doneThere["sent"])
        check(phone.records, watch.deliveries)
        check(watch.records, phone.deliveries)
        let messages = phone.records.filter { $0["kind"] == "message" }
        #expect(messages.allSatisfy { $0["rtt_ns"]?.integer ?? 0 > 0 })
        #expect(phone.records.count { $0["warmup"] == true } == 13)
        // Events of single records were suppressed.
        #expect(
            !pair.watch.events.contains {
                $0["event"] == "medication.visible" && $0["revision"] != 1
            })
    }

    @Test func a_load_that_makes_no_sense_is_refused_and_nothing_starts() throws {
        let watch = try Program("WatchSim", ["--link", bench.link(), "--unsealed"])
        func refusal(_ fields: JSONValue) throws -> JSONValue? {
            try watch.request("load.start", fields)["error"]
        }
        #expect(try refusal(["duration_ms": 5])?["field"] == "mix")
        #expect(try refusal(["mix": [], "duration_ms": 5])?["code"] == "bad_field")
        let unknown = try refusal(
            ["mix": [["kind": "complication", "rate_per_s": 1]], "duration_ms": 5])
        #expect(unknown?["expected"] == "dose or message")
        let fast = try refusal(["mix": [["kind": "message", "rate_per_s": 0]], "duration_ms": 5])
        #expect(fast?["field"] == "mix[0].rate_per_s")
        let noStore = try refusal(["mix": [["kind": "dose", "rate_per_s": 1]], "duration_ms": 5])
        #expect(noStore?["code"] == "no_medication")
        // Nobody to answer: refused one by one, counted, never an error.
        try watch.call(
            "load.start",
            ["mix": [["kind": "message", "rate_per_s": 100]], "duration_ms": 100])
        #expect(try watch.wait("load.done")["refused"] == ["not_reachable": 10])
    }

    @Test func a_reader_that_is_too_slow_misses_events_and_is_told_but_delays_nothing() throws {
        let pair = try Pair(bench)
        try pair.synchronize(bench.list())
        try pair.phone.call("trace.reset")
        // Nobody reads the phone's output meanwhile; it gets more than 2 MiB of events.
        pair.phone.write(
            #"{"cmd":"load.start","events":true,"mix":[{"kind":"message","rate_per_s":1}],"duration_ms":4000}"#
                + "\n")
        try pair.watch.call(
            "load.start",
            ["mix": [["kind": "dose", "rate_per_s": 5000]], "duration_ms": 3500])
        let sent = try pair.watch.wait("load.done")["sent"]?.integer ?? 0
        #expect(sent > 17_000)
        // Few doses are under way at a time: more may wait while none is.
        try pair.watch.poll("status") {
            $0["outstanding"] == 0 && $0["doses"]?["settled"] == true
        }
        // Now somebody reads.
        #expect(try pair.phone.call("list")["doses"]?.integer ?? 0 > 16_000)
        let missed = pair.phone.events.filter { $0["event"] == "missed" }
            .reduce(0) { $0 + ($1["count"]?.integer ?? 0) }
        let told = pair.phone.events.count { $0["event"] == "dose.arrived" }
        #expect(missed > 0)
        #expect(Int64(told) + missed >= sent)
    }
}
