import CommandLine
import Testing

/// Runs of two verbs have nothing to compare, and one message says so.
@Suite(.timeLimit(.minutes(1))) struct CompareVerbTests {
    @Test func runs_of_two_verbs_are_refused() throws {
        let rig = try RigProgram()
        let out = "\(rig.directory)/out"
        #expect(try rig.run(["run", "gym", "--out", out, "--format", "json"]).exitCode == 0)
        let text = String(decoding: try Files.read("\(out)/results.json"), as: UTF8.self)
        let other = "\(rig.directory)/other.json"
        try Files.write(
            Array(text.replacing("\"verb\": \"run\"", with: "\"verb\": \"bench\"").utf8), to: other)
        let run = try rig.run(["compare", out, other])
        #expect(run.exitCode == 65 && run.stdout == "")
        #expect(run.stderr.hasPrefix("Error: '\(out)' is of 'rig run', '\(other)' of 'rig bench'."))
        #expect(try rig.run(["compare", out, out]).exitCode != 65)
    }
}
