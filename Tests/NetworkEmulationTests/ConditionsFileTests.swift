import CommandLine
import Simulation
import Testing
import WatchProtoCore

@testable import NetworkEmulation

/// A link's network conditions as a file.
@Suite struct ConditionsFileTests {
    private static func refusal(_ text: String) -> ConditionsFile.Refusal? {
        do throws(ConditionsFile.Refusal) {
            _ = try ConditionsFile.read(Array(text.utf8), file: "profiles/car.json")
            return nil
        } catch {
            return error
        }
    }

    @Test func a_file_is_a_base_and_changes_wherever_they_stand() throws {
        let text = """
            {
              "format": "watchproto.link/1",
              "down": {"delay": "20ms", "blackout": "2s every 7s"},
              "loss": "1.5%",
              "burst": 3,
              "jitter-reorders": true,
              "one-way": true,
              "profile": "3g"
            }
            """
        let conditions = try ConditionsFile.read(Array(text.utf8), file: "profiles/car.json")
        var expected = NetworkConditions(try #require(LinkProfile.named("3g")), reading: .oneWay)
        expected.name = "car"
        expected.apply(
            try ConditionSettings("loss=1.5%,burst=3,jitter-reorders=yes"),
            down: try ConditionSettings("delay=20ms,blackout=2s every 7s"))
        #expect(conditions == expected)
        let named = try ConditionsFile.read(
            Array(#"{"format":"watchproto.link/1","name":"tunnel"}"#.utf8), file: "car.json")
        #expect(named.name == "tunnel")
    }

    @Test func all_faults_are_told_at_once_each_with_its_line_and_a_mark() throws {
        let text = """
            {
              "profile": "3gg",
              "rtt": 30,
              "delay": "1ms",
              "los": "2%",
              "up": {"rtt": "60ms", "burst": 0},
              "loss": "120%",
              "one-way": "yes", "down": [],
              "format": "watchproto.link/1"
            }
            """
        let refusal = try #require(Self.refusal(text))
        #expect(
            refusal.description(source: Array(text.utf8)) == """
                profiles/car.json:2:14: error: profile is 3gg, did you mean '3g'?
                  2 |   "profile": "3gg",
                                   ^^^^^
                profiles/car.json:3:10: error: rtt is 30, a unit is needed (ns, us, ms, s, min or h)
                  3 |   "rtt": 30,
                               ^^
                profiles/car.json:4:3: error: rtt and delay are both given
                  4 |   "delay": "1ms",
                        ^^^^^^^
                profiles/car.json:5:3: error: unknown key 'los', did you mean 'loss'?
                  5 |   "los": "2%",
                        ^^^^^
                profiles/car.json:6:10: error: rtt covers both directions; give this one its delay
                  6 |   "up": {"rtt": "60ms", "burst": 0},
                               ^^^^^
                profiles/car.json:6:34: error: burst is 0, must be a whole number, 1 to 10000
                  6 |   "up": {"rtt": "60ms", "burst": 0},
                                                       ^
                profiles/car.json:7:11: error: loss is 120%, must be 0% to 100%
                  7 |   "loss": "120%",
                                ^^^^^^
                profiles/car.json:8:14: error: one-way is yes, must be true or false
                  8 |   "one-way": "yes", "down": [],
                                   ^^^^^
                profiles/car.json:8:29: error: down is an array, must be an object
                  8 |   "one-way": "yes", "down": [],
                                                  ^^
                9 errors in 1 file; nothing was run.
                """)
    }

    @Test func what_is_no_json_is_told_with_its_other_faults() throws {
        let refusal = try #require(Self.refusal("{\n\"loss\": \"120%\"\n\"rtt\": \"1s\"}"))
        #expect(
            refusal.description == """
                profiles/car.json:2:9: error: loss is 120%, must be 0% to 100%
                profiles/car.json:3:1: error: expected ',' or '}', found '"'
                """)
        let word = Self.refusal(#"{"format": "watchproto.link/1", "profil": "3g"}"#)?
            .faults.first?.message
        #expect(word == "unknown key 'profil', did you mean 'profile'?")
        let nothing = Self.refusal(#"{"profile": "3g"}"#)
        #expect(
            nothing?.description
                == "profiles/car.json:1:1: error: the file lacks 'format', must be "
                + "\"watchproto.link/1\"")
        let other = Self.refusal(#"{"format": "x"}"#)?.faults.first?.message
        #expect(other == "format is x, must be \"watchproto.link/1\"")
        let array = Self.refusal("[1]")?.faults.first?.message
        #expect(array == "the file is an array, must be an object")
        #expect(Self.refusal("")?.faults.count == 1)
    }

    @Test func a_name_is_no_file_and_a_file_that_is_not_there_is_missing() {
        func failure(_ name: String) -> RigFailure? {
            do throws(RigFailure) {
                _ = try NetworkConditions.named(name)
                return nil
            } catch {
                return error
            }
        }
        #expect(failure("3g") == nil)
        let unknown = failure("egde")
        #expect(unknown?.exitCode == .usage)
        #expect(
            unknown?.description.hasPrefix(
                "Error: There is no profile 'egde'. Did you mean 'edge'?") == true)
        let missing = failure("nowhere/car.json")
        #expect(missing?.exitCode == .missingInput)
        #expect(
            missing?.message
                == "Cannot read the profile 'nowhere/car.json': No such file or directory.")
    }
}
