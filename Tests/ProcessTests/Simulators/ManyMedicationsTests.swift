import ControlProtocol
import Testing

/// The most medications that a phone and a watch are asked to hold.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ManyMedicationsTests {
    private let bench = Bench()

    private func start(_ name: String) throws -> Program {
        try Program(name, ["--link", bench.link(), "--journal", bench.path(name)])
    }

    @Test func ten_thousand_medications_are_imported_synced_and_queried() throws {
        let count: Int64 = 10_000
        let pair = try Pair(bench, phone: start("PhoneSim"), watch: start("WatchSim"))
        let file = bench.list(count: Int(count))
        let imported = try pair.phone.call("import", ["path": .string(file)])
        #expect(imported["imported"] == .integer(count))
        #expect(try pair.synchronize()["records"] == .integer(count))
        #expect(try pair.watch.call("store")["count"] == .integer(count))
        // A change still costs one record.
        try pair.phone.call("medication.change", ["index": 9_999])
        #expect(try pair.synchronize()["records"] == 0)
        for program in [pair.phone, pair.watch] {
            let page = try program.call("medication.list", ["after": 9_998, "limit": 10])
            #expect(page["medications"]?.array?.count == 2)
            #expect(page["medications"]?.array?.last?["name"] == "Medicine 9999")
            try program.call("quit")
            _ = try program.awaitEnd()
        }
        let again = try start("WatchSim")
        #expect(try again.call("store")["count"] == .integer(count))
        try again.call("quit")
        _ = try again.awaitEnd()
    }
}
