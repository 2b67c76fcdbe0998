import ControlProtocol
import Testing

@testable import CommandLine

/// `rig lab life`.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RigLifeTests {
    @Test func a_campaign_is_the_same_in_every_process_and_in_its_file() throws {
        let rig = try RigProgram()
        let out = "\(rig.directory)/out"
        let line = ["lab", "life", "--seeds", "1..2", "--days", "3", "--json", "--quiet"]
        let first = try rig.run(line + ["--out", out])
        let second = try rig.run(line + ["--jobs", "1"])
        #expect(first.exitCode == 0 && first.stdout == second.stdout)
        #expect(try Files.read("\(out)/life.json") == Array(first.stdout.utf8))
        let root = try JSONParser.parse(first.stdout).value
        #expect(root["seeds"]?.array?.count == 2 && root["broken"] == [])
    }

    @Test func a_planted_bug_is_caught_or_said_not_to_be() throws {
        let rig = try RigProgram()
        let line = ["lab", "life", "--seeds", "1", "--fault"]
        let caught = try rig.run(line + ["keeps-timeline", "--days", "3"])
        #expect(caught.exitCode == 0 && caught.stdout.contains("seed 1 breaks: no dose shown"))
        // There is no day of many changes in a life of one day.
        let missed = try rig.run(line + ["ignores-budget", "--days", "1"])
        #expect(missed.exitCode == 1 && missed.stdout.hasSuffix("is NOT caught\n"))
        #expect(caught.stdout.hasPrefix("1 life of 3 days\n"))
        #expect(missed.stdout.hasPrefix("1 life of 1 day\n"))
        #expect(caught.stdout.hasSuffix("\nthe fault keeps-timeline is caught\n"))
    }
}
