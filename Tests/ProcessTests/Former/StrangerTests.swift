import CPosix
import ControlKit
import Glibc
import Testing

/// A watch written from the articles in another language, against the phone of this build.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StrangerTests {
    private static let package: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        return parts.joined(separator: "/")
    }()

    private static let python: String? = {
        let found = ["/usr/bin/python3", "/usr/local/bin/python3"].first { (path: String) in
            unsafe access(path, X_OK) == 0
        }
        if found == nil {
            print("skipped: the watch in Python needs python3, which is not installed")
        }
        return found
    }()

    private static let list = "\(package)/Fixtures/medications/list-50.json"

    private let bench = Bench()

    private func run(_ script: String, _ argument: String, awaitsReady: Bool) throws -> Program {
        // -B: nothing is left beside the scripts.
        try Program(
            Self.python ?? "", ["-B", "\(Self.package)/Examples/python/\(script)", argument],
            awaitsReady: awaitsReady)
    }

    private func phone() throws -> Program {
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        try phone.wait("reachability", ["reachable": true])
        return phone
    }

    /// Both, and the fifty medications synchronized.
    private func pair() throws -> (phone: Program, watch: Program) {
        let watch = try run("stranger_watch.py", bench.path("link.sock"), awaitsReady: true)
        let phone = try phone()
        try phone.call("import", ["path": .string(Self.list)])
        #expect(try phone.call("sync")["records"] == 50)
        try phone.poll("status") { $0["outstanding"] == 0 }
        return (phone, watch)
    }

    private func medications(_ watch: Program) throws -> [JSONValue] {
        try watch.call("store")["medications"]?.array ?? []
    }

    // Skipped, with the line above, where there is no Python 3; so are the others.
    @Test(.enabled(if: StrangerTests.python != nil, "needs python3"))
    func it_reads_every_vector_and_refuses_what_must_be_refused() throws {
        let check = try run(
            "check_vectors.py", "\(Self.package)/Fixtures/wire", awaitsReady: false)
        check.closeInput()
        let result = try check.line(within: 30)
        #expect(result["faults"] == [])
        #expect(result["golden"]?.integer ?? 0 >= 145)
        #expect(result["rejected"]?.integer ?? 0 >= 185)
        #expect(try check.awaitEnd() == .exited(0), "\(check.errorText())")
    }

    @Test(.enabled(if: StrangerTests.python != nil, "needs python3"))
    func a_planted_fault_in_a_vector_is_found() throws {
        let folders = ["records", "frames", "packets", "carriers"]
        for folder in folders { _ = unsafe mkdir(bench.path(folder), 0o700) }
        // A golden vector with other fields than its bytes have, a rejected one that is valid.
        let files = [
            (
                "records/golden.json",
                #"[{"kind":"complication","name":"x","value":{},"hex":"01000000000000808080"}]"#
            ),
            ("records/rejected.json", "[]"),
            ("frames/golden.tsv", "short ping\t01\n"),
            ("frames/rejected.tsv", "fine\t0107\ttruncated\t1\n"), ("frames/parity.tsv", ""),
            (
                "packets/golden.json",
                #"[{"kind":"notice","name":"x","value":{"version":0,"code":1},"hex":"0002"}]"#
            ),
            (
                "packets/rejected.json",
                #"[{"kind":"notice","name":"x","rule":"truncated","offset":1,"hex":"0002"}]"#
            ),
            ("carriers/golden.tsv", "hail\t0100000000\t2\t0\t\n"),
            ("carriers/rejected.tsv", "fine\t0100000000\tunknownCode\t0\n"),
        ]
        for (name, text) in files {
            let file = unsafe fopen(bench.path(name), "w")
            _ = unsafe fputs(text, file)
            _ = unsafe fclose(file)
        }
        defer {
            for (name, _) in files { _ = unsafe unlink(bench.path(name)) }
            for folder in folders { _ = unsafe rmdir(bench.path(folder)) }
        }
        let check = try run("check_vectors.py", bench.directory, awaitsReady: false)
        check.closeInput()
        #expect(try check.line(within: 30)["faults"]?.array?.count == 7)
        #expect(try check.awaitEnd() == .exited(1))
    }

    @Test(.enabled(if: StrangerTests.python != nil, "needs python3"))
    func it_holds_the_fifty_and_takes_changes_as_deltas() throws {
        let (phone, watch) = try pair()
        let held = try medications(watch)
        let listed = try phone.call("list")["medications"]?.array ?? []
        let imported = try Self.imported()
        #expect(held.count == 50 && listed.count == 50 && imported.count == 50)
        for medication in held {
            let id = medication["id"]
            let entry = listed.first { $0["key"] == id }
            let source = imported.first { $0.id == id?.string }
            #expect(medication["name"] == entry?["name"])
            #expect(medication["revision"] == entry?["revision"])
            #expect(medication["name"]?.string == source?.name)
            #expect(medication["strength"]?.string == source?.strength)
        }

        let before = try watch.call("status")
        let change = try phone.call("medication.change", ["index": 4])["records"]?.array?.first
        try phone.poll("status") { $0["outstanding"] == 0 }
        let after = try watch.call("status")
        #expect(after["deltas"]?.integer == (before["deltas"]?.integer ?? 0) + 1)
        #expect(after["whole"] == before["whole"] && after["need_base"] == 0)
        let changed = try medications(watch).first { $0["id"] == change?["key"] }
        #expect(changed?["revision"] == change?["revision"])

        // Without its bases it asks, and the value comes whole.
        try watch.call("forget")
        try phone.call("medication.change", ["index": 4])
        try phone.poll("status") { $0["outstanding"] == 0 }
        #expect(try watch.call("status")["need_base"] == 1)
        let whole = try medications(watch).first { $0["id"] == change?["key"] }
        #expect(whole?["revision"]?.integer == (change?["revision"]?.integer ?? 0) + 1)
        #expect(try phone.call("sync")["result"] == "not_modified")
    }

    @Test(.enabled(if: StrangerTests.python != nil, "needs python3"))
    func the_credit_lasts_for_more_than_a_window_of_deltas() throws {
        let (phone, watch) = try pair()
        // Some 150 bytes a value: well above 1 MiB, though the deltas are not.
        for _ in 0..<200 {
            try phone.call("medication.change", ["index": 0, "count": 50])
            try phone.poll("status") { $0["outstanding"] == 0 }
            try watch.call("status")  // Reads what it tells, so that it never waits for us.
        }
        #expect(try watch.call("status")["deltas"] == 10_000)
        #expect(try phone.call("sync")["result"] == "not_modified")
    }

    @Test(.enabled(if: StrangerTests.python != nil, "needs python3"))
    func faces_messages_files_and_doses_cross() throws {
        let (phone, watch) = try pair()
        for text in ["take one", "take two"] {
            try phone.call("complication.update", ["text": .string(text)])
            try phone.poll("status") { $0["outstanding"] == 0 }
            let faces = try watch.call("store")["faces"]?.array
            #expect(faces?.count == 1 && faces?.first?["name"]?.string == text)
        }
        try phone.call("trace.reset")
        try phone.call(
            "send", ["kind": "message", "payload_b64": "aGFsbG8=", "expects_reply": true])
        try phone.poll("trace.dump") { $0["records"]?.array?.first?["rtt_ns"] != nil }
        // In parts, above the window of its lane.
        let file = Base64.encode([UInt8](repeating: 7, count: 400_000))
        try phone.call("send", ["kind": "file", "payload_b64": .string(file)])
        try phone.poll("status") { $0["outstanding"] == 0 }

        try watch.call("dose", ["index": 2])
        let dose = try phone.wait("dose.arrived")
        #expect(dose["new"] == true)
        #expect(try phone.call("list")["doses"] == 1)
        try watch.poll("status") { $0["outstanding"] == 0 }
        let arrived = watch.events.filter { $0["event"] == "record.arrived" }
        #expect(arrived.contains { $0["lane"] == 4 && $0["bytes"] == 400_000 })
        #expect(arrived.filter { $0["lane"] == 0 }.count == 1)
    }

    @Test(.enabled(if: StrangerTests.python != nil, "needs python3"))
    func it_comes_back_with_what_it_had() throws {
        var (phone, watch) = try pair()
        try watch.call("cut")
        // Both have something to say by the time the link is back.
        try watch.call("dose", ["index": 1])
        try phone.call("medication.change", ["index": 0, "count": 2])
        // The dose may have come before that command: look at what it left, not for its event.
        try phone.poll("list") { $0["doses"] == 1 }
        try watch.poll("status") { $0["outstanding"] == 0 && $0["sessions"] == 2 }
        try phone.poll("status") { $0["outstanding"] == 0 }
        let status = try watch.call("status")
        #expect(status["whole"] == 50 && status["deltas"] == 2 && status["need_base"] == 0)
        #expect(try phone.call("list")["doses"] == 1)
        #expect(try phone.call("sync")["result"] == "not_modified")

        // A phone that remembers nothing learns what the watch holds: all but the two.
        phone.closeInput()
        _ = try phone.rest()
        #expect(try phone.awaitEnd() == .exited(0))
        phone = try self.phone()
        try phone.call("import", ["path": .string(Self.list)])
        try phone.call("sync")
        try phone.poll("status") { $0["outstanding"] == 0 }
        try watch.poll("status") { $0["whole"] == 52 }
        #expect(try phone.call("sync")["result"] == "not_modified")
    }

    /// Identity, name and strength of every medication of the file.
    private static func imported() throws -> [(id: String, name: String?, strength: String?)] {
        let number = unsafe open(list, O_RDONLY)
        defer { close(number) }
        var bytes: [UInt8] = []
        let deadline = watchproto_monotonic_nanoseconds() + 5_000_000_000
        while let chunk = Program.read(number, until: deadline), !chunk.isEmpty { bytes += chunk }
        let root = try JSONParser.parse(bytes).value
        return (root["medications"]?.array ?? []).map { medication in
            let id = (medication["id"]?.string ?? "").filter { $0 != "-" }
            return (id, medication["name"]?.string, medication["strength"]?.string)
        }
    }
}
