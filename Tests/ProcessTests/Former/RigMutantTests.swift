import Testing

/// `rig explore --mutant`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RigMutantTests {
    private let rig: RigProgram

    init() throws { rig = try RigProgram() }

    @Test func planted_mistakes_are_listed_caught_or_not() throws {
        let list = try rig.run(["explore", "--mutant", "list"])
        #expect(list.exitCode == 0)
        #expect(list.stdout.contains("\nnonceReset  "))
        let caught = try rig.run(["explore", "--mutant", "nonceReset", "--quiet"])
        #expect(caught.exitCode == 0)
        #expect(caught.stdout.contains("  caught at seed 1 by nonce: "))
        #expect(caught.stdout.hasSuffix("1 of 1 caught\n"))
        // The command it names shows it.
        let again = try rig.run(["explore", "--mutant", "nonceReset", "--seed", "1", "--trace"])
        #expect(again.exitCode == 0)
        #expect(again.stdout.contains("\nnonce: "))
        let missed = try rig.run(["explore", "--mutant", "sendBeforeCommit", "--seeds", "1..1"])
        #expect(missed.exitCode == 1)
        #expect(missed.stdout.hasSuffix("NOT caught in the seeds 1 to 1\n0 of 1 caught\n"))
        let other = try rig.run(["explore", "--mutant", "sendBeforeCommit", "--seed", "1"])
        #expect(other.exitCode == 1)
        let wrong = try rig.run(["explore", "--mutant", "nonceRest"])
        #expect(wrong.exitCode == 64 && wrong.stderr.contains("did you mean 'nonceReset'?"))
        for more in [["--state", "x.json"], ["--jobs", "2"], ["--trace"]] {
            #expect(try rig.run(["explore", "--mutant", "all"] + more).exitCode == 64, "\(more)")
        }
        #expect(try rig.run(["explore", "--mutant", "all", "--seed", "1"]).exitCode == 64)
    }

    @Test func a_mistake_planted_in_clear_says_so_and_how_to_see_it_again() throws {
        let name = "dropExpiring"
        let clear = try rig.run(["explore", "--mutant", name, "--quiet", "--unsealed"])
        #expect(clear.exitCode == 0, "\(clear.stdout)")
        #expect(clear.stdout.hasPrefix("mutant \(name), links UNSEALED: "))
        #expect(clear.stdout.hasSuffix(" --unsealed --trace\n1 of 1 caught, links UNSEALED\n"))
        let sealed = try rig.run(["explore", "--mutant", name, "--quiet"])
        #expect(sealed.exitCode == 0 && !sealed.stdout.contains("UNSEALED"), "\(sealed.stdout)")
        for more in [[], ["--seed", "1"]] {
            let refused = try rig.run(["explore", "--mutant", "nonceReset", "--unsealed"] + more)
            #expect(refused.exitCode == 64, "\(refused.stdout)")
            #expect(refused.stderr.contains("Unsealed sessions cannot make the mistake"))
            let hidden = try rig.run(["explore", "--mutant", "repeatPackets"] + more)
            #expect(hidden.exitCode == 64, "\(hidden.stdout)")
            #expect(hidden.stderr.contains("Sealed sessions hide the mistake"))
        }
        // What is left out of all is said, not counted as caught.
        let few = try rig.run(["explore", "--mutant", "all", "--seeds", "1..1", "--quiet"])
        #expect(few.stdout.contains("  not hunted: sealed sessions hide it; --unsealed hunts it\n"))
        #expect(few.stdout.hasSuffix(" caught, 1 not hunted\n"), "\(few.stdout)")
    }
}
