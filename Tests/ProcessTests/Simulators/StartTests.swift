import CommandLine
import ControlProtocol
import Glibc
import Testing

/// A start from a file: the kept face, `ready` and a dose come before the store is loaded.
@Suite(.serialized, .timeLimit(.minutes(3))) struct StartTests {
    private let bench = Bench()

    private var words: [String] { ["--link", bench.link(), "--journal", bench.path("w")] }

    /// A watch's file with a list, a face and no log.
    private func make(count: Int) throws {
        try make(bench.list(count: count)) { watch in
            try watch.poll("face") { $0["timeline"] != .null }
        }
    }

    private func make(_ list: String, _ body: (Program) throws -> Void) throws {
        let pair = try Pair(
            bench,
            phone: Program("PhoneSim", ["--link", bench.link(), "--journal", bench.path("p")]),
            watch: Program("WatchSim", words))
        try pair.synchronize(list)
        try body(pair.watch)
        try pair.watch.call("quit")
        #expect(try pair.watch.awaitEnd() == .exited(0))
    }

    /// Starts the watch, with a dose in its input; gives the lines up to the reply, and the watch.
    private func start(
        _ dose: JSONValue = ["index": 3]
    ) throws -> (watch: Program, lines: [JSONValue]) {
        let watch = try Program("WatchSim", words, awaitsReady: false)
        var command = dose.object ?? JSONObject()
        (command["id"], command["cmd"]) = (7, "dose.record")
        watch.write(JSONWriter.text(.object(command)) + "\n")
        var lines: [JSONValue] = []
        while lines.last?["id"] != 7 { lines.append(try watch.line(within: 10)) }
        return (watch, lines)
    }

    /// Face rule 5 for the tap on an entry: the second one, after another cold start, changes
    /// nothing.
    @Test(arguments: [false, true])
    func a_dose_is_durable_before_the_store_is_loaded(isTap: Bool) throws {
        var dose: JSONValue = ["index": 3]
        if isTap {
            try make(bench.plannedList()) { watch in
                let face = try watch.poll("face") { $0["timeline"] != .null }
                let shown = face["complication"]?["dose"]
                dose = [
                    "key": shown?["key"] ?? .null, "day": shown?["day"] ?? .null,
                    "entry": shown?["entry"] ?? .null,
                ]
            }
        } else {
            try make(count: 400)
        }
        var (watch, lines) = try start(dose)
        #expect(lines[0]["event"] == "ready" && lines[0]["epoch"] == .null)
        #expect(lines[0]["paired"] == true && lines[0]["face_ns"] != .null)
        let face = lines.first { $0["event"] == "complication.shown" }
        #expect(face?["source"] == "store" && face?["as_of_minute"] == .null)
        #expect(lines.last?["ok"] == true && lines.last?["recorded"] == 1)
        // The session follows the load of the store.
        #expect(!lines.contains { $0["event"] == "activation" })
        watch.signal(SIGKILL)
        _ = try watch.awaitEnd()

        // The face that was kept does not include the dose: it says so.
        (watch, lines) = try start(dose)
        let old = lines.first { $0["event"] == "complication.shown" }
        #expect(old?["source"] == "store" && old?["as_of_minute"]?.integer != nil)
        #expect(lines.last?["recorded"]?.integer == (isTap ? 0 : 1))
        let store = try watch.call("store")
        #expect(store["doses"]?.integer == (isTap ? 1 : 2))
        #expect(store["count"]?.integer == (isTap ? 3 : 400))
        #expect(try watch.call("face")["complication"]?["as_of_minute"] == .null)
        #expect(try watch.call("status")["epoch"]?.string?.count == 16)
        let history = try watch.call("dose.history")["doses"]?.array ?? []
        #expect(Set(history.compactMap { $0["key"]?.string }).count == 1)
    }

    /// Face rule 4.
    @Test func a_locked_watch_names_no_medication_after_a_restart() throws {
        try make(bench.plannedList()) { watch in
            try watch.poll("face") {
                $0["complication"]?["text"]?.string?.hasPrefix("Medicine") == true
            }
            try watch.call("app.report", ["locked": true])
            // That says nothing of the lock.
            try watch.call("app.report", ["foreground": false])
        }
        let (watch, lines) = try start()
        #expect(lines.contains { $0["event"] == "complication.shown" })
        #expect(!lines.contains { JSONWriter.text($0).contains("Medicine") })
        #expect(!JSONWriter.text(try watch.call("face")).contains("Medicine"))
        try watch.call("app.report", ["locked": false])
        let face = try watch.call("face")["complication"]
        #expect(face?["text"]?.string?.hasPrefix("Medicine") == true)
    }

    /// A disk that fails from any of its reads on: the device says which file, and that the system
    /// refused.
    @Test func a_start_that_cannot_read_names_its_file() throws {
        try make(count: 5)
        var refused = 0
        for place in 1...40 {
            let fault = ["--disk-fault", "io:read:\(place):forever"]
            let watch = try Program("WatchSim", words + fault, awaitsReady: false)
            watch.write("{\"id\":1,\"cmd\":\"status\"}\n{\"id\":2,\"cmd\":\"quit\"}\n")
            let ending = try watch.awaitEnd()
            guard ending != .exited(0) else { continue }
            refused += 1
            #expect(ending == .exited(71), "read \(place)")
            let text = watch.errorText()
            #expect(text.hasPrefix("Error: journal '\(bench.path("w"))': "), "\(place): \(text)")
        }
        #expect(refused > 10)
    }

    /// Damage that the check finds behind `ready`: the device says so and ends. The file is as it
    /// was.
    @Test func damage_is_told_behind_ready() throws {
        try make(count: 30)
        var bytes = try Files.read(bench.path("w"))
        let name = Array("Medicine 7".utf8)
        for place in bytes.indices where bytes[place...].starts(with: name) {
            bytes[place + 9] = UInt8(ascii: "8")
        }
        try Files.write(bytes, to: bench.path("w"))
        let watch = try Program("WatchSim", words, awaitsReady: false)
        watch.write("{\"id\":7,\"cmd\":\"dose.record\",\"index\":3}\n")
        var lines: [JSONValue] = []
        while let line = try? watch.line(within: 10) { lines.append(line) }
        #expect(try watch.awaitEnd() == .exited(65))
        #expect(lines.first?["event"] == "ready" && lines.last?["event"] == "bye")
        #expect(lines.contains { $0["error"]?["code"] == "store_failed" })
        // The check of a short file may be faster than the dose, which is not taken then.
        let reply = lines.first { $0["id"] == 7 }
        let refusals: [JSONValue?] = ["journal_failed", "ending"]
        let isRefused = refusals.contains(reply?["error"]?["code"])
        #expect(reply?["ok"] == true || isRefused, "\(lines)")
        #expect(watch.errorText().contains("altered"))
        #expect(try Files.read(bench.path("w")) == bytes)
    }
}
