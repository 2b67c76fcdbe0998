import ControlProtocol
import Glibc
import Testing

/// PhoneSim and WatchSim over UDP.
@Suite(.serialized, .timeLimit(.minutes(2)), Endpoint.isThere) struct UDPTests {
    private let bench = Bench()

    /// The largest packet that `--link` takes: what UDP itself can carry.
    private static let largest = 65_507

    /// BLE's smallest packets and the largest UDP holds; sealed, with records in parts.
    @Test(arguments: ["", "?datagram=244", "?datagram=65502", "?datagram=1200&interval=30ms"])
    func records_arrive_once_at_every_size_of_datagram(_ options: String) throws {
        let pair = try Pair(bench, link: Endpoint.fresh(options))
        #expect(try pair.synchronize(bench.list(count: 60))["records"] == 60)
        try pair.watch.call("dose.record", ["index": 3])
        #expect(try pair.phone.wait("dose.arrived")["new"] == true)
        let sent = try pair.phone.call(
            "load.start",
            [
                "mix": [
                    ["kind": "medication", "rate_per_s": 50],
                    ["kind": "complication", "rate_per_s": 50],
                    ["kind": "message", "rate_per_s": 50],
                ], "duration_ms": 600, "seed": 7,
            ])
        #expect(sent["ok"] == true)
        let done = try pair.phone.wait("load.done")
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        let trace = try Traces(pair)
        trace.check(sent: done["sent"]?.integer ?? 0)
    }

    @Test func a_side_that_is_killed_comes_back_from_another_port_and_is_let_in() throws {
        try Pair.couple(bench)
        let link = Endpoint.fresh()
        func phone() throws -> Program {
            try Program("PhoneSim", ["--link", link, "--journal", bench.path("p")])
        }
        let pair = try Pair(
            bench, phone: phone(),
            watch: Program("WatchSim", ["--link", link, "--journal", bench.path("w")]))
        pair.phone.signal(SIGKILL)
        #expect(try pair.phone.awaitEnd() == .signalled(SIGKILL))
        let again = try phone()
        try again.wait("reachability", ["reachable": true])
        try again.call("import", ["path": .string(bench.list())])
        try again.call("sync")
        let digest = try again.call("list")["digest"]
        try pair.watch.poll("store") { $0["digest"] == digest }
    }

    @Test func the_phone_may_show_the_code_and_leaves_the_port_to_the_watch() throws {
        let link = Endpoint.fresh()
        let phone = try Program("PhoneSim", ["--link", link])
        let watch = try Program("WatchSim", ["--link", link])
        let code = try phone.call("pair.show")["code"] ?? .null
        try watch.call("pair.enter", ["code": code])
        for program in [watch, phone] {
            try program.wait("pairing.confirm")
            try program.call("pair.confirm")
        }
        try watch.wait("pairing.done")
        // The phone has the port for ten seconds more, and the watch waits for it.
        try phone.call("wait", ["event": "pairing.done", "timeout_ms": 15_000])
        try phone.wait("reachability", ["reachable": true])
        try watch.wait("reachability", ["reachable": true])
    }

    @Test func an_address_that_cannot_be_had_is_explained() throws {
        func failure(_ link: String) throws -> (code: Program.End, text: String) {
            let program = try Program(
                "WatchSim", ["--link", link, "--unsealed"], awaitsReady: false)
            return (try program.awaitEnd(), program.errorText())
        }
        let link = Endpoint.fresh()
        let first = try Program("WatchSim", ["--link", link, "--unsealed"])
        let second = try failure(link)
        #expect(second.code == .exited(69))
        #expect(
            second.text.hasPrefix(
                "Error: cannot open the link: '\(link)' is in use by another socket of this host"))
        #expect(try first.call("status")["ok"] == true)
        for (address, words) in [
            ("udp:10.0.0.1:7001", "'10.0.0.1' is not a loopback address"),
            ("udp:127.0.0.1:80", "port 80 cannot be used"),
            ("udp:127.0.0.1", "does not name an address and a port"),
            ("udp:127.0.0.1:7001?datagram=1", "244 (Bluetooth Low Energy) to \(Self.largest)"),
        ] {
            let refused = try failure(address)
            #expect(refused.code == .exited(64))
            #expect(refused.text.contains(words), "\(refused.text)")
        }
    }
}

/// The records that two simulators have sent and received, from their traces.
struct Traces {
    private let records: [JSONValue]
    private let deliveries: [JSONValue]

    init(_ pair: Pair) throws {
        records = try Self.dump(pair.phone, "records")
        deliveries = try Self.dump(pair.watch, "deliveries")
    }

    private static func dump(_ program: Program, _ kind: String) throws -> [JSONValue] {
        var all: [JSONValue] = []
        var next: JSONValue = 0
        while next != .null {
            let page = try program.call("trace.dump", ["after": next, "limit": 100])
            all += page[kind]?.array ?? []
            next = page["next"] ?? .null
        }
        return all
    }

    private static func name(_ record: JSONValue) -> String {
        ["epoch", "channel", "number"].map { JSONWriter.text(record[$0] ?? .null) }
            .joined(separator: "/")
    }

    /// At least `sent` records were sent; each that was applied arrived exactly once.
    func check(sent: Int64) {
        #expect(records.count >= sent && sent > 0)
        let arrived = deliveries.map(Self.name)
        #expect(Set(arrived).count == arrived.count)
        for record in records where record["settled"] == "applied" {
            #expect(arrived.contains(Self.name(record)))
        }
        #expect(records.allSatisfy { $0["settled"] != nil })
    }
}
