import Glibc
import Testing

/// Ctrl-C ends a run in order, with exit code 130.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RigInterruptTests {
    @Test(arguments: [
        ["lab", "codec", "--rounds", "1000"], ["lab", "durable", "--samples", "1000000"],
        ["lab", "sealing"],
    ])
    func a_measurement_ends_when_asked(words: [String]) throws {
        let rig = try RigProgram()
        let place = words[1] == "durable" ? ["--directory", rig.directory] : []
        var isAsked = false
        let line = words + place + ["--progress", "lines"]
        let run = try rig.run(line, timeoutSeconds: 40) { pid, _ in
            // A second one would end it at once.
            if !isAsked { kill(pid, SIGINT) }
            isAsked = true
        }
        #expect(run.exitCode == 130, "\(run.stderr)")
        #expect(run.stderr.hasSuffix("Error: Interrupted.\n"), "\(run.stderr)")
        #expect(run.leftovers == [])
    }
}
