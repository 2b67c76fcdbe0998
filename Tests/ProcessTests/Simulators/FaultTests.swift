import CPosix
import ControlProtocol
import Glibc
import Testing

/// Bad command lines, bad files and bad company.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorFaultTests {
    private let bench = Bench()

    private func failure(
        _ name: String, _ arguments: [String]
    ) throws -> (code: Program.End, text: String) {
        let program = try Program(name, arguments, awaitsReady: false)
        program.closeInput()
        let text = program.errorText()
        let said = try program.rest()
        #expect(said.isEmpty, "nothing but the protocol goes to standard output: \(said)")
        return (try program.awaitEnd(), text)
    }

    @Test func bad_command_lines_are_explained_with_exit_code_64() throws {
        let unknown = try failure("WatchSim", ["--lnk", "unix:w.sock", "--seed", "x"])
        #expect(unknown.code == .exited(64))
        #expect(unknown.text.contains("Error: Unknown option '--lnk'. Did you mean '--link'?"))
        #expect(unknown.text.contains("Error: The value 'x' is invalid for '--seed'"))
        #expect(!unknown.text.contains("Missing option"))
        #expect(unknown.text.contains("Usage: WatchSim --link <address> [--control <channel>]"))
        let missing = try failure("PhoneSim", [])
        #expect(missing.code == .exited(64))
        #expect(missing.text.contains("Error: Missing option '--link <address>'."))
        let scheme = try failure("PhoneSim", ["--link", "unx:w.sock"])
        #expect(scheme.text.contains("did you mean 'unix'?"))
        for link in ["stdio", "fd:0,5"] {
            let both = try failure("WatchSim", ["--link", link])
            #expect(both.code == .exited(64))
            #expect(both.text.contains("both claim standard input and output"))
        }
        let control = try failure("WatchSim", ["--link", "unix:w", "--control", "stdoi"])
        #expect(control.text.contains("did you mean 'stdio'?"))
    }

    @Test func a_link_that_cannot_be_had_is_explained() throws {
        let nowhere = try failure("WatchSim", ["--link", "unix:\(bench.path("no/such/w.sock"))"])
        #expect(nowhere.code == .exited(66))
        #expect(nowhere.text.contains("Error: cannot open the link"))
        // Nobody can ever listen in a directory that is not there: coming is as hopeless.
        for kind in ["unix", "unix-seqpacket", "unix-datagram"] {
            let lost = try failure("PhoneSim", ["--link", "\(kind):\(bench.path("no/w.sock"))"])
            #expect(lost.code == .exited(66))
            #expect(lost.text.contains("Error: cannot open the link"), "\(lost.text)")
        }
        let first = try Program("WatchSim", ["--link", bench.link(), "--unsealed"])
        let second = try failure("WatchSim", ["--link", bench.link(), "--unsealed"])
        #expect(second.code == .exited(69))
        #expect(second.text.contains("held by another process"))
        #expect(try first.call("status")["activation"] == "inactive")
        let control = try failure(
            "PhoneSim", ["--link", bench.link(), "--control", "unix:\(bench.path("no/c.sock"))"])
        #expect(control.code == .exited(66))
    }

    @Test func a_file_that_is_no_list_is_refused_with_all_its_faults() throws {
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        #expect(
            try phone.request("import", ["path": "/no/such/file"])["error"]?["code"]
                == "file_missing")
        #expect(try phone.request("import")["error"]?["field"] == "path")
        #expect(try phone.request("import", ["path": "/"])["error"]?["code"] == "not_a_file")
        let path = bench.path("bad.json")
        let file = unsafe fopen(path, "w")
        _ = unsafe fputs(
            "{\"format\":\"watchproto.medications/1\",\n\"medications\":[{},{}]}", file)
        _ = unsafe fclose(file)
        let refused = try phone.request("import", ["path": .string(path)])["error"]
        #expect(refused?["code"] == "bad_input")
        #expect(refused?["errors"]?.array?.count ?? 0 >= 2)
        #expect(try phone.call("list")["count"] == 0)
        #expect(try phone.request("sync")["error"]?["code"] == "no_medication")
    }

    @Test("A list is taken whole, and with 'partial' without what does not fit a watch")
    func a_list_is_taken_whole() throws {
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        let path = bench.path("odd.json")
        let dose = String(repeating: "as much as a hazelnut, ", count: 40)
        bench.write(
            #"{"format":"watchproto.medications/1","medications":["#
                + #"{"name":"Aspirin","strength":"100 mg"},"#
                + #"{"name":"Balm","dose":{"text":"\#(dose)"}}]}"#, to: path)
        let refused = try phone.request("import", ["path": .string(path)])["error"]
        #expect(refused?["code"] == "bad_input")
        let errors = refused?["errors"]?.array?.compactMap(\.string) ?? []
        try #require(errors.count == 2)
        #expect(errors[0].contains("'Balm': does not fit a watch"))
        #expect(errors.last?.hasPrefix("1 of 2 medications cannot be taken;") == true)
        #expect(try phone.call("list")["count"] == 0)
        let part = try phone.call("import", ["path": .string(path), "partial": true])
        #expect(part["imported"] == 1 && part["skipped"] == 1 && part["refused"] == 1)
        #expect(part["errors"]?.array?.compactMap(\.string) == [errors[0]])
        #expect(part["notes"] == part["errors"])
        #expect(try phone.call("list")["count"] == 1)
    }

    @Test func the_list_is_told_on_one_line_however_long_its_names_are() throws {
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        let path = bench.path("long.json")
        let long = String(repeating: "with a long name ", count: 6000)
        let entries = (0..<12).map { #"{"name": "Medicine \#($0) \#(long)", "strength": "5 mg"}"# }
        let file = unsafe fopen(path, "w")
        _ = unsafe fputs(
            #"{"format": "watchproto.medications/1", "medications": ["#
                + entries.joined(separator: ",") + "]}", file)
        _ = unsafe fclose(file)
        #expect(try phone.call("import", ["path": .string(path)])["imported"] == 12)
        let list = try phone.call("list")
        #expect(list["count"] == 12)
        #expect(JSONWriter.text(list).utf8.count < 6000)
        #expect(list["medications"]?.array?.last?["name"]?.string?.hasSuffix("…") == true)
    }

    /// A pipe that nobody writes to would be waited for, and nothing else be heard meanwhile.
    @Test func what_is_no_file_is_refused_at_once() throws {
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        let pipe = bench.path("pipe")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        for (path, kind) in [(pipe, "a pipe"), ("/dev/zero", "a device")] {
            #expect(
                try phone.request("import", ["path": .string(path)])["error"] == [
                    "code": "not_a_file", "path": .string(path), "expected": "a regular file",
                    "found": .string(kind),
                ])
        }
        #expect(try phone.call("list")["count"] == 0)
        phone.closeInput()
        #expect(try phone.rest().last?["reason"] == "stdin_closed")
        #expect(try phone.awaitEnd() == .exited(0))
    }

    @Test func garbage_on_the_link_ends_that_link_and_nothing_else() throws {
        let watch = try Program("WatchSim", ["--link", bench.link(), "--unsealed"])
        var refused: Int64 = 0
        for garbage in [
            [UInt8](repeating: 0xFF, count: 4096), [0, 0, 0, 0],
            Array("GET / HTTP/1.1\r\n\r\n".utf8),
        ] {
            let attacker = Bench.connect(bench.path("link.sock"))
            try #require(attacker >= 0)
            _ = unsafe garbage.withUnsafeBytes { unsafe write(attacker, $0.baseAddress, $0.count) }
            shutdown(attacker, Int32(SHUT_WR))
            // The watch closes, whatever it answers.
            let deadline = watchproto_monotonic_nanoseconds() + 15_000_000_000
            while let bytes = Program.read(attacker, until: deadline), !bytes.isEmpty {}
            close(attacker)
            try watch.poll("status") { status in
                status["counters"]?["refused_connections"]?.integer ?? 0 > refused
            }
            refused += 1
        }
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        try phone.wait("reachability", ["reachable": true])
        try phone.call("import", ["path": .string(bench.list())])
        try phone.call("sync")
        try watch.poll("store") { $0["count"] == 20 }
    }

    @Test func a_second_peer_is_turned_away_and_the_first_goes_on() throws {
        let pair = try Pair(bench)
        try pair.synchronize(bench.list())
        let second = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        try pair.watch.wait("link.refused")
        #expect(try second.call("status")["reachable"] == false)
        try pair.phone.call("medication.change", ["index": 0])
        try pair.watch.wait("medication.visible", ["revision": 2])
        #expect(try pair.watch.call("status")["reachable"] == true)
    }

    @Test func a_record_that_cannot_be_read_is_told_on_both_sides() throws {
        let pair = try Pair(bench)
        let sent = try pair.phone.call("send", ["kind": "complication", "payload_b64": "//79"])
        try pair.watch.wait("record.unreadable", ["kind": "complication", "bytes": 3])
        try pair.phone.wait("record.settled", ["msg": sent["msg"] ?? .null, "outcome": "rejected"])
        #expect(try pair.watch.call("status")["reachable"] == true, "the link lives")
        try pair.phone.call("quit")
        #expect(pair.phone.errorText().contains("refused by the counterpart"))
        try pair.watch.call("quit")
        #expect(pair.watch.errorText().contains("could not be read"))
    }

    @Test func a_processor_that_is_not_there_is_refused() throws {
        let far = try failure("WatchSim", ["--link", bench.link(), "--cpu", "100000"])
        #expect(far.code == .exited(64))
        #expect(far.text.contains("The value '100000' is invalid for '--cpu': it must be 0 to"))
    }

    @Test func a_link_without_a_future_ends_an_uncontrolled_process() throws {
        let (down, up) = (Program.Pipe(), Program.Pipe())
        let watch = try Program(
            "WatchSim", ["--link", "fd:3,4", "--control", "none", "--unsealed"],
            further: [3: down.reading, 4: up.writing], awaitsReady: false)
        for number in [down.reading, up.writing, up.reading, down.writing] { close(number) }
        #expect(try watch.awaitEnd() == .exited(0))
    }

    @Test(arguments: [["--link", "unix:w", "--control", "none"], ["--link", "fd:8,9"]])
    func a_simulator_that_can_never_be_paired_does_not_start(_ arguments: [String]) throws {
        let (code, text) = try failure("WatchSim", arguments)
        #expect(code == .exited(69))
        #expect(text.contains("it is not paired, and cannot be"), "\(text)")
        #expect(text.contains("--unsealed"))
    }
}
