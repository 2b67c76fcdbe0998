import ControlProtocol
import Testing

/// The programs in a constant shape.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorShapeTests {
    private let bench = Bench()

    private func sent(_ program: Program) throws -> (packets: Int64, bytes: Int64) {
        let counters = try program.call("status")["counters"]
        return (counters?["packets_sent"]?.integer ?? -1, counters?["bytes_sent"]?.integer ?? -1)
    }

    /// Packets leave although nothing is said, and one that brings a dose is as long as any other
    /// one.
    @Test func every_packet_of_a_session_is_as_long_as_any_other_one() throws {
        func start(_ name: String) throws -> Program {
            try Program(name, ["--link", bench.link(), "--constant-shape", "20ms"])
        }
        let pair = try Pair(bench, phone: start("PhoneSim"), watch: start("WatchSim"))
        try pair.synchronize(bench.list())
        var lengths: [Int64] = []
        for isBusy in [false, true] {
            let before = try sent(pair.watch)
            if isBusy {
                try pair.watch.call("dose.record", ["index": 0])
                try pair.phone.wait("dose.arrived")
            }
            try pair.watch.poll("status") {
                ($0["counters"]?["packets_sent"]?.integer ?? 0) >= before.packets + 20
            }
            let after = try sent(pair.watch)
            let (packets, bytes) = (after.packets - before.packets, after.bytes - before.bytes)
            #expect(bytes.isMultiple(of: packets))
            lengths.append(bytes / packets)
        }
        // 256 bytes, the tag, and the prefix of a stream.
        #expect(lengths[0] == lengths[1] && (272...280).contains(lengths[0]), "\(lengths)")
    }

    /// Only the phone has a shape: it tells so, and the watch does not.
    @Test func a_shape_on_one_side_alone_is_told() throws {
        let pair = try Pair(
            bench,
            phone: Program("PhoneSim", ["--link", bench.link(), "--constant-shape", "20ms"]),
            watch: Program("WatchSim", ["--link", bench.link()]))
        func told(_ program: Program) -> [JSONValue] {
            program.others.filter { $0["event"] == "shape.one_sided" }
        }
        try pair.phone.poll("status") { _ in !told(pair.phone).isEmpty }
        let schema = JSONSchema(published: "control-1")
        for line in told(pair.phone) {
            #expect(schema.complaints(about: line, as: "event.shape.one_sided") == [])
        }
        try pair.watch.call("status")
        #expect(told(pair.watch).isEmpty)
    }
}
