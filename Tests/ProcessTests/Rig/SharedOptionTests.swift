import CommandLine
import ControlProtocol
import Testing

@testable import Rig

/// Options that several verbs take mean the same in each.
@Suite(.timeLimit(.minutes(2))) struct SharedOptionTests {
    /// The help of every option by this name, with the verb that takes it.
    private static func help(of name: String) -> [(verb: String, text: String)] {
        var found: [(String, String)] = []
        func walk(_ verb: JSONValue) {
            for option in verb["arguments"]?.array ?? []
            where option["preferredName"]?["name"]?.string == name {
                found.append(
                    (verb["commandName"]?.string ?? "", option["abstract"]?.string ?? ""))
            }
            for below in verb["subcommands"]?.array ?? [] { walk(below) }
        }
        walk(Rig.Program().root.toolDescription["command"] ?? .null)
        return found
    }

    @Test(arguments: [("quiet", 15), ("json", 15), ("seed", 9), ("out", 10)])
    func an_option_is_explained_alike_wherever_it_stands(name: String, least: Int) {
        let found = Self.help(of: name)
        #expect(found.count >= least, "\(found.map(\.verb))")
        for (verb, text) in found {
            // A verb may add a sentence of its own in brackets.
            let first = text.prefix { $0 != "." && $0 != ";" && $0 != ":" && $0 != "," }
            #expect(found.allSatisfy { $0.text.hasPrefix(first) }, "\(verb): \(text)")
        }
    }

    @Test func a_verb_without_targets_writes_its_table_and_its_results() throws {
        let rig = try RigProgram()
        let out = "\(rig.directory)/out"
        let line = ["lab", "codec", "--rounds", "1", "--quiet", "--out", out]
        #expect(try rig.run(line).stdout == "")
        let table = String(decoding: try Files.read("\(out)/codec.txt"), as: UTF8.self)
        #expect(table.contains("mean"), "\(table)")
        let json = try JSONParser.parse(try Files.read("\(out)/codec.json")).value
        #expect(json.object?.members.isEmpty == false)
        let again = try rig.run(line, replacesRuns: false)
        #expect(again.exitCode == 73 && again.stderr.contains("holds an earlier run (codec.json)"))
        let forced = try rig.run(line + ["--force"])
        let report = try JSONParser.parse(try Files.read("\(out)/codec.json")).value
        // The programs of the tests are debug builds, which evaluate no goal.
        #expect(report["meets_goals"] == .bool(false) && forced.exitCode == 0)
    }

    @Test func rounds_are_repetitions_everywhere() {
        let found = Self.help(of: "rounds")
        #expect(found.count >= 4)
        for (verb, text) in found {
            #expect(text.hasPrefix("How often the measurement is repeated. "), "\(verb)")
        }
    }

    @Test(arguments: [
        "explore --seeds 1..2", "explore --seed 7", "explore --mutant list", "lab codec --rounds 1",
        "lab crash states --family accept --states 20", "profiles", "profiles edge", "doctor",
        "lab baseline --profile 5g --cell change --trials 20",
    ])
    func json_is_all_that_a_quiet_verb_prints(line: String) throws {
        let rig = try RigProgram()
        let words = line.split(separator: " ").map(String.init)
        let quiet = try rig.run(words + ["--json", "--quiet"])
        #expect(quiet.stderr == "")
        _ = try JSONParser.parse(quiet.stdout)
        #expect(try rig.run(words + ["--quiet"]).stdout == "")
        let both = try rig.run(words + ["--json"])
        _ = try JSONParser.parse(both.stdout)
        #expect(both.stderr != "")
    }
}
