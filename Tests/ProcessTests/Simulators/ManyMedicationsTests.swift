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
        // Too large for the phone's memory: it reads them from its file.
        let notes = String(repeating: "The next review is in May. ", count: 20)
        let file = bench.list(count: Int(count), notes: notes)
        let imported = try pair.phone.call("import", ["path": .string(file)])
        #expect(imported["imported"] == .integer(count))
        #expect(try pair.synchronize()["records"] == .integer(count))
        #expect(try pair.watch.call("store")["count"] == .integer(count))
        // A change still costs one record.
        try pair.phone.call("medication.change", ["index": 9_999])
        let changed = try pair.phone.call("medication.change", ["index": 9_999])
        #expect(changed["records"]?.array?.first?["revision"] == 3)
        #expect(try pair.synchronize()["records"] == 0)
        for program in [pair.phone, pair.watch] {
            let page = try program.call("medication.list", ["after": 9_998, "limit": 10])
            #expect(page["medications"]?.array?.count == 2)
            #expect(page["medications"]?.array?.last?["name"] == "Medicine 9999")
            try program.call("quit")
            _ = try program.awaitEnd()
        }
        let again = try Pair(bench, phone: start("PhoneSim"), watch: start("WatchSim"))
        let removed = try again.phone.call("medication.remove", ["index": 5_000])
        #expect(removed["left"] == .integer(count - 1))
        let edited = try again.phone.call("medication.change", ["index": 9_998])
        #expect(edited["records"]?.array?.first?["revision"] == 4)
        let digest = try again.phone.call("list")["digest"]
        let store = try again.watch.poll("store") { $0["digest"] == digest }
        #expect(store["count"] == .integer(count - 1))
        for program in [again.phone, again.watch] {
            try program.call("quit")
            _ = try program.awaitEnd()
        }
    }

    /// A commit that the disk refused is not in the file, from which a long list is read.
    @Test func an_import_that_met_a_full_disk_is_whole_after_the_next_one() throws {
        let count: Int64 = 3_000
        let notes = String(repeating: "The next review is in May. ", count: 80)
        let file = bench.list(count: Int(count), notes: notes)
        var refused = 0
        for number in [60, 100, 150, 200, 400, 800] {
            let name = "p\(number)"
            let options = [
                "--link", bench.link(), "--journal", bench.path(name),
                "--disk-fault", "full:write:\(number)",
            ]
            // With some numbers the disk is full before there is a device.
            guard let phone = try? Program("PhoneSim", options),
                (try? phone.call("list")) != nil
            else { continue }
            var reply = try phone.request("import", ["path": .string(file)])
            if let error = reply["error"], error != .null {
                #expect(error["code"] == "journal_failed")
                refused += 1
                // There is room again.
                reply = try phone.request("import", ["path": .string(file)])
            }
            #expect(reply["error"] == nil || reply["error"] == .null, "\(number): \(reply)")
            let list = try phone.call("list")
            #expect(list["count"] == .integer(count))
            try phone.call("quit")
            _ = try phone.awaitEnd()
            let again = try start(journal: name)
            #expect(try again.call("list")["digest"] == list["digest"])
            try again.call("quit")
            _ = try again.awaitEnd()
        }
        #expect(refused > 0, "the disk was never full during an import")
    }

    private func start(journal name: String) throws -> Program {
        try Program("PhoneSim", ["--link", bench.link(), "--journal", bench.path(name)])
    }
}
