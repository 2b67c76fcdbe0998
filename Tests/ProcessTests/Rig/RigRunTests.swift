import ControlProtocol
import Foundation
import Glibc
import Testing

@testable import CommandLine
@testable import Rig

/// `rig run`: the bundled scenarios and its files, and some of it in real time.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RigRunTests {
    let rig: RigProgram
    private static let results = JSONSchema(published: "rig.results-1")
    private static let scenarios = JSONSchema(published: "scenario-1")
    private static let bundled = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "share/scenarios").path()
    private static let names = Files.names(in: bundled).map { String($0.dropLast(5)) }

    init() throws { rig = try RigProgram(isScripted: false) }

    /// The rows that fail, but for those that a busy machine makes late.
    private static func failed(_ run: RigProgram.Outcome) -> [Substring] {
        let exact = [
            "taps counted once", "lists equal", "under way", "errors told", " tells ", "face '",
        ]
        return run.stdout.split(separator: "\n").filter { line in
            line.contains("  FAIL") && exact.contains { line.contains($0) }
        }
    }

    @Test func bundled_scenarios_are_listed() throws {
        let run = try rig.run(["run"])
        #expect(run.exitCode == 0 && run.stderr == "")
        let lines = run.stdout.split(separator: "\n")
        #expect(lines.map { String($0.prefix { $0 != " " }) } == Self.names)
        let json = try JSONParser.parse(try rig.run(["run", "--json"]).stdout).value
        #expect(json.array?.compactMap { $0["name"]?.string } == Self.names)
        #expect(json.array?.allSatisfy { $0["why"]?.string?.isEmpty == false } == true)
    }

    @Test func all_bundled_scenarios_hold_in_virtual_time() throws {
        let run = try rig.run([
            "run", "--all", "--clock", "virtual", "--out", "\(rig.directory)/out",
        ])
        #expect(run.exitCode == 0, "\(run.stderr)\(run.stdout)")
        let bytes = try Files.read("\(rig.directory)/out/results.json")
        let json = try JSONParser.parse(bytes).value
        #expect(Self.results.complaints(about: json) == [])
        #expect(json["metrics"]?.array?.count == Self.names.count)
        #expect(json["exit"] == 0 && json["passed"] == true)
        // The two clocks are told apart: fifteen situations of seconds each are over sooner.
        let simulated = json["virtual_duration_ns"]?.integer ?? 0
        #expect(simulated > 100_000_000_000)
        #expect((json["duration_ns"]?.integer ?? 0) < simulated)
        let seconds = Decimals.fixed(Double(simulated) / 1e9, decimals: 1)
        #expect(run.stdout.contains("  15 scenarios  \(seconds) s of virtual time  "))
    }

    @Test(arguments: [
        "morning-rush", "dead-battery", "elevator", "phone-restored", "edge-commute", "gym",
        "airplane-mode", "doctor-visit",
    ])
    func it_holds_in_both_kinds_of_time(name: String) throws {
        let run = try rig.run(
            ["run", name, "--clock", "both", "--simulators", rig.directory])
        #expect([0, 1].contains(run.exitCode), "\(run.stderr)")
        #expect(Self.failed(run) == [], "\(run.stderr)")
        for time in ["virtual", "real"] {
            #expect(run.stdout.contains("\ntaps counted once, \(time)  "), "\(run.stdout)")
        }
        #expect(run.leftovers == [])
    }

    /// The phone offers a face of its own after an edit. The text of the step stays all the same.
    @Test func a_text_stays_on_the_face_over_an_edit() throws {
        let path = "\(rig.directory)/edited.json"
        let text = """
            {
              "format": "watchproto.scenario/1", "name": "edited", "title": "Edited after a face",
              "why": "An edit of the list is no text.", "records": {"medications": 3},
              "steps": [{"at": "200ms", "face": "home"}, {"at": "700ms", "change": 2},
                        {"at": "1800ms", "take": 1}],
              "expect": [{"face": "home", "at": "1700ms"}, {"face": "home"}]
            }
            """
        try Files.write(Array(text.utf8), to: path)
        let run = try rig.run(["run", path, "--clock", "both", "--simulators", rig.directory])
        #expect(run.exitCode == 0, "\(run.stderr)\(run.stdout)")
    }

    @Test(arguments: ["virtual", "real"]) func what_cannot_be_fails(time: String) throws {
        let path = "\(rig.directory)/impossible.json"
        let text = """
            {
              "format": "watchproto.scenario/1", "name": "impossible", "title": "Faster than light",
              "why": "On EDGE nothing arrives within 100 ms.", "link": "edge",
              "steps": [{"at": "0s", "take": 1}],
              "expect": [{"taps": "once"}, {"taps_within": "100ms"}]
            }
            """
        try Files.write(Array(text.utf8), to: path)
        let run = try rig.run(
            ["run", path, "--clock", time, "--simulators", rig.directory, "--json"])
        #expect(run.exitCode == 1, "\(run.stderr)")
        #expect(Self.failed(run) == [])
        let complaint =
            "Error: 'impossible' does not hold in \(time) time: 1 of 2 expectations failed.\n"
            + "  tap on the phone, longest: expected each of 1 within 100 ms from the act; seen "
        #expect(run.stderr.contains(complaint), "\(run.stderr)")
        #expect(
            run.stderr.hasSuffix(
                "  Repeat: rig run \(path) --clock \(time) --simulators \(rig.directory) --seed "
                    + "42\n"
            ), "\(run.stderr)")
        let json = try JSONParser.parse(run.stdout).value
        #expect(Self.results.complaints(about: json) == [])
        #expect(json["exit"] == 1 && json["passed"] == false && json["complete"] == true)
        #expect(json["metrics"]?.array?.map { $0["status"]?.string } == ["PASS", "FAIL"])
        #expect(run.leftovers == [])
    }

    /// A shell reads the command back as it was given, whatever the name of the file.
    @Test func the_command_that_repeats_a_run_is_the_command() throws {
        let name = "\(rig.directory)/my 'odd' $(touch executed).json"
        let gym = try Files.read("\(Self.bundled)/gym.json")
        try Files.write(gym, to: name)
        let run = try rig.run([
            "run", name, "--simulators", "a b", "--few-fails", "--json", "--quiet", "--out",
            "\(rig.directory)/out",
        ])
        #expect(run.exitCode == 0, "\(run.stderr)")
        let command = try #require(try JSONParser.parse(run.stdout).value["repeat"]?.string)
        let words = try Self.words(of: command)
        #expect(
            words == [
                "rig", "run", name, "--simulators", "a b", "--clock", "virtual", "--seed", "42",
                "--few-fails",
            ])
        let again = try rig.run(words.dropFirst() + ["--json", "--quiet"])
        #expect(again.exitCode == 0, "\(again.stderr)")
        #expect(try JSONParser.parse(again.stdout).value["repeat"]?.string == command)
    }

    /// A demo is repeated with all that it was given, but for where its files go.
    @Test func the_command_that_repeats_a_demo_is_the_command() throws {
        let words = [
            "demo", "--import", "my list.json", "--simulators", "a $b", "--timeout", "3s",
            "--warn-fails",
        ]
        let written = ["--out", "out", "--format", "json", "--quiet", "--color", "never"]
        guard case .run(let given) = try Rig.Program().root.parse(words + written) else {
            Issue.record("it does not run")
            return
        }
        let command = DemoCommand().repeatCommand(given)
        let read = try Self.words(of: command)
        #expect(read == ["rig"] + words.dropLast() + ["--seed", "42", "--warn-fails"])
    }

    /// The words of a command as a shell reads them; nothing of it is executed.
    private static func words(of command: String) throws -> [String] {
        let shell = try ChildProcess(
            name: "bash", executable: "/usr/bin/env",
            arguments: ["bash", "-c", "printf '%s\\n' \(command)"])
        defer { shell.stop(within: .seconds(5)) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(shell.output, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Every kind of expectation, in a course in which it cannot hold: neither stage may say that
    /// it does.
    static let hopeless: [(name: String, members: String)] = [
        (
            "cut",
            """
            "settle": "1s", "steps": [
              {"at": "0s", "link": "down"}, {"at": "500ms", "take": 1},
              {"at": "600ms", "change": 1}, {"at": "700ms", "face": "a"}
            ], "expect": [
              {"taps": "once"}, {"lists": "equal"}, {"under_way": "nothing"},
              {"changes_within": "1s"}, {"taps_within": "1s"}, {"faces_within": "1s"},
              {"taps_within": "1s", "counted_from": "clear"}, {"face_age": "1s", "at": "6s"},
              {"face": "a"}, {"reachable": true, "on": "watch", "at": "6s"},
              {"told": "restarted", "on": "phone"}
            ]
            """
        ),
        (
            "a watch without its list",
            """
            "settle": "1s", "records": {"medications": 5, "on_watch": false}, "steps": [
              {"at": "0s", "link": "down"}, {"at": "0s", "sync": true}, {"at": "500ms", "take": 1}
            ], "expect": [
              {"errors": "none"}, {"taps": "once"}, {"taps_within": "1s"}, {"lists": "equal"}
            ]
            """
        ),
        (
            "a list that nobody sends",
            """
            "settle": "1s", "records": {"medications": 5, "on_watch": false},
            "steps": [{"at": "500ms", "face": "a"}], "expect": [
              {"lists": "equal"}, {"reachable": false, "on": "phone", "at": "1s"}
            ]
            """
        ),
        (
            "a wait before the hindrance",
            """
            "steps": [
              {"at": "500ms", "link": {"loss": "100%"}}, {"at": "1s", "take": 1},
              {"at": "4s", "link": "down"}, {"at": "5s", "link": "loopback"},
              {"at": "5s", "link": "up"}
            ], "expect": [{"taps_within": "2500ms", "counted_from": "clear"}]
            """
        ),
    ]

    @Test(arguments: hopeless) func both_stages_evaluate_alike(name: String, members: String) throws
    {
        let path = "\(rig.directory)/hopeless.json"
        let text = """
            {"format": "watchproto.scenario/1", "name": "hopeless", "title": "\(name)",
            "why": "These expectations cannot hold.", \(members)}
            """
        try Files.write(Array(text.utf8), to: path)
        let run = try rig.run(
            ["run", path, "--clock", "both", "--simulators", rig.directory, "--json"])
        #expect(run.exitCode == 1, "\(run.stderr)")
        let rows = try JSONParser.parse(run.stdout).value["metrics"]?.array ?? []
        let expected = try JSONParser.parse(text).value["expect"]?.array?.count ?? 0
        #expect(rows.count == 2 * expected)
        for row in rows {
            let id = row["id"]?.string ?? ""
            #expect(row["status"] == "FAIL", "\(id): \(row["remark"]?.string ?? "")")
        }
        #expect(run.leftovers == [])
    }

    /// Of processes it counts how they were built, and not how rig was.
    @Test func the_build_of_the_processes_is_told() throws {
        let run = try rig.run(
            ["run", "gym", "--clock", "real", "--simulators", rig.directory, "--json"])
        let host = try JSONParser.parse(run.stdout).value["host"]
        #expect(host?["build"] == "debug" && host?["rig_build"] == "debug", "\(run.stderr)")
        #expect(run.leftovers == [])
    }

    @Test func an_interrupted_run_leaves_nothing() throws {
        let run = try rig.run(
            ["run", "gym", "--clock", "real", "--simulators", rig.directory],
            whileRunning: { pid, line in
                if line == "run: gym, real time" { kill(pid, SIGINT) }
            })
        #expect(run.exitCode == 130)
        #expect(run.leftovers == [])
    }

    @Test(arguments: names) func the_schema_knows_bundled_scenarios(name: String) throws {
        let json = try JSONParser.parse(try Files.read("\(Self.bundled)/\(name).json")).value
        #expect(json["name"]?.string == name)
        #expect(Self.scenarios.complaints(about: json) == [])
    }

    /// The schema accepts every value that the rig accepts.
    @Test(arguments: [
        #""link": {"rtt": "1.5 s", "jitter": "40ms", "jitter-reorders": true, "burst": 4}"#,
        #""link": {"loss": "100%", "burst": "4", "jitter-shape": "heavy-tailed"}"#,
        #""link": {"rate": "unlimited", "queue-packets": 1000000, "queue-bytes": "64KiB"}"#,
        #""link": {"rate": "0.7 Mbit/s", "blackout": "2s every 7s after 1s"}"#,
        #""link": {"up": {"delay": "20µs", "loss": "0.5 %"}, "down": {"blackout": "none"}}"#,
        #""seed": 18446744073709551615"#,
    ])
    func the_schema_takes_what_the_rig_takes(member: String) throws {
        let own = try Self.write("{\(member)}", to: "\(rig.directory)/right.json")
        #expect(Self.scenarios.complaints(about: own) == [])
        let run = try rig.run(["run", "\(rig.directory)/right.json"])
        #expect([0, 1].contains(run.exitCode), "\(run.stderr)")
    }

    /// Writes the gym with the member of `text` in place of its own, and gives what it wrote.
    private static func write(_ text: String, to path: String) throws -> JSONValue {
        let gym = try Files.read("\(bundled)/gym.json")
        var members = try JSONParser.parse(gym).value.object ?? JSONObject()
        let own = try JSONParser.parse(text).value.object?.members.first
        members[own?.name ?? ""] = own?.value
        try Files.write(JSONWriter.bytes(.object(members)), to: path)
        return .object(members)
    }

    @Test(arguments: [
        #""steps": [{"at": "2", "take": 1}]"#, #""steps": [{"take": 1}]"#, #""steps": []"#,
        #""steps": [{"at": "2s", "tap": 1}]"#, #""link": {"los": "2%"}"#, #""link": "edgy""#,
        #""steps": [{"at": "2s", "kill": "watch"}]"#, #""expect": [{"taps": "twice"}]"#,
        #""expect": [{"told": "rolled_back", "on": "watch"}]"#, #""titel": "t""#,
        #""link": {"rtt": 60}"#, #""link": {"rtt": true}"#, #""link": {"rtt": "60"}"#,
        #""link": {"loss": 0.02}"#, #""link": {"loss": "101%"}"#, #""link": {"rate": "700"}"#,
        #""link": {"queue-bytes": 65536}"#, #""link": {"burst": 2.5}"#,
        #""link": {"burst": "4x"}"#, #""link": {"jitter-reorders": 1}"#,
        #""link": {"jitter-shape": "round"}"#, #""link": {"blackout": "2s", "up": {"loss": 1}}"#,
        #""link": {"blackout": "sometimes"}"#, #""seed": 18446744073709551616"#,
    ])
    func the_schema_refuses_what_is_wrong(member: String) throws {
        let path = "\(rig.directory)/wrong.json"
        let own = try Self.write("{\(member)}", to: path)
        #expect(Self.scenarios.complaints(about: own) != [])
        // And so does the rig.
        #expect(try rig.run(["run", path]).exitCode == 65)
    }
}
