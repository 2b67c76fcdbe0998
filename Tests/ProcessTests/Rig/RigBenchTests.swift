import CommandLine
import ControlProtocol
import Glibc
import NetworkEmulation
import Reports
import Testing

/// `rig bench` and `rig compare`, as a user runs them. Builds here are for debugging, so that no
/// latency is evaluated, only what follows from the counts.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RigBenchTests {
    private static let schema = JSONSchema(published: "rig.results-1")

    private func bench(
        _ rig: RigProgram, _ arguments: [String], fault: String = ""
    ) throws -> RigProgram.Outcome {
        try rig.run(
            ["bench", "--simulators", rig.directory, "--cpu", "any"] + arguments, fault: fault)
    }

    private func results(_ rig: RigProgram) throws -> JSONValue {
        try JSONParser.parse(try Files.read("\(rig.directory)/out/results.json")).value
    }

    @Test func every_kind_of_load_arrives_once() throws {
        let rig = try RigProgram(isScripted: false)
        let run = try bench(
            rig,
            [
                "--duration", "600ms", "--warm-up", "200ms", "--rate", "50/s", "--mix",
                "sync,complication=20/s,message,dose,message-back", "--out",
                "\(rig.directory)/out",
            ])
        let json = try results(rig)
        #expect(json["complete"] == true, "\(run.stderr)")
        #expect(Self.schema.complaints(about: json) == [])
        #expect(json["host"]?["build"] == "debug" && json["host"]?["rig_build"] == "debug")
        #expect(json["metrics"]?.array?.first?["series"] == "sync")
        #expect(run.leftovers == [])
        func count(_ name: String) -> Int64? {
            json["latencies"]?.array?.first { $0["name"]?.string == name }?["n"]?.integer
        }
        // The first moment of a kind is drawn, so that one more or less falls into the warm-up.
        for name in ["sync", "message", "dose event", "message back", "message, service time"] {
            #expect((29...31).contains(count(name) ?? 0), "\(name)")
        }
        #expect((11...13).contains(count("complication") ?? 0))
        #expect((count("scheduling delay") ?? 0) > 100)
        for way in ["phone to watch", "watch to phone"] {
            let counts = json["counts"]?[way]
            #expect((counts?["records"]?.integer ?? 0) >= 80)
            #expect(
                counts?["lost"] == 0 && counts?["twice"] == 0 && counts?["unknown"] == 0,
                "\(json["notes"] ?? .null)")
        }
        #expect(
            json["repeat"]?.string?.hasPrefix("rig bench --simulators \(rig.directory) ") == true)
        #expect(json["repeat"]?.string?.contains("--out") == false)
        // A run beside itself has no difference, and one round tells none.
        let rounds = json["latencies"]?.array?.first?["rounds"]?.array
        #expect(rounds?.count == 1 && rounds?[0]["n"] == json["latencies"]?.array?[0]["n"])
        let twice = [String](repeating: "\(rig.directory)/out", count: 2)
        let same = try rig.run(["compare"] + twice)
        #expect(same.exitCode == 0)
        #expect(same.stdout.contains("\n0 slower, 0 faster, 0 within noise, "))
        #expect(
            same.stdout.contains("too few rounds to tell (1 and 1); rig bench --rounds 10\n"))
    }

    @Test func a_conditioned_link_is_measured_through_the_model() throws {
        let rig = try RigProgram(isScripted: false)
        let run = try bench(
            rig,
            [
                "--set", "rtt=40ms", "--duration", "500ms", "--warm-up", "0s", "--rate", "40/s",
                "--mix", "message", "--rounds", "2", "--out", "\(rig.directory)/out", "--quiet",
                "--warn-fails", "--few-fails",
            ])
        #expect(run.leftovers == [])
        let json = try results(rig)
        #expect(json["complete"] == true, "\(run.stderr)")
        #expect(json["link"] == "loopback with --set rtt=40ms, udp 1200 B")
        // The command repeats the options that decide the exit code, and leaves out the place of
        // the files.
        let command = json["repeat"]?.string ?? ""
        #expect(command.hasSuffix(" --mix message --rounds 2 --warn-fails --few-fails"))
        let message = json["latencies"]?.array?.first { $0["name"] == "message" }
        #expect(message?["n"] == 40)
        let rounds = message?["rounds"]?.array ?? []
        #expect(rounds.map { $0["n"] } == [20, 20])
        #expect(rounds.allSatisfy { ($0["p50_ns"]?.integer ?? 0) >= 20_000_000 })
        #expect(rounds.allSatisfy { $0["p99_ns"] == .null })
        #expect(Self.schema.complaints(about: json) == [])
        // The link delays every message, so none is faster than its delay.
        #expect((message?["min_ns"]?.integer ?? 0) >= 20_000_000)
        #expect(json["host"]?["conditions"]?["up"]?["delay_ns"] == 20_000_000)
    }

    @Test func two_builds_take_turns() throws {
        let rig = try RigProgram(isScripted: false)
        let run = try bench(
            rig,
            [
                "--against", rig.directory, "--rounds", "2", "--duration", "600ms", "--warm-up",
                "0s", "--rate", "50/s", "--mix", "message", "--out", "\(rig.directory)/out",
            ])
        #expect(run.leftovers == [])
        let json = try results(rig)
        let names = json["latencies"]?.array?.compactMap { $0["name"]?.string }
        #expect(
            names == ["message", "message, service time", "message, against", "scheduling delay"])
        let row = json["metrics"]?.array?.last
        #expect(row?["id"] == "against.message" && row?["status"] == "TOO FEW" && row?["n"] == 2)
        #expect(json["host"]?["against"]?["build"] == "debug")
        let ratios = json["counts"]?["against"]?["p50_ratios"]?["message"]
        #expect(ratios?["ratios"]?.array?.count == 2)
        #expect(ratios?["within_noise"] == true)
        #expect(run.stdout.contains("in 2 rounds): fewer than 6 rounds tell nothing"))
    }

    /// The lower bound and the product always take part; peers where they are installed. A missing
    /// peer is named with the package to install.
    @Test func peers_stand_beside_the_product_or_are_named() throws {
        let rig = try RigProgram()
        let run = try rig.run(
            ["lab", "brokers", "--rounds", "1", "--cpu", "any", "--out", "\(rig.directory)/out"])
        let json = try results(rig)
        #expect(json["complete"] == true, "\(run.stderr)")
        #expect(Self.schema.complaints(about: json) == [])
        #expect(run.leftovers == [])
        #expect(json["seed"] == .null && !run.stdout.contains("seed"))
        #expect(json["host"]?["peers"]?.object != nil)
        let names = json["latencies"]?.array?.compactMap { $0["name"]?.string } ?? []
        #expect(
            names.prefix(3) == [
                "WatchProto, sealed, unpinned", "WatchProto, sealed, no busy polling, unpinned",
                "raw Unix socket, unpinned",
            ])
        let durable = ["WatchProto, durable", "fdatasync on both sides, overlapped"]
        #expect(names.suffix(2) == durable[...])
        for latency in json["latencies"]?.array ?? [] {
            let name = latency["name"]?.string ?? ""
            #expect(latency["n"] == (durable.contains(name) ? 100 : 400), "\(name)")
            #expect(latency["guarantee"]?.string?.isEmpty == false, "\(name)")
            let isKilled = ["WatchProto, durable", "mosquitto QoS 1", "mosquitto QoS 2", "Redis"]
                .contains { name.hasPrefix($0) }
            if isKilled {
                #expect((latency["sigkill"]?["acknowledged"]?.integer ?? 0) > 0, "\(name)")
            }
            if name == durable[0] {
                #expect(latency["sigkill"]?["kept"] == latency["sigkill"]?["acknowledged"])
            }
        }
        // A peer that did not take part has no row that could fail.
        #expect(json["metrics"]?.array?.contains { $0["status"] == "NODATA" } == false)
        let notes = json["notes"]?.array?.compactMap(\.string) ?? []
        for (name, package) in [
            ("ZeroMQ PAIR, ipc", "libzmq5"), ("mosquitto QoS 2", "mosquitto"),
            ("NATS JetStream", "nats-server"),
            ("Redis Streams, appendfsync always", "redis-server"),
        ] {
            let isThere = names.contains { $0.hasPrefix(name) }
            let isNamed = notes.contains {
                $0.hasPrefix("\(name): skipped, ") && $0.hasSuffix("apt-get install \(package)")
            }
            #expect(isThere != isNamed, "\(name): \(notes)")
        }
    }

    @Test func an_interrupt_reports_what_was_measured() throws {
        let rig = try RigProgram(isScripted: false)
        var isSent = false
        let run = try rig.run(
            [
                "bench", "--simulators", rig.directory, "--cpu", "any", "--warm-up", "0s", "--mix",
                "message", "--out", "\(rig.directory)/out", "--set", "rtt=2ms",
            ],
            whileRunning: { pid, line in
                guard !isSent, line.contains("round 1 of 1") else { return }
                isSent = true
                // Something is to be measured by then.
                usleep(700_000)
                kill(pid, SIGINT)
            })
        #expect(run.exitCode == 130)
        #expect(run.stdout.contains("INCOMPLETE"))
        #expect(run.leftovers == [])
        let json = try results(rig)
        #expect(json["complete"] == false && json["passed"] == false && json["exit"] == 130)
        // The load of the whole run, had it been left alone: enough for a p99.
        #expect(json["load"] == ["20/s message (open loop, 1 min)"])
        #expect((json["latencies"]?.array?.first?["n"]?.integer ?? 0) > 0)
        let counts = json["counts"]?["phone to watch"]
        #expect(counts?["under_way"] == 0 && counts?["twice"] == 0)
        #expect(counts?["lost"] == nil)
    }

    /// Records refused before the interrupt count. Records under way at the interrupt count as
    /// neither delivered nor lost.
    @Test func an_interrupt_does_not_hide_what_was_refused() throws {
        let rig = try RigProgram(isScripted: false)
        var isSent = false
        let run = try rig.run(
            [
                "bench", "--simulators", rig.directory, "--cpu", "any", "--warm-up", "0s", "--mix",
                "message=20/s", "--out", "\(rig.directory)/out", "--set",
                "rtt=2ms,blackout=60s after 1s", "--timeout", "1s",
            ],
            whileRunning: { pid, line in
                guard !isSent, line.contains("round 1 of 1") else { return }
                isSent = true
                // The blackout counts from the load. Ten seconds of silence end the reachability,
                // and messages are refused from then on.
                sleep(14)
                kill(pid, SIGINT)
            })
        #expect(run.exitCode == 130, "\(run.stderr)")
        let json = try results(rig)
        let refused = json["counts"]?["refused"]?.integer ?? 0
        #expect(refused > 0)
        let delivery = json["metrics"]?.array?.first { $0["id"] == "delivery.exact" }
        #expect(delivery?["status"] == "FAIL")
        let counts = json["counts"]?["phone to watch"]
        let load = json["latencies"]?.array?.first?["n"]?.integer ?? 0
        let underWay = counts?["under_way"]?.integer ?? 0
        #expect(delivery?["n"]?.integer == load - underWay + refused)
        #expect(run.leftovers == [])
    }

    /// A simulator that is killed takes its last round with it and no other, and no older results
    /// stay.
    @Test func a_killed_simulator_leaves_the_rounds_before_it() throws {
        let rig = try RigProgram(isScripted: false)
        let out = "\(rig.directory)/out"
        let load = [
            "--warm-up", "0s", "--mix", "message=100/s", "--set", "rtt=2ms", "--duration", "500ms",
            "--out", out,
        ]
        #expect(try bench(rig, load).exitCode != 70)
        #expect(try results(rig)["complete"] == true)
        for (rounds, left) in [(3, 1), (1, 0)] {
            var isDone = false
            let run = try rig.run(
                ["bench", "--simulators", rig.directory, "--cpu", "any", "--rounds", "\(rounds)"]
                    + load,
                whileRunning: { pid, line in
                    guard !isDone, line.contains("round \(min(2, rounds)) of \(rounds)") else {
                        return
                    }
                    isDone = true
                    usleep(100_000)
                    for child in Self.children(of: pid) where child.name == "WatchSim" {
                        kill(child.pid, SIGKILL)
                    }
                })
            #expect(run.exitCode == 70, "\(run.stderr)")
            let json = try results(rig)
            #expect(json["complete"] == false && json["passed"] == false && json["exit"] == 70)
            #expect(Self.schema.complaints(about: json) == [])
            let count = json["latencies"]?.array?.first?["n"]?.integer ?? 0
            #expect(left == 0 ? count == 0 : count > 30, "\(count)")
            #expect(run.leftovers == [])
        }
    }

    /// The children of a process, and what they are called (proc(5)).
    private static func children(of parent: Int32) -> [(pid: Int32, name: String)] {
        let list = try? Files.read("/proc/\(parent)/task/\(parent)/children")
        let pids = String(decoding: list ?? [], as: UTF8.self).split(separator: " ")
        return pids.compactMap { Int32($0) }.map { pid in
            let name = (try? Files.read("/proc/\(pid)/comm")) ?? []
            return (pid, String(decoding: name.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
    }

    /// Of a load that sends nothing no share was delivered, whatever else was sent.
    @Test func a_gate_on_delivery_is_not_passed_by_sending_nothing() throws {
        let rig = try RigProgram(isScripted: false)
        let file = "\(rig.directory)/targets.json"
        let text =
            #"{"format": "watchproto.targets/1", "targets": {"delivery": {"target": "100%"}}}"#
        try Files.write(Array(text.utf8), to: file)
        func delivery(_ mix: String) throws -> (JSONValue?, Int32?) {
            let run = try bench(
                rig,
                [
                    "--mix", mix, "--duration", "1s", "--warm-up", "0s", "--targets", file, "--out",
                    "\(rig.directory)/out",
                ])
            return (try results(rig)["metrics"]?.array?.first, run.exitCode)
        }
        let (nothing, code) = try delivery("dose=0.001/s")
        #expect(nothing?["status"] == "NODATA" && code == 2)
        let (some, fine) = try delivery("dose=10/s")
        #expect(some?["status"] == "PASS" && some?["n"] == 10 && fine == 0, "\(some ?? .null)")
    }

    // MARK: Planted faults

    /// An interactive record ends with its link: no riddle, and no silence about it.
    @Test func what_was_given_up_with_its_link_is_told_as_such() throws {
        let rig = try RigProgram()
        let run = try bench(
            rig, ["--duration", "200ms", "--warm-up", "0s", "--mix", "message=20/s"],
            fault: "both:given-up")
        #expect(run.exitCode == 2, "\(run.stderr)\(run.stdout)")
        #expect(
            run.stdout.contains(
                "note: phone to watch: 1 of those were given up when the link closed, and their "
                    + "sender was told (interactive records do not outlive their link)\n"),
            "\(run.stdout)")
        let closed = #/\nnote: PhoneSim: the link closed at 0\.\d\d s: stalled\n/#
        #expect(run.stdout.contains(closed), "\(run.stdout)")
    }

    /// The lost record is one of those whose latency is measured.
    @Test func a_measured_record_that_is_lost_is_told() throws {
        let rig = try RigProgram()
        let run = try bench(
            rig, ["--duration", "200ms", "--warm-up", "0s", "--mix", "message=20/s"],
            fault: "watch:lose-measured")
        #expect(run.exitCode == 2, "\(run.stderr)\(run.stdout)")
        let row = run.stdout.split(separator: "\n").first { $0.hasPrefix("delivered exactly once") }
        #expect(row?.contains("FAIL") == true && row?.contains("1 of ") == true)
        #expect(run.stdout.contains("note: lost: message, interactive "), "\(run.stdout)")
        #expect(
            run.stdout.contains(
                "note: message: 1 of 4 had not arrived when the run ended; they count with their "
                    + "wait until then, and would have waited longer"), "\(run.stdout)")
        #expect(run.leftovers == [])
    }

    @Test(arguments: ["watch:lose", "watch:twice", "phone:lose", "phone:twice"])
    func what_is_lost_or_comes_twice_fails_the_run(fault: String) throws {
        let rig = try RigProgram()
        let run = try bench(
            rig,
            [
                "--duration", "200ms", "--warm-up", "0s", "--rate", "20/s", "--mix",
                "message,message-back,dose,complication",
            ], fault: fault)
        #expect(run.exitCode == 2, "\(run.stderr)\(run.stdout)")
        let row = run.stdout.split(separator: "\n").first { $0.hasPrefix("delivered exactly once") }
        #expect(row?.contains("FAIL") == true && row?.contains("1 of ") == true)
        #expect(run.stdout.contains(fault.hasSuffix("lose") ? "note: lost:" : "note: twice:"))
        // Scripted simulators have no journals: no dose gets into both, and each counts with its
        // wait, rather than not at all.
        #expect(
            run.stdout.contains(
                "note: dose event: 4 of 4 were not in both journals when the run ended; they count "
                    + "with their wait until then, and would have waited longer"), "\(run.stdout)")
        #expect(run.leftovers == [])
    }

    /// A link that is out while the load is due: what is refused then must not pass for delivered.
    @Test func what_was_refused_was_not_delivered() throws {
        let rig = try RigProgram(isScripted: false)
        let run = try bench(
            rig,
            [
                "--set", "rtt=2ms,blackout=14s after 2s", "--duration", "15s", "--rate", "40/s",
                "--mix", "message", "--out", "\(rig.directory)/out",
            ])
        let json = try results(rig)
        let refused = try #require(json["counts"]?["refused"]?.integer)
        #expect(refused > 0)
        let metrics = json["metrics"]?.array
        let delivery = try #require(metrics?.first { $0["id"] == "delivery.exact" })
        #expect(delivery["status"] == "FAIL" && run.exitCode == 2)
        #expect(
            run.stdout.contains(
                "note: PhoneSim refused \(refused) of its load: not_reachable; they have no "
                    + "latency "
                    + "and count as not delivered"))
        #expect(run.leftovers == [])
    }

    /// A percentile knows nothing of what was refused, so that it alone must not pass the run.
    @Test func what_was_refused_fails_a_run_whose_targets_ask_for_no_delivery() throws {
        let rig = try RigProgram(isScripted: false)
        func metrics(_ targets: String) throws -> [JSONValue] {
            let file = "\(rig.directory)/targets.json"
            let text = #"{"format": "watchproto.targets/1", "targets": {\#(targets)}}"#
            try Files.write(Array(text.utf8), to: file)
            let run = try bench(
                rig,
                [
                    "--set", "rtt=2ms,blackout=14s after 2s", "--duration", "15s", "--rate", "40/s",
                    "--mix", "message", "--targets", file, "--out", "\(rig.directory)/out",
                ])
            #expect(run.leftovers == [])
            let json = try results(rig)
            #expect((json["counts"]?["refused"]?.integer ?? 0) > 0)
            return json["metrics"]?.array ?? []
        }
        let silent = try metrics(#""message p50": {"target": "1h"}"#)
        #expect(silent.map { $0["status"] } == ["PASS", "FAIL"])
        #expect(silent.last?["id"] == "delivery.exact")
        // A target for delivery says how much of it is enough.
        let asked = try metrics(#""delivery": {"target": "1%"}"#)
        #expect(asked.map { $0["status"] } == ["PASS"])
    }

    @Test func records_that_never_arrive_time_out() throws {
        let rig = try RigProgram()
        let run = try bench(
            rig, ["--duration", "200ms", "--warm-up", "0s", "--timeout", "300ms"],
            fault: "phone:stuck")
        #expect(run.exitCode == 75)
        #expect(run.stderr.contains("Records still under way: 3."), "\(run.stderr)")
        #expect(run.leftovers == [])
    }

    /// The measurements before the load got stuck are written, with the end of the run.
    @Test func a_load_that_does_not_end_says_so_in_its_files() throws {
        let rig = try RigProgram()
        let run = try bench(
            rig,
            [
                "--duration", "200ms", "--warm-up", "0s", "--timeout", "300ms", "--mix", "message",
                "--out", "\(rig.directory)/out",
            ], fault: "phone:stuck-load")
        #expect(run.exitCode == 75)
        #expect(run.stdout.hasSuffix("        exit 75\n"), "\(run.stdout)")
        let json = try results(rig)
        #expect(json["exit"] == 75 && json["complete"] == false && json["passed"] == false)
        #expect(Self.schema.complaints(about: json) == [])
        let metrics = String(
            decoding: try Files.read("\(rig.directory)/out/metrics.prom"), as: UTF8.self)
        #expect(metrics.contains("watchproto_run_exit_code{") && metrics.contains("} 75\n"))
        #expect(run.leftovers == [])
    }

    /// The targets come from the file. A target of a kind that the load does not send is refused.
    @Test func a_file_of_targets_evaluates_in_place_of_the_products() throws {
        let rig = try RigProgram()
        let file = "\(rig.directory)/targets.json"
        func evaluated(_ targets: String, _ more: [String] = []) throws -> RigProgram.Outcome {
            try Files.write(
                Array(#"{"format": "watchproto.targets/1", "targets": {\#(targets)}}"#.utf8),
                to: file)
            return try bench(
                rig,
                [
                    "--duration", "600ms", "--warm-up", "0s", "--rate", "100/s", "--mix",
                    "message", "--targets", file,
                ] + more)
        }
        let good = try evaluated(
            #""message p50": {"target": "10s"}, "delivery": {"target": "100%"}"#)
        #expect(good.exitCode == 0, "\(good.stderr)")
        #expect(good.stdout.contains("All 2 measured targets met."))
        let bad = try evaluated(#""message p50": {"target": "1ns", "max": "2ns"}"#)
        #expect(bad.exitCode == 2)
        #expect(bad.stdout.contains("--targets \(file)"))
        // A gate is not passed by measuring too little.
        let few = #""message p99.9": {"target": "10s"}"#
        let silent = try evaluated(few)
        #expect(silent.exitCode == 2 && silent.stdout.contains("  TOO FEW\n"), "\(silent.stdout)")
        #expect(try evaluated(few, ["--few-passes"]).exitCode == 0)
        #expect(try evaluated(few, ["--few-passes", "--few-fails"]).exitCode == 64)
        let odd = try evaluated(#""sync p50": {"target": "1ns"}"#)
        #expect(odd.exitCode == 65)
        #expect(
            odd.stderr.hasPrefix(
                "\(file):1:48: error: this load does not measure 'sync', only message and "
                    + "delivery; --mix says what it sends\n"), "\(odd.stderr)")
    }

    /// This build is the slower one, or the other: a row, a test case, and the exit code.
    @Test func a_slower_build_fails_the_run() throws {
        let rig = try RigProgram()
        let slow = "\(rig.directory)/out/slow"
        try Files.makeDirectory(slow)
        for name in ["PhoneSim", "WatchSim"] {
            let text =
                "#!/bin/sh\nSCRIPTED_FAULT=both:slow exec '\(rig.directory)/\(name)' \"$@\"\n"
            try Files.write(Array(text.utf8), to: "\(slow)/\(name)", mode: 0o755)
        }
        func held(_ own: String, _ other: String) throws -> RigProgram.Outcome {
            try rig.run([
                "bench", "--simulators", own, "--against", other, "--duration", "300ms",
                "--warm-up", "0s", "--rate", "100/s", "--mix", "message", "--cpu", "any", "--out",
                "\(rig.directory)/out",
            ])
        }
        let bad = try held(slow, rig.directory)
        #expect(bad.exitCode == 2, "\(bad.stderr)\(bad.stdout)")
        #expect(bad.stdout.contains("in 6 rounds): this build is slower"))
        let row = try results(rig)["metrics"]?.array?.last
        #expect(row?["title"] == "message p50, this build / the other" && row?["status"] == "FAIL")
        #expect(row?["n"] == 6 && row?["n_needed"] == 6)
        let junit = String(
            decoding: try Files.read("\(rig.directory)/out/junit.xml"), as: UTF8.self)
        #expect(junit.contains(#"failures="1""#))
        #expect(junit.contains(#"<failure message="FAIL: 2"#), "\(junit)")
        let good = try held(rig.directory, slow)
        #expect(good.exitCode == 0, "\(good.stdout)")
        #expect(try results(rig)["metrics"]?.array?.last?["status"] == "PASS")
        #expect(good.leftovers == [])
    }

    /// The figures are the simulators', so that their build counts, and not rig's own.
    @Test func the_build_of_the_simulators_is_told() throws {
        let rig = try RigProgram()
        func built(_ fault: String) throws -> (JSONValue?, RigProgram.Outcome) {
            let run = try bench(
                rig,
                [
                    "--duration", "100ms", "--warm-up", "0s", "--out", "\(rig.directory)/out",
                ], fault: fault)
            return (try results(rig)["host"]?["build"], run)
        }
        let note = "note: a DEBUG build: its times are no measure of the product's\n"
        let release = try built("both:release")
        #expect(release.0 == "release" && !release.1.stdout.contains(note))
        let other = try built("phone:release")
        #expect(other.0 == "release and unknown")
        let unknown = try built("")
        #expect(
            unknown.0 == "unknown"
                && unknown.1.stdout.contains(
                    "note: how PhoneSim and WatchSim were built is unknown")
        )
    }

    @Test func the_help_names_what_a_link_can_be_given() throws {
        let help = try RigProgram().run(["bench", "--help"]).stdout
        let text = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for key in ConditionKey.allCases {
            #expect(text.contains("\(key.rawValue) (\(key.form))"), "\(key)")
        }
    }

    /// The file of targets in the help is a valid one.
    @Test func the_help_shows_a_file_of_targets() throws {
        let rig = try RigProgram()
        let help = try rig.run(["bench", "--help"]).stdout.replacing("\n", with: " ")
        let start = try #require(help.firstRange(of: #"{"format""#)?.lowerBound)
        let end = try #require(help[start...].firstRange(of: "}}}")?.upperBound)
        let thresholds = try Thresholds(Array(help[start..<end].utf8))
        #expect(thresholds.rows.map(\.target.heading) == ["sync p99", "delivered exactly once"])
        for word in ["p99.9", "max", "dose event", "message back", "hard limit"] {
            #expect(help.contains(word), "\(word)")
        }
    }

    @Test func a_bar_tells_how_far_the_load_has_come() throws {
        let rig = try RigProgram(isScripted: false)
        let run = try bench(
            rig,
            [
                "--duration", "3500ms", "--warm-up", "0s", "--rate", "100/s", "--mix", "message",
                "--progress", "bar",
            ])
        let lines = run.stderr.split(separator: "\r\u{1B}[K")
        let form = try Regex(
            #"bench loopback  \[[#-]+\]  [123]/3 s  (\d+) sent  (\d+) acked  \d+ in flight  "#
                + #"p99 \(few\)"#, as: (Substring, Substring, Substring).self)
        let bars = lines.compactMap { $0.wholeMatch(of: form) }
        #expect(bars.count >= 2, "\(run.stderr)")
        #expect(bars.allSatisfy { (Int($0.output.1) ?? 0) > 50 && (Int($0.output.2) ?? 0) > 50 })
        #expect(lines.allSatisfy { $0.count < 80 }, "\(run.stderr)")
    }

    /// A command line, how it ends, and what it says.
    struct Wrong: Sendable {
        var words: [String]
        var code: Int32
        var text: String

        init(_ words: String, _ code: Int32, _ text: String) {
            self.words = words.split(separator: " ").map(String.init)
            self.code = code
            self.text = text
        }
    }

    static let wrong: [Wrong] = [
        Wrong("--rate 20", 64, "The value '20' is invalid for '--rate': a unit is needed (/s)."),
        Wrong(
            "--mix snyc", 64,
            "The value 'snyc' is invalid for '--mix': there is no kind 'snyc', only sync, "
                + "complication, message, dose, message-back; did you mean 'sync'?"),
        Wrong("--mix sync,sync=1/s", 64, "'sync' stands there twice"),
        Wrong("--mix sync=5", 64, "the rate of 'sync': a unit is needed (/s)"),
        Wrong(
            "--rate 0/s", 64,
            "The value '0/s' is invalid for '--rate': it must be 0.001/s to 20000/s.\nHelp:  "
                + "--rate "
        ),
        Wrong(
            "--mix sync=0/s", 64,
            "The value 'sync=0/s' is invalid for '--mix': the rate of 'sync' must be 0.001/s to "
                + "20000/s.\nHelp:  --mix "),
        Wrong(
            "--duration 99ms", 64,
            "The value '99ms' is invalid for '--duration': it must be 100ms to 24h.\nHelp:  "),
        Wrong(
            "--timeout 0s", 64,
            "The value '0s' is invalid for '--timeout': it must be 100ms to 1h.\nHelp:  "),
        Wrong(
            "--rounds 0", 64, "The value '0' is invalid for '--rounds': it must be 1 to 1000."),
        Wrong(
            "--rounds 5e21", 64,
            "The value '5e21' is invalid for '--rounds': a whole number is needed, 1 to 1000."),
        Wrong(
            "--rounds 9999999999999999999999", 64,
            "The value '9999999999999999999999' is invalid for '--rounds': it must be 1 to 1000."),
        Wrong("--datagram 100", 64, "it must be 244 to 65502."),
        Wrong("--datagram 1200", 64, "--datagram needs a link with datagrams"),
        Wrong(
            "--rate 20000/s --duration 1h", 64,
            "The load is about 144040000 records; at most 1000000 can be measured at once."),
        Wrong("--targets /nowhere/t.json", 66, "Cannot read the targets '/nowhere/t.json': "),
        Wrong("--peers", 64, "'--peers' is now 'rig lab brokers'."),
        Wrong(
            "--against /nowhere", 66,
            "No simulator at /nowhere/PhoneSim.\n  Try: name the directory of the other build's "
                + "PhoneSim and WatchSim, such as '.build/release' of its checkout.\n"),
        Wrong("--few-passes", 64, "--few-passes goes with --targets, and not with --few-fails."),
        Wrong("--profile egde", 64, "There is no profile 'egde'. Did you mean 'edge'?"),
    ]

    @Test(arguments: wrong)
    func wrong_input_is_refused_before_anything_starts(wrong: Wrong) throws {
        let rig = try RigProgram()
        let run = try rig.run(["bench", "--simulators", rig.directory] + wrong.words)
        #expect(run.exitCode == wrong.code, "\(run.stderr)")
        #expect(run.stderr.hasPrefix("Error: ") && run.stderr.contains(wrong.text), "\(run.stderr)")
        #expect(run.stdout == "" && run.leftovers == [])
    }

    /// A file that the run opens must not take the place of a stream that was closed.
    @Test func a_closed_stream_is_no_file_of_the_run() throws {
        let rig = try RigProgram()
        let words = [
            "bench", "--simulators", rig.directory, "--duration", "100ms", "--warm-up", "0s",
        ]
        let run = try rig.run(words, shell: ">&-")
        #expect(run.exitCode == 73)
        #expect(run.stderr.contains("Cannot write results: write stdout: Bad file descriptor."))
        #expect(run.leftovers == [])
        #expect(try rig.run(words, shell: "2>&- <&-").stdout.hasPrefix("rig bench"))
    }

    @Test func manual_pages_are_not_written_into_a_directory_named_like_a_verb() throws {
        let run = try RigProgram().run(["man", "bench"])
        #expect(run.exitCode == 64 && run.stdout == "")
        #expect(run.stderr.contains("'bench' is a verb; 'rig man' takes the directory for all"))
    }

    /// The name of a checkout stands for the build in it.
    @Test func a_checkout_is_no_build() throws {
        let rig = try RigProgram()
        let checkout = "\(rig.directory)/out"
        try Files.makeDirectory(checkout)
        try Files.write([], to: "\(checkout)/Package.swift")
        func said() throws -> String {
            let words = ["bench", "--simulators", rig.directory, "--against", checkout]
            let run = try rig.run(words)
            #expect(run.exitCode == 66 && run.stdout == "")
            return run.stderr
        }
        let first = "Error: No simulator at \(checkout)/PhoneSim.\n  Try: "
        #expect(
            try said()
                == "\(first)build that checkout ('swift build' in it), then --against "
                + "\(checkout)/.build/debug.\n")
        try Files.makeDirectory("\(checkout)/.build")
        try Files.makeDirectory("\(checkout)/.build/debug")
        try Files.write([], to: "\(checkout)/.build/debug/PhoneSim", mode: 0o755)
        #expect(
            try said()
                == "\(first)--against \(checkout)/.build/debug, where that checkout was built.\n")
    }

    @Test func nothing_to_compare_is_not_well() throws {
        let rig = try RigProgram()
        let file = "\(rig.directory)/results.json"
        let text = #"{"schema": "rig.results/1", "complete": true, "latencies": [], "metrics": []}"#
        try Files.write(Array(text.utf8), to: file)
        let run = try rig.run(["compare", file, file])
        #expect(run.exitCode == 2)
        #expect(run.stdout.hasPrefix("No percentile has enough samples in both runs."))
        #expect(run.stdout.hasSuffix("\nexit 2: no percentile was compared\n"))
    }

    /// A run that wrote nothing is no run to pass over.
    @Test func a_run_without_results_is_told() throws {
        let rig = try RigProgram()
        let run = try bench(
            rig,
            [
                "--duration", "600ms", "--warm-up", "0s", "--rate", "200/s", "--mix", "message",
                "--out", "\(rig.directory)/out",
            ])
        #expect(run.exitCode == 0 || run.exitCode == 2, "\(run.stderr)")
        let bytes = try Files.read("\(rig.directory)/out/results.json")
        for place in ["old/1", "old/2", "new/1", "new/2"] {
            try Files.makeDirectory("\(rig.directory)/out/\(place)")
            try Files.write(bytes, to: "\(rig.directory)/out/\(place)/results.json")
        }
        defer {
            for name in ["old/1", "old/2", "old/3", "new/1", "new/2", "new/3", "old", "new"] {
                Files.removeDirectory("\(rig.directory)/out/\(name)")
            }
        }
        let (old, new) = ("\(rig.directory)/out/old", "\(rig.directory)/out/new")
        func compared() throws -> RigProgram.Outcome { try rig.run(["compare", old, new]) }
        let whole = try compared()
        #expect(whole.exitCode == 0 && whole.stderr == "", "\(whole.stdout)")
        try Files.makeDirectory("\(old)/3")
        let older = try compared()
        #expect(older.exitCode == 0)
        #expect(older.stderr == "rig: \(old)/3: not counted, no results.json\n")
        try Files.makeDirectory("\(new)/3")
        let newer = try compared()
        #expect(newer.exitCode == 2)
        #expect(
            newer.stderr.hasSuffix(
                "rig: \(new)/3: not counted, no results.json; exit 2, since it is a newer run\n"))
    }

    @Test func runs_that_are_none_are_refused() throws {
        let rig = try RigProgram()
        let list = "\(rig.directory)/list.json"
        func said(_ words: [String]) throws -> String {
            let run = try rig.run(["compare"] + words)
            #expect(run.stdout == "")
            return "\(run.exitCode ?? -1) \(run.stderr)"
        }
        let hint =
            "  Try: a directory that a run wrote with --out, its results.json, or a directory of "
            + "several such directories.\n"
        #expect(
            try said([list, list])
                == "65 Error: '\(list)' holds no results: its schema is nothing, "
                + "expected \"rig.results/1\".\n\(hint)")
        #expect(
            try said([rig.directory, list])
                == "66 Error: There is no results.json in '\(rig.directory)'.\n\(hint)")
        #expect(
            try said(["/nowhere", list]) == "66 Error: There is no file '/nowhere'.\n\(hint)")
    }
}
