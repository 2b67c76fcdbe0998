import CommandLine
import ControlProtocol
import Foundation
import NetworkEmulation
import Simulation
import Testing
import WatchProtoCore

@testable import Scenarios

/// The valid contents of a file of a scenario, and the faults of the rest.
@Suite struct ReaderTests {
    private static func faults(_ text: String) -> [String] {
        do {
            _ = try ScenarioFile.read(Array(text.utf8))
            return []
        } catch {
            return error.faults.map { "\($0.position.line): \($0.message)" }
        }
    }

    @Test func a_whole_file_is_read() throws {
        let plan = try Support.plan(
            """
            {"at": "0s", "take": 2, "count": 3, "every": "100ms"},
            {"at": "100ms", "link": {"profile": "edge", "loss": "20%"}},
            {"at": "1s", "kill": "watch", "for": "500ms"},
            {"at": "2s", "link": "down"}, {"at": "3s", "link": "up"}
            """,
            #"{"taps_within": "1s", "of": "max", "counted_from": "clear"}, "#
                + #"{"reachable": false, "on": "phone", "at": "5s"}"#,
            #""seed": 7, "records": {"medications": 3}, "link": "ble", "settle": "2s""#)
        #expect(plan.seed == 7 && plan.medications == 3 && plan.settle == .seconds(2))
        #expect(plan.link == NetworkConditions(.named("ble")!))
        #expect(
            plan.steps.map(\.words) == [
                "tap on medication 2", "tap on medication 3", "link edge", "tap on medication 1",
                "kill of the watch", "link down", "link up",
            ])
        #expect(plan.lastMoment == .seconds(5))
        #expect(
            plan.hindrances == [
                Duration.seconds(1)..<Duration.milliseconds(1500),
                Duration.seconds(2)..<Duration.seconds(3),
            ])
        guard case .link(let conditions) = plan.steps[2].act else { return }
        #expect(conditions.up.options.loss == 0.2)
    }

    static let wrong: [(steps: String, fault: String)] = [
        (#"{"take": 1}"#, "steps[0]: there is no 'at', must be a time, as \"2s\""),
        (
            #"{"at": "2", "take": 1}"#,
            "steps[0].at is \"2\": a unit is needed (ns, us, ms, s, min or h)"
        ),
        (
            #"{"at": 2, "take": 1}"#,
            "steps[0].at is 2, must be a text with its unit, as \"500ms\""
        ),
        (
            #"{"at": "2s", "take": 1}, {"at": "1s", "take": 1}"#,
            "steps[1].at is 1 s, must not be before the step above it, at 2 s"
        ),
        (#"{"at": "2s", "tkae": 1}"#, "steps[0]: unknown key 'tkae', did you mean 'take'?"),
        (
            #"{"at": "2s"}"#,
            "steps[0] does nothing, must do one of change, remove, take, skip, face, sync, link, "
                + "kill, "
                + "restart, freeze, airplane, back_up, restore"
        ),
        (
            #"{"at": "2s", "take": 1, "change": 1}"#,
            "steps[0] does 'take' and 'change', must do one of change, remove, take, skip, face, "
                + "sync, "
                + "link, kill, restart, freeze, airplane, back_up, restore"
        ),
        (
            #"{"at": "2s", "take": 2}"#,
            "steps[0].take is 2, must be a whole number, 1 to 1: the scenario has 1 medication; "
                + "'records' sets how many"
        ),
        (
            #"{"at": "2s", "kill": "wach", "for": "1s"}"#,
            "steps[0].kill is \"wach\", must be \"phone\" or \"watch\""
        ),
        (
            #"{"at": "2s", "kill": "watch"}"#,
            "steps[0]: there is no 'for', must be a time: for how long the kill lasts"
        ),
        (
            #"{"at": "2s", "take": 1, "for": "1s"}"#,
            "steps[0].for does not go with 'take', which lasts no time"
        ),
        (
            #"{"at": "2s", "face": "a", "count": 2}"#,
            "steps[0].count does not go with 'face', only with 'change', 'take' and 'skip'"
        ),
        (
            #"{"at": "2s", "take": 1, "every": "1s"}"#,
            "steps[0].every needs a 'count' above 1"
        ),
        (#"{"at": "2s", "link": "edgy"}"#, "steps[0].link is \"edgy\", did you mean 'edge'?"),
        (
            #"{"at": "2s", "link": {"loss": "120%"}}"#,
            "steps[0].link: loss is 120%, must be 0% to 100%"
        ),
        (#"{"at": "2s", "link": "up"}"#, "steps[0]: the link is up already"),
        (
            #"{"at": "1s", "face": "a"}, {"at": "2s", "face": "a"}"#,
            "steps[1].face is \"a\", which steps[0] says already, must be a new text: else nobody "
                + "can tell which is shown"
        ),
        (
            #"{"at": "1s", "kill": "watch", "for": "1s"}, {"at": "1500ms", "take": 1}"#,
            "steps[1]: the watch is away from 1 s to 2 s (steps[0]), and tap on medication 1 comes "
                + "at 1.5 s"
        ),
        (
            #"{"at": "1s", "restore": "phone", "for": "1s"}"#,
            "steps[0]: there is no backup of the phone yet, 'back_up' must come first"
        ),
        (
            #"{"at": "1s", "remove": 1}"#,
            "steps[0]: the last medication must stay: without one nobody can tap"
        ),
    ]

    @Test(arguments: wrong) func a_wrong_step_is_told(steps: String, fault: String) {
        #expect(Self.faults(Support.file(steps)) == ["5: \(fault)"])
    }

    static let wrongExpectations: [(expect: String, fault: String)] = [
        (#"{"tabs": "once"}"#, "expect[0]: unknown key 'tabs', did you mean 'taps'?"),
        (#"{"taps": "twice"}"#, "expect[0].taps is \"twice\", must be \"once\""),
        (
            #"{"taps": "once", "at": "1s"}"#,
            "expect[0]: unknown key 'at', expected one of taps"
        ),
        (
            #"{"taps_within": "1"}"#,
            "expect[0].taps_within is \"1\": a unit is needed (ns, us, ms, s, min or h)"
        ),
        (
            #"{"taps_within": "1s", "of": "p99"}"#,
            "expect[0].of is p99, which needs 1000 taps, and the steps make 1; \"max\" needs one"
        ),
        (
            #"{"taps_within": "1s", "of": "p42"}"#,
            "expect[0].of is \"p42\", must be \"max\" or one of \"p50\", \"p90\", \"p95\", \"p99\""
        ),
        (
            #"{"changes_within": "1s"}"#,
            "expect[0].changes_within speaks of changes, and no step makes any"
        ),
        (
            #"{"taps_within": "1s", "counted_from": "link"}"#,
            "expect[0].counted_from is \"link\", must be \"act\" or \"clear\""
        ),
        (#"{"face": "a"}"#, "expect[0].face is \"a\", which no step gives the face"),
        (#"{"face_age": "1s"}"#, "expect[0]: there is no 'at', 'face_age' needs it"),
        (
            #"{"reachable": "no", "on": "watch", "at": "1s"}"#,
            "expect[0].reachable is \"no\", must be true or false"
        ),
        (
            #"{"told": "wentback", "on": "watch"}"#,
            "expect[0].told is \"wentback\", did you mean 'went_back'?"
        ),
        (
            "{}",
            "expect[0] expects nothing, must expect one of "
                + ScenarioReader.kinds.joined(separator: ", ")
        ),
    ]

    @Test(arguments: wrongExpectations)
    func a_wrong_expectation_is_told(expect: String, fault: String) {
        let text = Support.file(#"{"at": "1s", "take": 1}"#, expect)
        #expect(Self.faults(text) == ["6: \(fault)"])
    }

    /// Expectations that would hold whatever the devices did.
    static let idle: [(steps: String, expect: String, fault: String)] = [
        (
            #"{"at": "1s", "face": "a"}"#, #"{"taps": "once"}"#,
            "taps speaks of taps, and no step makes any: add a 'take' or a 'skip', or leave it out"
        ),
        (
            #"{"at": "1s", "face": "a"}"#, #"{"lists": "equal"}"#,
            "lists speaks of lists that are equal from the begin, and no step touches them: add a "
                + "'change', 'remove', 'sync', 'kill', 'restart' or 'restore', or leave it out"
        ),
        (
            #"{"at": "1s", "link": "edge"}"#, #"{"under_way": "nothing"}"#,
            "under_way speaks of records, and no step makes any: add a 'change', 'remove', 'take', "
                + "'skip', 'face', 'sync' or 'restore', or leave it out"
        ),
        (
            #"{"at": "1s", "take": 1}"#, #"{"face_age": "0s", "at": "2s"}"#,
            "face_age speaks of the face at 2 s, and no step gives it a text by then"
        ),
        (
            #"{"at": "5s", "face": "a"}"#, #"{"face_age": "0s", "at": "1s"}"#,
            "face_age speaks of the face at 1 s, and no step gives it a text by then: the first "
                + "comes at 5 s"
        ),
        (
            #"{"at": "5s", "face": "a"}"#, #"{"face": "a", "at": "1s"}"#,
            "face is expected at 1 s, and the text is given at 5 s"
        ),
        (
            #"{"at": "1s", "kill": "watch", "for": "3s"}"#,
            #"{"reachable": false, "on": "watch", "at": "2s"}"#,
            "reachable asks the watch at 2 s, which tells nobody anything from 1 s to 4 s "
                + "(steps[0]): ask the phone, or at another moment"
        ),
    ]

    @Test(arguments: idle)
    func what_nothing_can_touch_is_told(steps: String, expect: String, fault: String) {
        #expect(Self.faults(Support.file(steps, expect)) == ["6: expect[0].\(fault)"])
    }

    @Test(arguments: [
        (#"{"at": "1s", "kill": "watch", "for": "3s"}"#, #"{"lists": "equal"}"#),
        (#"{"at": "1s", "face": "a"}"#, #"{"face_age": "0s", "at": "1s"}"#),
        (
            #"{"at": "1s", "kill": "watch", "for": "3s"}"#,
            #"{"reachable": false, "on": "phone", "at": "2s"}"#
        ),
        (
            #"{"at": "1s", "airplane": "watch", "for": "3s"}"#,
            #"{"reachable": false, "on": "watch", "at": "2s"}"#
        ),
    ])
    func what_something_touches_is_read(steps: String, expect: String) {
        #expect(Self.faults(Support.file(steps, expect)) == [])
    }

    @Test func all_faults_are_told_at_once() {
        let text = """
            {
              "format": "watchproto.scenario/2",
              "name": "", "titel": "t", "title": "t",
              "seed": -1, "records": {"medications": 0, "on_wrist": true},
              "settle": "2h", "steps": [], "expect": 3
            }
            """
        #expect(
            Self.faults(text) == [
                "1: the file lacks 'why'; a scenario has format (watchproto.scenario/1), name, "
                    + "title, "
                    + "why, steps and expect",
                "2: format is \"watchproto.scenario/2\", must be \"watchproto.scenario/1\"",
                "3: name is \"\", must be a text",
                "3: unknown key 'titel', did you mean 'title'?",
                "4: seed is -1, must be a whole number from 0",
                "4: records.medications is 0, must be a whole number, 1 to 1000",
                "4: records: unknown key 'on_wrist', expected one of medications, on_watch",
                "5: settle is \"2h\", must be 0 ns to 10 min",
                "5: steps is [], must be an array of steps",
                "5: expect is 3, must be an array of expectations",
            ])
    }

    @Test func what_is_no_json_is_told_as_such() {
        #expect(Self.faults("{\"format\": }") == ["1: expected a value, found '}'"])
        #expect(Self.faults("[]") == ["1: the file is an array, must be an object"])
    }

    @Test func a_tap_needs_a_list() {
        let text = Support.file(
            #"{"at": "1s", "take": 1}, {"at": "2s", "sync": true}"#, #"{"taps": "once"}"#,
            #""records": {"medications": 1, "on_watch": false}"#)
        #expect(
            Self.faults(text) == [
                "5: steps[0]: the watch has no list yet (records.on_watch is false), a 'sync' must "
                    + "come first"
            ])
    }
}
