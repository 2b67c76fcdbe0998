import CommandLine
import ControlProtocol
import Glibc
import Testing

/// Simulators that keep what they hold in journals, killed and started again.
@Suite(.serialized, .timeLimit(.minutes(4))) struct SimulatorJournalTests {
    private let bench = Bench()

    private func watch(_ further: [String] = []) throws -> Program {
        try Program(
            "WatchSim", ["--link", bench.link(), "--journal", bench.path("w")] + further)
    }

    private func phone(_ further: [String] = []) throws -> Program {
        try Program(
            "PhoneSim", ["--link", bench.link(), "--journal", bench.path("p")] + further)
    }

    private func pair() throws -> Pair {
        try Pair(bench, phone: phone(), watch: watch())
    }

    private func kill(_ program: Program) throws {
        program.signal(SIGKILL)
        #expect(try program.awaitEnd() == .signalled(SIGKILL))
    }

    private func drain(_ pair: Pair) throws {
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        try pair.watch.poll("status") { $0["outstanding"] == 0 }
        let phone = pair.phone
        try pair.watch.poll("status") { reply in
            (try? phone.call("status")["doses"]) == reply["doses"]
        }
    }

    /// The dose events of a side, the newest first, by their identities.
    private func doses(_ program: Program) throws -> [String] {
        var all: [String] = []
        var before: JSONValue?
        while true {
            var fields: JSONObject = ["limit": 1000]
            fields["before"] = before
            let reply = try program.call("dose.history", .object(fields))
            all += reply["doses"]?.array?.compactMap { $0["dose"]?.string } ?? []
            guard let next = reply["next"], next != .null else { return all }
            before = next
        }
    }

    @Test func both_come_up_from_their_files_as_they_were() throws {
        var pair = try pair()
        #expect(pair.watch.ready["durable"] == true)
        #expect(pair.watch.ready["journal"]?["path"]?.string == bench.path("w"))
        #expect(pair.watch.ready["journal"]?["sealed"] == false)
        try pair.synchronize(bench.list())
        try pair.phone.call("complication.update", ["text": "before"])
        try pair.watch.poll("face") { $0["complication"]?["text"] == "before" }
        try pair.watch.call("dose.record", ["index": 0, "count": 12])
        try pair.phone.poll("list") { $0["doses"] == 12 }
        let removed = try pair.phone.call("medication.remove", ["index": 3])
        try pair.watch.poll("store") { $0["count"] == 19 }
        try pair.phone.call("link.close", ["abrupt": true])
        try pair.phone.call("medication.change", ["index": 0, "count": 7])
        let (list, face) = (try pair.phone.call("list"), try pair.watch.call("face"))
        let store = try pair.watch.call("store")
        let history = try doses(pair.phone)
        try kill(pair.phone)
        try kill(pair.watch)

        pair.phone = try phone()
        for member in ["count", "digest", "doses", "medications"] {
            #expect(try pair.phone.call("list")[member] == list[member], "\(member)")
        }
        #expect(try pair.phone.call("status")["outstanding"]?.integer ?? 0 >= 7)
        #expect(try doses(pair.phone) == history)
        pair.watch = try watch()
        for member in ["complication", "revision", "next_dose"] {
            #expect(try pair.watch.call("face")[member] == face[member], "\(member)")
        }
        #expect(try pair.watch.call("store")["count"] == store["count"])
        #expect(try pair.watch.call("store")["doses"] == 12)
        // The waiting records go on by themselves; the list is the phone's word as before.
        try pair.watch.poll("store") { $0["digest"] == list["digest"] }
        try drain(pair)
        #expect(try pair.phone.call("sync")["result"] == "not_modified")
        let key = removed["key"] ?? .null
        #expect(
            try pair.phone.request("medication.fetch", ["key": key])["error"]?["code"]
                == "no_such_medication")
    }

    /// Both sides send as fast as a wearer never would; one after the other is killed meanwhile.
    @Test func killed_under_load_nothing_is_lost_and_nothing_comes_twice() throws {
        var pair = try pair()
        try pair.synchronize(bench.list())
        var promised: [String] = []
        for round in 0..<6 {
            for (program, kind) in [(pair.phone, "medication"), (pair.watch, "dose")] {
                try program.call(
                    "load.start",
                    ["mix": [["kind": .string(kind), "rate_per_s": 400]], "duration_ms": 60_000])
            }
            // Under way on both sides, the receivers' stores included.
            let before = try pair.phone.call("list")["doses"]?.integer ?? 0
            try pair.phone.poll("list") { ($0["doses"]?.integer ?? 0) > before + 60 }
            // Doses that a reply acknowledged are kept, whatever happens next.
            try pair.watch.call("dose.record", ["index": 0, "count": 2])
            promised += try doses(pair.watch)
            if round % 2 == 0 {
                try kill(pair.phone)
                try pair.watch.call("load.stop")
                pair.phone = try phone()
            } else {
                try kill(pair.watch)
                try pair.phone.call("load.stop")
                pair.watch = try watch()
            }
            try pair.awaitReachability()
            try drain(pair)
        }
        let (there, here) = (try doses(pair.phone), try doses(pair.watch))
        #expect(there.count > 360)
        #expect(Set(there).count == there.count, "none twice on the phone")
        #expect(Set(here).count == here.count, "none twice on the watch")
        #expect(Set(here).isSubset(of: there), "none lost on its way")
        #expect(Set(promised).isSubset(of: here), "what a reply promised is there")
        // A dose leaves only when the watch's own file holds it.
        #expect(Set(there).isSubset(of: here), "none known to the phone alone")
        try pair.watch.poll("store") { reply in
            (try? pair.phone.call("list")["digest"]) == reply["digest"]
        }
        #expect(try pair.phone.call("sync")["result"] == "not_modified")
        #expect(try pair.phone.call("list")["doses"] == .whole(there.count))
        #expect(try pair.watch.call("store")["doses"] == .whole(here.count))
    }

    /// Only the receiver is killed: every dose must be on both sides, once.
    @Test func a_receiver_killed_again_and_again_holds_what_its_sender_holds() throws {
        var pair = try pair()
        try pair.synchronize(bench.list())
        for _ in 0..<4 {
            try pair.watch.call(
                "load.start",
                ["mix": [["kind": "dose", "rate_per_s": 500]], "duration_ms": 60_000])
            let before = try pair.phone.call("list")["doses"]?.integer ?? 0
            try pair.phone.poll("list") { ($0["doses"]?.integer ?? 0) > before + 50 }
            try kill(pair.phone)
            try pair.watch.call("load.stop")
            pair.phone = try phone()
            try pair.awaitReachability()
            try drain(pair)
        }
        let (there, here) = (try doses(pair.phone), try doses(pair.watch))
        #expect(here.count > 200)
        #expect(there == here)
    }

    /// A disk that takes no more: said once, nothing more is taken, and what was promised is there.
    @Test func a_full_disk_is_told_and_loses_nothing_that_was_promised() throws {
        var watch = try Program(
            "/bin/sh",
            [
                "-c", "ulimit -f 2000; exec \"$0\" \"$@\"", Program.path("WatchSim"), "--link",
                bench.link(), "--journal", bench.path("w"),
            ])
        let phone = try phone()
        try Pair.pair(shows: watch, enters: phone)
        try phone.wait("reachability", ["reachable": true])
        try phone.call("import", ["path": .string(bench.list())])
        try phone.call("sync")
        try watch.poll("store") { $0["count"] == 20 }
        try phone.call("link.close")
        var promised = 0
        while promised < 5000 {
            let reply = try watch.request("dose.record", ["index": 0, "count": 10])
            guard reply["ok"] == true else {
                #expect(reply["error"]?["code"] == "journal_failed", "\(reply)")
                let advice = "Free some space, then open the journal again."
                #expect(
                    reply["error"]?["detail"]?.string?.hasSuffix(advice) == true, "\(reply)")
                break
            }
            promised += 10
        }
        #expect(promised > 0 && promised < 5000)
        try kill(watch)
        watch = try self.watch()
        let held = try watch.call("store")["doses"]?.integer ?? 0
        #expect(held >= Int64(promised))
        try phone.call("link.open")
        try phone.poll("list") { $0["doses"] == .integer(held) }
    }

    // MARK: Sealing

    @Test func a_sealed_file_names_nothing_and_opens_with_its_passphrase_only() throws {
        func secret(_ name: String, _ text: String) throws -> String {
            try Files.write(Array(text.utf8), to: bench.path(name))
            chmod(bench.path(name))
            return bench.path(name)
        }
        let right = ["--journal-passphrase-file", try secret("a", "correct horse\nmore")]
        let wrong = ["--journal-passphrase-file", try secret("b", "correct house")]
        let key = ["--journal-key", try secret("k", String(repeating: "5a", count: 32))]
        var pair = try Pair(bench, phone: phone(right), watch: watch(key))
        #expect(pair.phone.ready["journal"]?["sealed"] == true)
        try pair.synchronize(bench.list())
        try pair.watch.call("dose.record", ["index": 0, "count": 3])
        try pair.phone.poll("list") { $0["doses"] == 3 }
        let digest = try pair.phone.call("list")["digest"]
        try kill(pair.phone)
        try kill(pair.watch)
        for name in bench.files where ["p", "w"].contains(name.first.map(String.init)) {
            let bytes = try Files.read(bench.path(name))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("Medicine") && !text.contains("glass of water"), "\(name)")
        }
        try refused("PhoneSim", ["--journal", bench.path("p")] + wrong, code: 77, "passphrase")
        try refused("PhoneSim", ["--journal", bench.path("p")], code: 77, "no key was given")
        try refused("PhoneSim", ["--journal", bench.path("p")] + key, code: 77, "not with a key")
        pair.phone = try phone(right)
        #expect(try pair.phone.call("list")["digest"] == digest)
    }

    private func chmod(_ path: String) { _ = unsafe Glibc.chmod(path, 0o600) }

    // MARK: Refusals

    /// A start that must fail: one line on stderr, this exit code, and every file as it was.
    private func refused(
        _ name: String, _ arguments: [String], code: Int32, _ words: String, atRest: Bool = true,
        location: SourceLocation = #_sourceLocation
    ) throws {
        func contents() throws -> [String: [UInt8]] {
            var all: [String: [UInt8]] = [:]
            for file in bench.files where !file.hasSuffix("-lock") && file != "link.sock" {
                all[file] = try Files.read(bench.path(file))
            }
            return all
        }
        let before = try contents()
        let program = try Program(
            name, ["--link", bench.link()] + arguments, awaitsReady: false)
        #expect(try program.awaitEnd() == .exited(code), sourceLocation: location)
        let text = program.errorText()
        #expect(
            text.hasPrefix("Error: ") && text.contains(words), "\(text)", sourceLocation: location)
        #expect(text.filter { $0 == "\n" }.count == 1, "\(text)", sourceLocation: location)
        // Its holder goes on writing to a file that is in use.
        if atRest { #expect(try contents() == before, sourceLocation: location) }
    }

    @Test func what_is_no_journal_of_this_device_is_refused_and_left_alone() throws {
        let pair = try pair()
        try pair.synchronize(bench.list())
        try refused(
            "WatchSim", ["--journal", bench.path("w")], code: 69, "it is open in process",
            atRest: false)
        try pair.watch.call("quit")
        _ = try pair.watch.awaitEnd()
        try kill(pair.phone)
        try refused("WatchSim", ["--journal", bench.path("p")], code: 65, "belongs to a phone")
        try refused("PhoneSim", ["--journal", bench.path("w")], code: 65, "belongs to a watch")
        let whole = try Files.read(bench.path("w"))
        try Files.write(Array(whole.dropLast(whole.count / 3)), to: bench.path("w"))
        try refused("WatchSim", ["--journal", bench.path("w")], code: 65, "cut short")
        var scribbled = whole
        for place in stride(from: 8_000, to: scribbled.count, by: 500) { scribbled[place] ^= 0x55 }
        try Files.write(scribbled, to: bench.path("w"))
        try refused("WatchSim", ["--journal", bench.path("w")], code: 65, "")
        // Every page is whole, and a word of a record is another one.
        var misread = whole
        let name = Array("Medicine 7".utf8)
        for place in misread.indices where misread[place...].starts(with: name) {
            misread[place + 9] = UInt8(ascii: "8")
        }
        #expect(misread != whole)
        try Files.write(misread, to: bench.path("w"))
        try refused("WatchSim", ["--journal", bench.path("w")], code: 65, "")
        try Files.write(Array("a shopping list".utf8), to: bench.path("w"))
        try refused("WatchSim", ["--journal", bench.path("w")], code: 65, "not an SQLite file")
        try refused("WatchSim", ["--journal", bench.directory], code: 65, "it is a directory")
        try refused(
            "WatchSim", ["--journal", bench.path("none/w")], code: 66, "directory does not exist")
        try refused(
            "WatchSim", ["--journal", bench.path("n"), "--journal-key", bench.path("nokey")],
            code: 66, "nothing there")
        try Files.write(Array(repeating: 7, count: 32), to: bench.path("open"))
        _ = unsafe Glibc.chmod(bench.path("open"), 0o644)
        try refused(
            "WatchSim", ["--journal", bench.path("n"), "--journal-key", bench.path("open")],
            code: 77, "open to group or others")
    }

    /// A fault that is planted changes nothing else: the disk that fails is under the journal as it
    /// is shipped, unless its calls are to be counted.
    @Test(arguments: [([], true), (["--log-pages-ahead", "0"], false)])
    func a_journal_whose_disk_is_to_fail_writes_ahead_as_ever(
        further: [String], writesAhead: Bool
    ) throws {
        let fault = ["--disk-fault", "io:any:1000000"]
        let watch = try watch(fault + further + ["--unsealed"])
        // The room is made behind what was written first.
        try watch.call("send", ["kind": "user_info", "payload_b64": "AAAA"])
        var length = 0
        for _ in 0..<200 where length < 256 * 4096 {
            try watch.call("store")
            length = try Files.read(bench.path("w") + "-wal").count
            usleep(2000)
        }
        #expect((length >= 256 * 4096) == writesAhead, "\(length) bytes")
    }

    @Test func options_of_a_journal_that_mean_nothing_are_bad_usage() throws {
        for arguments in [
            ["--journal-key", "k"], ["--journal-passphrase-file", "k"],
            ["--journal", "j", "--journal-key", "k", "--journal-passphrase-file", "k"],
            ["--journal", ""], ["--disk-fault", "io:any:1"], ["--log-pages-ahead", "0"],
            ["--journal", "j", "--log-pages-ahead", "65537"],
            ["--journal", "j", "--disk-fault", "io:any:0"],
            ["--journal", "j", "--disk-fault", "io:flush:1"],
            ["--journal", "j", "--disk-fault", "full:any:1:always"],
        ] {
            let program = try Program(
                "WatchSim", ["--link", bench.link()] + arguments, awaitsReady: false)
            #expect(try program.awaitEnd() == .exited(64))
            #expect(program.errorText().hasPrefix("Error: "))
        }
        #expect(bench.files == [])
    }
}
