import Bench
import CommandLine
import ControlProtocol
import Glibc
import Testing

@testable import Rig

@Suite(.timeLimit(.minutes(5))) struct RigCommandLineTests {
    let rig: RigProgram

    init() throws { rig = try RigProgram() }

    @Test func an_unknown_verb_is_guessed() throws {
        let run = try rig.run(["dmeo"])
        #expect(run.exitCode == 64)
        #expect(
            run.stderr.hasPrefix("Error: Unknown verb 'dmeo'. Did you mean 'demo'?\nUsage: rig "))
        #expect(run.stdout == "")
    }

    @Test func an_unknown_flag_is_guessed() throws {
        let run = try rig.run(["demo", "--importt", "x"])
        #expect(run.exitCode == 64)
        #expect(
            run.stderr.hasPrefix(
                "Error: Unknown option '--importt'. Did you mean '--import'?\nHelp:  "))
    }

    @Test func a_rate_without_its_unit_is_refused() throws {
        let run = try rig.run(["demo", "--rate", "20"])
        #expect(run.exitCode == 64)
        #expect(
            run.stderr.hasPrefix(
                "Error: The value '20' is invalid for '--rate': a unit is needed (/s).\n"))
    }

    @Test func an_unknown_cell_or_profile_of_the_baseline_is_guessed() throws {
        let cell = try rig.run(["lab", "baseline", "--cell", "hundred-war"])
        #expect(cell.exitCode == 64)
        #expect(
            cell.stderr.hasPrefix(
                "Error: There is no cell 'hundred-war'. Did you mean 'hundred-warm'?\n"))
        let profile = try rig.run(["lab", "baseline", "--profile", "3g,edg"])
        #expect(profile.exitCode == 64)
        #expect(
            profile.stderr.hasPrefix(
                "Error: There is no profile 'edg'. Did you mean 'edge'?\n  There are: "))
        let offline = try rig.run(["lab", "baseline", "--profile", "offline"])
        #expect(offline.exitCode == 64)
        #expect(try rig.run(["lab", "baseline", "--trials", "0"]).exitCode == 64)
        #expect(try rig.run(["lab", "baseline", "--datagram", "128"]).exitCode == 64)
        #expect(try rig.run(["lab", "baseline", "--reading", "twice"]).exitCode == 64)
    }

    @Test func a_missing_import_file_is_named() throws {
        let run = try rig.run(["demo", "--simulators", rig.directory, "--import", "nowhere.json"])
        #expect(run.exitCode == 66)
        #expect(run.stderr.hasPrefix("Error: There is no file 'nowhere.json' to import.\n  Try: "))
    }

    @Test func a_malformed_import_shows_all_its_faults() throws {
        let path = "\(rig.directory)/bad.json"
        try Files.write(
            Array(
                """
                {"format": "watchproto.medications/1", "medications": [
                  {"name": "A", "strength": 5},
                  {"nome": "B"}
                ]}
                """.utf8), to: path)
        let run = try rig.run(["demo", "--simulators", rig.directory, "--import", path])
        #expect(run.exitCode == 65)
        #expect(run.stderr.contains("\(path):2:"))
        #expect(run.stderr.contains("\(path):3:"))
        #expect(run.stderr.contains("errors in 1 file; nothing was imported."), "\(run.stderr)")
    }

    @Test func a_list_larger_than_a_queue_is_refused_before_anything_starts() throws {
        let path = "\(rig.directory)/long.json"
        let medications = (0..<65_537).map { #"{"name":"M\#($0)"}"# }.joined(separator: ",")
        let list = #"{"format":"watchproto.medications/1","medications":[\#(medications)]}"#
        try Files.write(Array(list.utf8), to: path)
        let run = try rig.run(["demo", "--simulators", rig.directory, "--import", path])
        #expect(run.exitCode == 65)
        #expect(
            run.stderr.contains(
                "Error: '\(path)' holds 65537 medications; at most 65536 can be synced.\n  Try: "),
            "\(run.stderr)")
        unsafe unlink(path)
    }

    @Test func a_list_that_the_phone_cannot_queue_is_refused_in_words() throws {
        let run = try rig.demo(fault: "phone:full")
        #expect(run.exitCode == 65)
        #expect(
            run.stderr.contains(
                "Error: The list of 50 is too long to sync at once: PhoneSim's queue was full "
                    + "with 7 records.\n  Try: a shorter list."),
            "\(run.stderr)")
        #expect(run.leftovers == [])
    }

    @Test(arguments: [
        (
            "large-set",
            "The list of 50 is too large for a watch: its records take more than the 4194304 bytes "
                + "that a watch must hold."
        ),
        (
            "large-record",
            "The list of 50 is not fit to sync: a record takes 300 bytes, at most 200 are allowed."
        ),
    ])
    func a_list_that_is_too_large_is_its_writers_fault(fault: String, text: String) throws {
        let run = try rig.demo(fault: "phone:\(fault)")
        #expect(run.exitCode == 65)
        #expect(
            run.stderr.contains("Error: \(text)\n  Try: a shorter list."), "\(run.stderr)")
        #expect(run.leftovers == [])
    }

    @Test func a_refusal_that_is_not_the_lists_fault_is_a_bug() throws {
        let run = try rig.demo(fault: "phone:odd")
        #expect(run.exitCode == 70)
        #expect(run.stderr.contains("PhoneSim refused 'sync': "), "\(run.stderr)")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func waiting_for_a_pipe_ends_when_the_user_wishes(signal: Int32) throws {
        let pipe = "\(rig.directory)/pipe"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let run = try rig.run(
            ["demo", "--simulators", rig.directory, "--import", pipe], timeoutSeconds: 20
        ) { pid, line in
            if line.contains("reading") { kill(pid, signal) }
        }
        #expect(run.exitCode == 130, "\(run.stderr)")
        #expect(run.stderr.hasSuffix("Error: Interrupted.\n"))
        #expect(run.leftovers == [])
    }

    @Test func a_pipe_is_as_good_as_a_file() throws {
        let pipe = "\(rig.directory)/pipe"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        // The writer waits for the reader no longer than the test may take.
        let run = try rig.run(
            [
                "demo", "--simulators", rig.directory, "--import", pipe, "--duration", "500ms",
                "--all",
            ],
            before: "timeout 30 sh -c \"cat '\(rig.directory)/list.json' >'\(pipe)'\" &")
        #expect(run.isWell, "\(run.stderr)")
        #expect(run.stdout.contains("120 imported"), "\(run.stdout)")
        #expect(run.leftovers == [])
    }

    @Test func missing_simulators_are_named() throws {
        let run = try rig.run(["demo", "--simulators", "/nowhere"])
        #expect(run.exitCode == 66)
        let message = """
            Error: No simulator at /nowhere/PhoneSim.
              Try: name the directory that holds PhoneSim and WatchSim, or leave out --simulators.
            """
        #expect(run.stderr.hasPrefix(message), "\(run.stderr)")
    }

    @Test(arguments: [
        ("lab baseline --profile offline", "The profile 'offline' carries nothing"),
        ("link --listen foo:a --connect unix:b", "expected one of unix:PATH, unix-seqpacket:PATH"),
        ("link --listen udp:127.0.0.1:9999 --connect unix:b", "The two cannot be joined: "),
        ("link --listen udp:127.0.0.1:99999 --connect unix:b", "expected one of 1024 to 65535"),
    ])
    func a_wrong_value_is_told_with_what_would_do(_ words: String, _ message: String) throws {
        let run = try rig.run(words.split(separator: " ").map(String.init))
        #expect(run.exitCode == 64)
        #expect(run.stderr.contains(message), "\(run.stderr)")
    }

    @Test func help_explains_a_verb_of_a_verb() throws {
        let help = try rig.run(["help", "lab", "crash", "states"])
        let option = try rig.run(["lab", "crash", "states", "--help"])
        #expect(help.exitCode == 0 && help.stdout == option.stdout)
        #expect(try rig.run(["help", "lab", "crash", "nothing"]).exitCode == 64)
    }

    @Test func a_full_disk_for_the_report_is_an_error_that_loses_nothing() throws {
        try Files.makeDirectory("\(rig.directory)/out")
        unsafe symlink("/dev/full", "\(rig.directory)/out/results.json")
        let run = try rig.demo(["--out", "\(rig.directory)/out"])
        #expect(run.exitCode == 73)
        #expect(run.stdout.contains("phone-watch sync, one change"))
        #expect(
            run.stderr.contains(
                "Error: Cannot write results: write \(rig.directory)/out/results.json: "
                    + "No space left on device."
            ),
            "\(run.stderr)")
        #expect(run.leftovers == [])
    }

    /// Beyond the limit the system sends SIGXFSZ, whose default is to end the process.
    @Test func a_limit_of_file_size_is_an_error_that_leaves_nothing() throws {
        let run = try rig.demo(["--out", "\(rig.directory)/out"], before: "ulimit -f 1;")
        #expect(run.exitCode == 73)
        #expect(run.stderr.contains("Error: Cannot write the list for the phone: write "))
        #expect(run.stderr.contains("File too large"), "\(run.stderr)")
        #expect(run.leftovers == [])
    }

    @Test func a_terminal_that_takes_nothing_is_an_error_and_files_are_written() throws {
        let run = try rig.demo(["--out", "\(rig.directory)/out"], shell: ">/dev/full")
        #expect(run.exitCode == 73)
        #expect(run.stderr.contains("write stdout: No space left on device"))
        #expect(Files.exists("\(rig.directory)/out/results.json"))
    }

    @Test func an_output_directory_that_cannot_be_made_stops_the_run_at_once() throws {
        let run = try rig.demo(["--out", "\(rig.directory)/list.json/out"])
        #expect(run.exitCode == 73)
        #expect(run.stderr.hasPrefix("Error: Cannot write results: mkdir "))
        #expect(run.stdout == "")
    }

    @Test func exploring_is_the_same_in_every_process() throws {
        let first = try rig.run(["explore", "--seeds", "1..20", "--progress", "none"])
        let second = try rig.run([
            "explore", "--seeds", "1..20", "--progress", "none", "--jobs", "1",
        ])
        // Whether a seed fails is for the simulation's own tests; here the exit code must say so.
        #expect(first.exitCode == (first.stdout.contains("nothing found") ? 0 : 1))
        #expect(first.stdout.hasPrefix("explored 20 seeds (1 to 20):"))
        #expect(
            first.stdout.split(separator: "\n").first == second.stdout.split(separator: "\n").first)
        let replay = try rig.run(["explore", "--seed", "7", "--trace"])
        #expect(replay.exitCode == (replay.stdout.hasSuffix("nothing found\n") ? 0 : 1))
        #expect(replay.stdout.contains("seed 7: "))
        #expect(try rig.run(["explore", "--trace"]).exitCode == 64)
    }

    @Test func exploring_is_sealed_unless_asked_and_says_where_it_is_not() throws {
        let sealed = try rig.run(["explore", "--seed", "7"])
        #expect(!sealed.stdout.contains("UNSEALED"))
        // A command noted down when sealing had to be asked for still works.
        #expect(try rig.run(["explore", "--seed", "7", "--sealed"]).stdout == sealed.stdout)
        let clear = try rig.run(["explore", "--seed", "7", "--unsealed"])
        #expect(clear.stdout.contains("seed 7, links UNSEALED: "))
        let digest = { (text: String) in text.split(separator: "digest ").last }
        #expect(digest(clear.stdout) != digest(sealed.stdout))
        let many = try rig.run(["explore", "--seeds", "1..2", "--progress", "none", "--unsealed"])
        #expect(many.stdout.hasPrefix("explored 2 seeds (1 to 2), links UNSEALED: "))
        let both = try rig.run(["explore", "--seed", "7", "--sealed", "--unsealed"])
        #expect(both.exitCode == 64 && both.stderr.contains("exclude each other"))
    }

    @Test func an_exploration_is_shared_out_gone_on_with_and_put_together() throws {
        // In clear: half as long, and the states of both kinds are told apart below.
        let range = ["explore", "--seeds", "1..450", "--progress", "none"]
        let seeds = range + ["--unsealed"]
        func state(_ name: String) -> String { "\(rig.directory)/\(name).json" }
        let whole = try rig.run(seeds)
        for share in 1...2 {
            let run = try rig.run(
                seeds + ["--shard", "\(share)/2", "--state", state("share\(share)")])
            #expect(run.stdout.contains(" seeds/s, share \(share)/2\n"))
        }
        let merged = try rig.run(["explore", "--merge", "\(state("share1")),\(state("share2"))"])
        #expect(merged.exitCode == whole.exitCode)
        #expect(
            merged.stdout.split(separator: "\n").first == whole.stdout.split(separator: "\n").first)
        #expect(merged.stdout.hasPrefix("explored 450 seeds (1 to 450), links UNSEALED: "))
        let json = try JSONParser.parse(Files.read(state("share1"))).value
        #expect(json["sealed"]?.bool == false)
        #expect(json["note"]?.string?.contains("UNSEALED") == true)
        let other = try rig.run(range + ["--shard", "1/2", "--state", state("share1")])
        #expect(other.exitCode == 65, "\(other.stdout)")
        #expect(other.stderr.contains("is of --seeds 1..450 --unsealed --shard 1/2, not of "))
        // A share that is done is not run again; a missing share is named.
        let again = try rig.run(seeds + ["--shard", "1/2", "--state", state("share1")])
        #expect(again.stdout.contains("explored 250 seeds"))
        let part = try rig.run(["explore", "--merge", state("share2")])
        #expect(part.stdout.contains("not complete: share 1 of 2"))
        #expect(part.exitCode != 0)
        // A state of other seeds, of another share, or no state at all, is refused and kept.
        #expect(try rig.run(seeds + ["--state", state("share1")]).exitCode == 65)
        #expect(try rig.run(seeds + ["--state", "\(rig.directory)/list.json"]).exitCode == 65)
        let twice = "\(state("share1")),\(state("share1"))"
        #expect(try rig.run(["explore", "--merge", twice]).exitCode == 65)
        #expect(try rig.run(["explore", "--merge", state("missing")]).exitCode == 66)
        #expect(try rig.run(seeds + ["--shard", "3/2"]).exitCode == 64)
    }

    /// Each seed is of one share, and no share has none while there are enough.
    @Test(arguments: [1, 3, 5, 200, 399, 400, 1001] as [UInt64], [1, 2, 3, 7] as [UInt64])
    func shares_of_few_seeds_are_not_empty(total: UInt64, count: UInt64) {
        let seeds = 10...(9 + total)
        var found: [UInt64] = []
        for index in 1...count {
            let shard = Shard(index: index, count: count)
            let blocks = sequence(state: UInt64(0)) { number in
                defer { number += 1 }
                return shard.block(number, of: seeds)
            }
            let own = blocks.flatMap { Array($0) }
            #expect(UInt64(own.count) == shard.seedCount(of: seeds))
            #expect(!own.isEmpty || total < count)
            found += own
        }
        #expect(found.sorted() == Array(seeds))
    }

    @Test func a_share_without_a_seed_is_refused() throws {
        let run = try rig.run(["explore", "--seeds", "1..3", "--shard", "4/4"])
        #expect(run.exitCode == 64 && run.stdout == "")
        #expect(
            run.stderr.hasPrefix(
                "Error: --shard 4/4 has no seed of --seeds 1..3.\n  Try: as many shares as "),
            "\(run.stderr)")
    }

    @Test func the_help_names_every_exit_code() {
        let text = Rig.Program().root.discussion.joined()
        for code in ExitCode.allCases {
            #expect(text.contains(" \(code.rawValue) "), "\(code.rawValue)")
        }
    }

    /// A path that is not UTF-8 is refused as it stands, and no other is made.
    @Test func an_argument_that_is_no_text_is_refused() throws {
        let run = try rig.run(
            ["face", "--out"], shell: "\"$(printf '\(rig.directory)/a\\377b')\"",
            replacesRuns: false)
        #expect(run.exitCode == 64 && run.stderr.hasPrefix("Error: Argument 3 is not UTF-8: "))
        #expect(Files.names(in: rig.directory).allSatisfy { !$0.hasPrefix("a") })
    }

    @Test func exploring_tells_its_progress_at_a_readers_pace() throws {
        let begin = MonotonicClock.nowNanoseconds
        let run = try rig.run([
            "explore", "--seeds", "18446744073709551515..18446744073709551615", "--unsealed",
        ])
        let seconds = (MonotonicClock.nowNanoseconds - begin) / 1_000_000_000
        let lines = run.stderr.split(separator: "\n")
        // One every ten seconds and one at the end; three blocks of seeds were done.
        #expect(lines.count <= 1 + Int(seconds / 10), "\(run.stderr)")
        #expect(lines.last?.hasPrefix("explore: 101/101 seeds") == true, "\(run.stderr)")
    }

    @Test func exploring_can_be_interrupted() throws {
        let run = try rig.run(
            ["explore", "--seeds", "1..100000000"],
            onStart: { pid in
                usleep(500_000)
                kill(pid, SIGINT)
            })
        #expect(run.exitCode == 130)
        #expect(run.stderr.contains("Error: Interrupted."))
    }

    @Test func profiles_are_listed_and_guessed() throws {
        let all = try rig.run(["profiles"])
        #expect(all.exitCode == 0)
        for name in ["5g", "4g-good", "4g-average", "3g", "edge", "offline", "ble", "loopback"] {
            #expect(all.stdout.contains("\n\(name) "))
        }
        let wrong = try rig.run(["profiles", "egde"])
        #expect(wrong.exitCode == 64)
        #expect(wrong.stderr.hasPrefix("Error: There is no profile 'egde'. Did you mean 'edge'?"))
    }

    @Test func help_version_and_doctor() throws {
        let help = try rig.run(["help", "demo"])
        #expect(help.exitCode == 0)
        #expect(help.stdout.hasPrefix("OVERVIEW: Syncs a medication list"))
        #expect(try rig.run(["demo", "--help"]).stdout == help.stdout)
        let crash = try rig.run(["help", "lab", "crash"])
        #expect(crash.stdout.contains("See 'rig lab crash <verb> --help' for detailed help."))
        let kill = try rig.run(["lab", "crash", "kill", "--help"])
        #expect(kill.exitCode == 0 && kill.stdout.hasPrefix("OVERVIEW: Ends PhoneSim"))
        #expect(try rig.run(["--version"]).stdout == "rig 0.1.0\n")
        let alone = try rig.run([])
        let asked = try rig.run(["--help"])
        #expect(alone.exitCode == 0 && alone.stdout == asked.stdout)
        for group in ["USE:\n  demo ", "LINK:\n  up ", "LAB:\n  lab baseline "] {
            #expect(alone.stdout.contains(group), "\(group)")
        }
        let doctor = try rig.run(["doctor"])
        let lines = doctor.stdout.split(separator: "\n")
        #expect(!lines.isEmpty)
        let words = ["OK       ", "MISSING  ", "OPTIONAL "]
        for line in lines { #expect(words.contains(where: line.hasPrefix)) }
        let isWell = lines.allSatisfy { !$0.hasPrefix("MISSING") }
        #expect(doctor.exitCode == (isWell ? 0 : 1))
        let asJSON = try rig.run(["doctor", "--json"])
        let json = try JSONParser.parse(asJSON.stdout).value
        #expect(asJSON.exitCode == doctor.exitCode)
        #expect(json["ok"] == .bool(isWell))
        let checks = json["checks"]?.array ?? []
        #expect(checks.map { $0["ok"] == true } == lines.map { $0.hasPrefix("OK") })
        for (check, line) in zip(checks, lines) {
            #expect(line.contains(check["name"]?.string ?? "?"))
            #expect(line.contains((check["found"]?.string ?? check["fix"]?.string) ?? "?"))
        }
    }
}
