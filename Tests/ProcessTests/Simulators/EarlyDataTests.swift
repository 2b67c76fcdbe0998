import ControlProtocol
import Testing

/// Early data between the programs, and without it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorEarlyDataTests {
    private let bench = Bench()

    private func counter(_ name: String, of program: Program) throws -> Int64 {
        try program.call("status")["counters"]?[name]?.integer ?? -1
    }

    /// Records that wait when a link opens leave behind the first flight, unless one of the two was
    /// told otherwise; they arrive in either case.
    @Test(arguments: [true, false], [true, false])
    func who_is_started_without_early_data_neither_sends_nor_takes_any(
        phoneHas: Bool, watchHas: Bool
    ) throws {
        func start(_ name: String, _ has: Bool) throws -> Program {
            try Program(name, ["--link", bench.link()] + (has ? [] : ["--no-early-data"]))
        }
        let pair = try Pair(
            bench, phone: start("PhoneSim", phoneHas), watch: start("WatchSim", watchHas))
        try pair.synchronize(bench.list())
        // The watch holds the list before the phone has heard so.
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        let before = (
            sent: try counter("early_packets_sent", of: pair.phone),
            received: try counter("early_records_received", of: pair.watch)
        )
        try pair.phone.call("link.close")
        try pair.phone.wait("reachability", ["reachable": false])
        try pair.phone.call("medication.change", ["index": 0, "count": 5])
        #expect(try pair.phone.call("status")["outstanding"] == 5)
        try pair.phone.call("link.open")
        try pair.phone.poll("status") { $0["reachable"] == true && $0["outstanding"] == 0 }
        let digest = try pair.phone.call("list")["digest"]
        #expect(try pair.watch.call("store")["digest"] == digest)
        let sent = try counter("early_packets_sent", of: pair.phone) - before.sent
        let received = try counter("early_records_received", of: pair.watch) - before.received
        #expect((sent > 0) == phoneHas, "\(sent) packets")
        #expect(received == (phoneHas && watchHas ? 5 : 0))
    }
}
