import RigKit
import Testing

/// The journal's campaigns and its benchmark, as a user runs them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RigCrashTests {
    let rig: RigProgram

    init() throws { rig = try RigProgram() }

    @Test func crash_states_say_what_they_did() throws {
        let run = try rig.run([
            "crash", "states", "--family", "accept", "--states", "50", "--directory", rig.directory,
            "--quiet",
        ])
        #expect(run.exitCode == 0, "\(run.stderr)")
        #expect(run.stdout.contains("accept: "))
        #expect(run.stdout.contains(" 0 findings"))
        #expect(
            run.stdout.hasSuffix("nothing acknowledged was lost, and nothing was there by halves\n")
        )
        #expect(run.leftovers == [])
    }

    @Test func simulators_that_are_killed_lose_nothing() throws {
        let real = try RigProgram(isScripted: false)
        let run = try real.run(
            [
                "crash", "kill", "--kills", "12", "--sealed", "--simulators", real.directory,
                "--quiet",
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

    /// What is altered in a closed file is found by the comparison itself.
    @Test(arguments: [
        ("kill", "--kills", "--plant-loss", "1 promised doses are not on "),
        ("kill", "--kills", "--plant-change", "1 medications of PhoneSim are not what was "),
        ("disk", "--faults", "--plant-loss", "1 promised doses are not on "),
        ("disk", "--faults", "--plant-change", "1 medications of PhoneSim are not what was "),
    ])
    func what_is_planted_is_found(
        verb: String, count: String, plant: String, finding: String
    ) throws {
        let real = try RigProgram(isScripted: false)
        let run = try real.run(
            [
                "crash", verb, count, "10", plant, "--sealed", "--simulators", real.directory,
                "--directory", rig.directory, "--quiet",
            ], timeoutSeconds: 120)
        #expect(run.exitCode == 1, "\(run.stderr)\(run.stdout)")
        #expect(run.stdout.contains("\n" + finding), "\(run.stdout)")
        #expect(!run.stdout.contains("refused its load"), "\(run.stdout)")
        #expect(run.stdout.contains("the files are kept in \(rig.directory)/rig-crash."))
        #expect(run.leftovers == [])
    }

    @Test func two_plants_at_once_are_bad_usage() throws {
        let run = try rig.run(["crash", "kill", "--plant-loss", "--plant-change"])
        #expect(run.exitCode == 64)
        #expect(run.stderr.contains("exclude each other"), "\(run.stderr)")
    }

    @Test func disks_that_fail_are_told_of_and_lose_nothing() throws {
        let real = try RigProgram(isScripted: false)
        // Of this seed's ten faults some stop a journal, and some its opening.
        let run = try real.run(
            [
                "crash", "disk", "--faults", "10", "--seed", "3", "--simulators", real.directory,
                "--quiet",
            ], timeoutSeconds: 120)
        #expect(run.exitCode == 0, "\(run.stderr)\(run.stdout)")
        #expect(run.stdout.contains(" stopped the journal, "))
        #expect(!run.stdout.contains("\n0 stopped the journal, "), "\(run.stdout)")
        #expect(run.stdout.hasSuffix("nothing acknowledged was lost, and nothing came twice\n"))
        #expect(run.leftovers == [])
    }

    @Test func an_unknown_family_is_guessed() throws {
        let run = try rig.run(["crash", "states", "--family", "acept"])
        #expect(run.exitCode == 64)
        #expect(run.stderr.contains("did you mean 'accept'?"), "\(run.stderr)")
    }

    @Test func a_campaign_without_a_directory_says_so() throws {
        let run = try rig.run(["crash", "faults", "--directory", "/nowhere/at/all"])
        #expect(run.exitCode == 73)
        #expect(run.stderr.contains("/nowhere/at/all"), "\(run.stderr)")
        #expect(run.stderr.contains("Try: another --directory."), "\(run.stderr)")
    }

    @Test func durable_records_are_measured_beside_the_bare_loop() throws {
        let run = try rig.run([
            "durable", "--rounds", "100", "--records", "10240", "--directory", rig.directory,
            "--quiet",
        ])
        // In a debug build nothing is judged; in a release build a busy machine may miss.
        #expect(run.exitCode == 0 || run.exitCode == 2, "\(run.stderr)")
        #expect(run.stdout.contains("bare loop  "))
        #expect(run.stdout.contains("durable record  "))
        #expect(run.stdout.contains("(n=100)"))
        #expect(run.leftovers == [])
    }
}
