import Testing

/// `rig explore --mutant`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RigMutantTests {
    private let rig: RigProgram

    init() throws { rig = try RigProgram() }

    @Test func mutants_are_listed_and_caught_or_not() throws {
        let list = try rig.run(["explore", "--mutant", "list"])
        #expect(list.exitCode == 0)
        #expect(list.stdout.contains("\nnonce-reset  "))
        let caught = try rig.run(["explore", "--mutant", "nonce-reset", "--progress", "none"])
        #expect(caught.exitCode == 0)
        #expect(caught.stdout.contains("  caught at seed 1 by nonce: "))
        #expect(caught.stdout.hasSuffix("1 of 1 caught\n"))
        // The command it names shows it.
        let again = try rig.run(["explore", "--mutant", "nonce-reset", "--seed", "1", "--trace"])
        #expect(again.exitCode == 0)
        #expect(again.stdout.contains("\nnonce: "))
        let missed = try rig.run(["explore", "--mutant", "send-before-commit", "--seeds", "1..1"])
        #expect(missed.exitCode == 1)
        #expect(missed.stdout.hasSuffix("NOT caught in the seeds 1 to 1\n0 of 1 caught\n"))
        let other = try rig.run(["explore", "--mutant", "send-before-commit", "--seed", "1"])
        #expect(other.exitCode == 1)
        let wrong = try rig.run(["explore", "--mutant", "nonce-rest"])
        #expect(wrong.exitCode == 64 && wrong.stderr.contains("did you mean 'nonce-reset'?"))
        for more in [["--state", "x.json"], ["--jobs", "2"], ["--trace"], ["--seed", "1"]] {
            #expect(try rig.run(["explore", "--mutant", "all"] + more).exitCode == 64, "\(more)")
        }
    }

    @Test func a_mutant_in_clear_says_so_and_how_to_see_it_again() throws {
        let name = "swallow-delivery"
        let clear = try rig.run(["explore", "--mutant", name, "--progress", "none", "--unsealed"])
        #expect(clear.exitCode == 0, "\(clear.stdout)")
        #expect(clear.stdout.hasPrefix("mutant \(name), links UNSEALED:\n"))
        #expect(clear.stdout.hasSuffix(" --unsealed --trace\n1 of 1 caught, links UNSEALED\n"))
        let sealed = try rig.run(["explore", "--mutant", name, "--progress", "none"])
        #expect(sealed.exitCode == 0 && !sealed.stdout.contains("UNSEALED"), "\(sealed.stdout)")
        for more in [[], ["--seed", "1"]] {
            let refused = try rig.run(["explore", "--mutant", "nonce-reset", "--unsealed"] + more)
            #expect(refused.exitCode == 64, "\(refused.stdout)")
            #expect(refused.stderr.contains("Unsealed sessions cannot have the bug"))
        }
    }
}
