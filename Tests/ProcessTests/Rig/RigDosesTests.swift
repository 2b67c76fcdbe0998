import ControlProtocol
import Testing

/// `rig lab doses`.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RigDosesTests {
    @Test func a_campaign_is_the_same_in_every_process_and_a_seed_is_replayed() throws {
        let rig = try RigProgram()
        let line = ["lab", "doses", "--seeds", "1..50", "--json", "--quiet"]
        let first = try rig.run(line)
        let second = try rig.run(line + ["--jobs", "1"])
        #expect(first.exitCode == 0 && first.stdout == second.stdout)
        #expect(try JSONParser.parse(first.stdout).value["seeds_done"]?.unsigned == 50)
        let replay = try rig.run(["lab", "doses", "--seed", "7", "--trace"])
        #expect(replay.exitCode == 0 && replay.stdout.hasSuffix("nothing found\n"))
        #expect(replay.stdout.contains(" phone: performs a piece of work\n"))
        #expect(try rig.run(["lab", "doses", "--trace"]).exitCode == 64)
        #expect(try rig.run(["lab", "doses", "--seed", "7", "--seeds", "1..2"]).exitCode == 64)
    }

    @Test func a_planted_bug_is_caught_and_a_wrong_name_is_refused() throws {
        let rig = try RigProgram()
        let caught = try rig.run(["lab", "doses", "--mutant", "undo-loses-head"])
        #expect(caught.exitCode == 0 && caught.stdout.hasSuffix("1 of 1 caught\n"))
        // In words, with the command that shows it again.
        let repeated = try #require(
            caught.stdout.firstMatch(
                of: #/\n  repeat: rig (lab doses --mutant undo-loses-head --seed \d+ --trace)\n/#))
        #expect(!caught.stdout.contains("Optional(") && !caught.stdout.contains("Set("))
        #expect(try rig.run(repeated.1.split(separator: " ").map(String.init)).exitCode == 0)
        let missed = try rig.run(["lab", "doses", "--mutant", "loses-call", "--seeds", "1..1"])
        #expect(missed.exitCode == 1 && missed.stdout.contains("NOT caught"))
        let wrong = try rig.run(["lab", "doses", "--mutant", "undo-loses-heads"])
        #expect(wrong.exitCode == 64)
        #expect(wrong.stderr.contains("did you mean 'undo-loses-head'?"))
    }
}
