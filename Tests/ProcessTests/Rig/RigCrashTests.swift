import CommandLine
import ControlProtocol
import Glibc
import Testing

/// The journal's campaigns and its benchmark, as a user runs them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RigCrashTests {
    let rig: RigProgram

    init() throws { rig = try RigProgram() }

    @Test func crash_states_say_what_they_did() throws {
        let run = try rig.run([
            "lab", "crash", "states", "--family", "accept", "--states", "50", "--directory",
            rig.directory,
            "--progress", "none",
        ])
        #expect(run.exitCode == 0, "\(run.stderr)")
        #expect(run.stdout.contains("accept: "))
        #expect(run.stdout.contains(" 0 findings"))
        #expect(
            run.stdout.hasSuffix("nothing acknowledged was lost, and nothing was there by halves\n")
        )
        #expect(run.leftovers == [])
    }

    /// A directory in memory, where there is one: other programs make a disk's syncs slow. It must
    /// be empty at the end.
    private func inMemory(_ body: (String) throws -> Void) throws {
        let directory = try Files.makeTemporaryDirectory(
            "rig-crash-test", in: Files.isWritable("/dev/shm") ? "/dev/shm" : nil)
        defer { Files.removeDirectory(directory) }
        try body(directory)
        #expect(names(in: directory) == [])
    }

    @Test(arguments: ["states", "faults"])
    func a_campaign_is_shared_out_gone_on_with_and_put_together(verb: String) throws {
        try inMemory { try shareOut(verb, in: $0) }
    }

    private func shareOut(_ verb: String, in directory: String) throws {
        let settings =
            ["--family", "migrate"] + (verb == "states" ? ["--states", "60"] : ["--runs", "2"])
        let campaign =
            ["lab", "crash", verb, "--directory", directory, "--progress", "none"] + settings
        func state(_ name: String) -> String { "\(rig.directory)/\(name).json" }
        /// The figures of a report, without the time it took.
        func figures(_ run: RigProgram.Outcome) -> Substring? {
            run.stdout.firstMatch(of: #/migrate: .* findings/#)?.output
        }
        let whole = try rig.run(campaign)
        #expect(whole.exitCode == 0, "\(whole.stderr)")
        for share in 1...2 {
            let run = try rig.run(
                campaign + ["--shard", "\(share)/2", "--state", state("\(verb)\(share)")])
            #expect(run.exitCode == 0 && run.stdout.contains(" s, share \(share)/2\n"))
            #expect(figures(run) != figures(whole))
        }
        func merge(_ names: String...) throws -> RigProgram.Outcome {
            let files = names.map { state(verb + $0) }.joined(separator: ",")
            return try rig.run(["lab", "crash", verb, "--merge", files])
        }
        let merged = try merge("1", "2")
        #expect(merged.exitCode == 0)
        #expect(figures(merged) != nil && figures(merged) == figures(whole))
        // A share that is done is not run again; a missing share is named.
        let kept = try Files.read(state("\(verb)1"))
        let again = try rig.run(campaign + ["--shard", "1/2", "--state", state("\(verb)1")])
        #expect(again.exitCode == 0)
        #expect(try Files.read(state("\(verb)1")) == kept)
        let part = try merge("2")
        #expect(part.exitCode == 2 && part.stdout.hasSuffix("not complete: share 1 of 2\n"))
        // A state of other settings, of another campaign or of no campaign is refused and kept.
        #expect(try merge("1", "1").exitCode == 65)
        let other = try rig.run(
            campaign + ["--seed", "2", "--shard", "1/2", "--state", state("\(verb)1")])
        #expect(other.exitCode == 65)
        #expect(
            other.stderr.contains(
                "is of \(verb) \(settings.joined(separator: " ")) --seed 1 --shard 1/2, not of "
                    + "what was asked for: "), "\(other.stderr)")
        let wrong = try rig.run(
            ["lab", "crash", verb == "states" ? "faults" : "states", "--merge", state("\(verb)1")])
        #expect(
            wrong.exitCode == 65 && wrong.stderr.contains("Try: rig lab crash \(verb) --merge."))
        #expect(try rig.run(["explore", "--merge", state("\(verb)1")]).exitCode == 65)
        #expect(try Files.read(state("\(verb)1")) == kept)
    }

    @Test func a_campaign_that_is_interrupted_is_gone_on_with() throws {
        try inMemory { try interrupt(in: $0) }
    }

    private func interrupt(in directory: String) throws {
        let path = "\(rig.directory)/interrupted.json"
        let campaign = [
            "lab", "crash", "states", "--family", "make", "--states", "100000", "--directory",
            directory,
            "--state", path, "--progress", "none",
        ]
        for _ in 0..<2 {
            let former = try? Files.read(path)
            let run = try rig.run(
                campaign,
                onStart: { pid in
                    // As soon as it has kept something new.
                    for _ in 0..<10_000 where (try? Files.read(path)) == former { usleep(2_000) }
                    kill(pid, SIGINT)
                })
            #expect(try Files.read(path) != former)
            #expect(run.exitCode == 130, "\(run.stderr)")
            #expect(run.stderr.contains("Error: Interrupted."))
            // Nothing of the campaign's own files stays.
            #expect(names(in: directory) == [])
        }
        let state = try JSONParser.parse(String(decoding: try Files.read(path), as: UTF8.self))
        #expect(state.value["families"]?.array?.first?["done"] == .bool(false))
    }

    @Test func one_place_is_shown_again() throws {
        func show(
            _ verb: String, _ place: String, _ further: String...
        ) throws -> RigProgram.Outcome {
            try rig.run(
                [
                    "lab", "crash", verb, "--family", "accept", "--at", place, "--directory",
                    rig.directory,
                ]
                    + further)
        }
        let crash = try show("states", "12:tear=1f3a,3:drop", "--seed", "2")
        #expect(crash.exitCode == 0, "\(crash.stderr)")
        #expect(crash.stdout.hasPrefix("1: "))
        #expect(crash.stdout.contains("\n12: "))
        #expect(!crash.stdout.contains("\n13: "))
        #expect(crash.stdout.contains("\nafter the crash: journal ("))
        #expect(crash.stdout.contains("\nrecovery 3: "))
        #expect(crash.stdout.hasSuffix("\nnothing found\n"))
        let fault = try show("faults", "io:any:13,12:drop")
        #expect(fault.exitCode == 0 && fault.stdout.hasSuffix("\nnothing found\n"))
        #expect(try show("states", "io:any:13").exitCode == 64)
        #expect(try show("faults", "13:drop").exitCode == 64)
        #expect(try show("states", "13:lost").exitCode == 64)
        #expect(try rig.run(["lab", "crash", "states", "--at", "13:drop"]).exitCode == 64)
        #expect(try show("states", "9999:drop").exitCode == 64)
    }

    @Test func simulators_that_are_killed_lose_nothing() throws {
        let real = try RigProgram(isScripted: false)
        let run = try real.run(
            [
                "lab", "crash", "kill", "--kills", "12", "--sealed", "--simulators", real.directory,
                "--progress", "none",
            ], timeoutSeconds: 120)
        #expect(run.exitCode == 0, "\(run.stderr)\(run.stdout)")
        #expect(run.stdout.contains(" times PhoneSim and "))
        // Most kills meet something under way, and some a process that starts.
        let met = try #require(
            run.stdout.firstMatch(of: #/\n(\d+) kills met commands under way, (\d+) a process/#))
        #expect((Int(met.output.1) ?? 0) >= 4, "\(run.stdout)")
        #expect((Int(met.output.2) ?? 0) >= 1, "\(run.stdout)")
        #expect(run.stdout.hasSuffix("nothing acknowledged was lost, and nothing came twice\n"))
        #expect(run.leftovers == [])
    }

    /// The comparison itself finds an alteration of a closed file.
    @Test(arguments: [
        ("kill", "--kills", "--plant-loss", "1 promised doses are not on "),
        ("kill", "--kills", "--plant-change", "1 medications of PhoneSim are not what was "),
        ("kill", "--kills", "--plant-twice", "PhoneSim was given 1 doses twice"),
        ("kill", "--kills", "--plant-older", "WatchSim was given 1 medications in an older "),
        ("disk", "--faults", "--plant-twice", "PhoneSim was given 1 doses twice"),
        ("disk", "--faults", "--plant-loss", "1 promised doses are not on "),
        ("disk", "--faults", "--plant-change", "1 medications of PhoneSim are not what was "),
    ])
    func what_is_planted_is_found(
        verb: String, count: String, plant: String, finding: String
    ) throws {
        let real = try RigProgram(isScripted: false)
        let run = try real.run(
            [
                "lab", "crash", verb, count, "10", plant, "--sealed", "--simulators",
                real.directory,
                "--directory", rig.directory, "--progress", "lines",
            ], timeoutSeconds: 120)
        #expect(run.exitCode == 1, "\(run.stderr)\(run.stdout)")
        // A finding a device and kind of loss; they are told as they are found.
        let last = run.stderr.split(separator: "\n").last ?? ""
        #expect(last.contains("/10 \(count.dropFirst(2)), "), "\(run.stderr)")
        #expect(last.hasSuffix(" failing") && !last.hasSuffix(" 0 failing"), "\(run.stderr)")
        #expect(run.stdout.contains("\n" + finding), "\(run.stdout)")
        #expect(!run.stdout.contains("refused its load"), "\(run.stdout)")
        #expect(run.stdout.contains("the files are kept in \(rig.directory)/rig-crash."))
        #expect(run.leftovers == [])
    }

    @Test func two_plants_at_once_are_bad_usage() throws {
        let run = try rig.run(["lab", "crash", "kill", "--plant-loss", "--plant-change"])
        #expect(run.exitCode == 64)
        #expect(run.stderr.contains("exclude each other"), "\(run.stderr)")
    }

    @Test func disks_that_fail_are_told_of_and_lose_nothing() throws {
        let real = try RigProgram(isScripted: false)
        // Of this seed's ten faults some stop a journal, and some its opening.
        let run = try real.run(
            [
                "lab", "crash", "disk", "--faults", "10", "--seed", "3", "--simulators",
                real.directory,
                "--progress", "none",
            ], timeoutSeconds: 120)
        #expect(run.exitCode == 0, "\(run.stderr)\(run.stdout)")
        #expect(run.stdout.contains(" stopped the journal, "))
        #expect(!run.stdout.contains("\n0 stopped the journal, "), "\(run.stdout)")
        #expect(run.stdout.hasSuffix("nothing acknowledged was lost, and nothing came twice\n"))
        #expect(run.leftovers == [])
    }

    @Test func an_unknown_family_is_guessed() throws {
        let run = try rig.run(["lab", "crash", "states", "--family", "acept"])
        #expect(run.exitCode == 64)
        #expect(run.stderr.contains("did you mean 'accept'?"), "\(run.stderr)")
    }

    @Test func a_campaign_without_a_directory_says_so() throws {
        let run = try rig.run(["lab", "crash", "faults", "--directory", "/nowhere/at/all"])
        #expect(run.exitCode == 73)
        #expect(run.stderr.contains("/nowhere/at/all"), "\(run.stderr)")
        #expect(run.stderr.contains("Try: another --directory."), "\(run.stderr)")
    }

    /// The rows of a report by their ids. Those of `timed` depend on the speed of the machine: in a
    /// debug build they are not evaluated, and in a release build they alone may miss.
    private func rows(
        _ words: [String], timed: Set<String>
    ) throws -> [String: (actual: Double?, count: Int64)] {
        // In a debug build a photograph of 12 megapixels takes a minute.
        let run = try rig.run(words + ["--json", "--progress", "none"], timeoutSeconds: 240)
        #expect(run.exitCode == 0 || run.exitCode == 2, "\(run.stderr)")
        #expect(run.leftovers == [])
        let json = try JSONParser.parse(run.stdout).value
        var rows: [String: (actual: Double?, count: Int64)] = [:]
        for row in json["metrics"]?.array ?? [] {
            let id = try #require(row["id"]?.string)
            rows[id] = (row["actual"]?.number, row["n"]?.integer ?? 0)
            let isWell = row["status"] == "PASS" || row["status"] == "-"
            #expect(isWell || timed.contains(id), "\(JSONWriter.text(row))")
        }
        return rows
    }

    @Test func a_file_is_measured_beside_the_bare_loops() throws {
        let rows = try rows(
            ["lab", "files", "--mebibytes", "4", "--rounds", "2", "--directory", rig.directory],
            timed: ["files.share"])
        #expect(rows["files.share"]?.count == 2)
        // A transfer takes at most 1 MiB on either side, in each build.
        for device in ["phone", "watch"] {
            let grown = try #require(rows["files.memory.\(device)"]?.actual)
            #expect(grown <= 1_048_576, "the \(device) grew by \(grown) bytes")
        }
        let wrong = try rig.run(["lab", "files", "--directory", "nowhere"])
        #expect(wrong.exitCode == 73 && wrong.stderr.contains("no directory 'nowhere'"))
    }

    @Test func pictures_are_measured_from_the_store_and_beside_libjpeg() throws {
        let timed: Set = ["pictures.thumbnail", "pictures.whole", "pictures.decoding"]
        let rows = try rows(["lab", "pictures", "--samples", "5"], timed: timed)
        for id in timed { #expect(rows[id]?.count == 5, "\(id)") }
        let sent = try #require(rows["pictures.sent"]?.actual)
        #expect(sent > 100_000 && sent <= 500_000, "\(sent) bytes")
        // A decoded picture of 5 MB, and what the decoder needs beside it, in each build.
        let grown = try #require(rows["pictures.memory"]?.actual)
        #expect(grown > 4_000_000 && grown <= 20_000_000, "the watch grew by \(grown) bytes")
    }

    @Test func durable_records_are_measured_beside_the_bare_loop() throws {
        let words = [
            "lab", "durable", "--samples", "100", "--records", "10240", "--directory",
            rig.directory,
            "--progress", "none",
        ]
        let run = try rig.run(words)
        // In a debug build nothing is evaluated; in a release build a busy machine may miss.
        #expect(run.exitCode == 0 || run.exitCode == 2, "\(run.stderr)")
        #expect(run.stdout.contains("bare loop  "))
        #expect(run.stdout.contains("durable record  "))
        #expect(run.stdout.contains("durable record / bare loop, p50"))
        #expect(run.stdout.contains("flood, share of the bare loop's rate"))
        #expect(run.leftovers == [])
        #expect(run.stdout.contains("\nnote: the link is sealed (wire version 1), "))
        let clear = try rig.run(words + ["--unsealed"])
        #expect(clear.stdout.contains("\nnote: the link is UNSEALED (--unsealed)"))
        #expect(clear.leftovers == [])
    }
}
