import CommandLine
import Reports
import Testing
import WatchProtoCore

@testable import Scenarios

/// The evaluator is shown courses with faults planted in them, and must name each.
@Suite struct EvaluationTests {
    /// Every kind of expectation, over two taps, three changes and two faces.
    static func plan() throws -> ScenarioPlan {
        try Support.plan(
            """
            {"at": "0s", "face": "one"}, {"at": "1s", "take": 1}, {"at": "1s", "change": 2},
            {"at": "2s", "link": "down"}, {"at": "2500ms", "take": 2},
            {"at": "2500ms", "change": 2},
            {"at": "3s", "link": "up"}, {"at": "4s", "remove": 3}, {"at": "4s", "face": "two"}
            """,
            """
            {"taps": "once"}, {"lists": "equal"}, {"under_way": "nothing"}, {"errors": "none"},
            {"changes_within": "100ms", "counted_from": "clear"}, {"taps_within": "600ms"},
            {"faces_within": "100ms"}, {"face_age": "500ms", "at": "4500ms"},
            {"face": "two", "at": "4500ms"}, {"reachable": false, "on": "watch", "at": "2900ms"},
            {"told": "restarted", "on": "phone"}
            """, #""records": {"medications": 3}"#)
    }

    static func ms(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

    /// A course in which all of them hold.
    static var good: ScenarioRecord {
        var record = ScenarioRecord()
        record.observations = [
            Observation(ms(0), .reachable(.watch, true)), Observation(ms(0), .faceSet("one")),
            Observation(ms(20), .faceShown("one")),
            Observation(ms(1000), .tapped("a", medication: 1)),
            Observation(ms(1000), .changed(2, revision: 5)), Observation(ms(1020), .counted("a")),
            Observation(ms(1050), .visible(2, revision: 5)),
            Observation(ms(2500), .tapped("b", medication: 2)),
            Observation(ms(2500), .changed(2, revision: 6)),
            Observation(ms(2800), .reachable(.watch, false)),
            Observation(ms(3050), .reachable(.watch, true)),
            Observation(ms(3060), .told(.phone, "restarted")),
            Observation(ms(3080), .counted("b")), Observation(ms(3090), .visible(2, revision: 6)),
            Observation(ms(4000), .changed(3, revision: nil)),
            Observation(ms(4000), .faceSet("two")), Observation(ms(4030), .faceShown("two")),
            Observation(ms(4040), .visible(3, revision: nil)),
        ]
        record.ending.at = ms(6000)
        record.ending.counted = ["a": 1, "b": 1]
        record.ending.phoneList = .init(count: 2, digest: "d")
        record.ending.watchList = .init(count: 2, digest: "d")
        record.ending.underWay = [.phone: 0, .watch: 0]
        return record
    }

    private static func verdicts(_ record: ScenarioRecord) throws -> [ScenarioVerdict] {
        ScenarioEvaluator(try plan(), record).verdicts
    }

    @Test func a_good_course_holds() throws {
        let verdicts = try Self.verdicts(Self.good)
        for verdict in verdicts { #expect(verdict.holds, "\(verdict.sentence)") }
        #expect(verdicts.count == 11)
    }

    /// A fault, which expectations it breaks, and what is said of the first.
    struct Fault: Sendable, CustomTestStringConvertible {
        var name: String
        var breaks: [Int]
        var sentence: String
        var plant: @Sendable (inout ScenarioRecord) -> Void
        var testDescription: String { name }
    }

    static let faults: [Fault] = [
        Fault(
            name: "a lost tap", breaks: [0, 5],
            sentence: "taps counted once: expected 2 taps, each counted once; seen 1 counted once, "
                + "1 lost; the first is the tap on medication 2, at 2.5 s"
        ) { record in
            record.ending.counted["b"] = nil
            record.observations.removeAll { $0.what == .counted("b") }
        },
        Fault(
            name: "a tap counted twice", breaks: [0],
            sentence: "taps counted once: expected 2 taps, each counted once; seen 1 counted once, "
                + "1 counted more than once; the first is the tap on medication 1, at 1 s"
        ) { $0.ending.counted["a"] = 2 },
        Fault(
            name: "a tap that nobody made", breaks: [0],
            sentence: "taps counted once: expected 2 taps, each counted once; seen 2 counted once, "
                + "1 that nobody made"
        ) { $0.ending.counted["c"] = 1 },
        Fault(
            name: "a tap that the watch did not confirm", breaks: [0, 5],
            sentence: "taps counted once: expected 2 taps, each counted once; seen 1 counted once, "
                + "1 not confirmed"
        ) { record in
            record.observations.removeAll {
                $0.what == .tapped("b", medication: 2) || $0.what == .counted("b")
            }
            record.ending.counted["b"] = nil
        },
        Fault(
            name: "another list", breaks: [1],
            sentence: "lists equal in the end: expected equal lists; seen 2 on both, with "
                + "different "
                + "contents, at 6 s"
        ) { $0.ending.watchList.digest = "e" },
        Fault(
            name: "a list too long", breaks: [1],
            sentence: "lists equal in the end: expected equal lists; seen 2 on the phone, 3 on the "
                + "watch, at 6 s"
        ) { $0.ending.watchList.count = 3 },
        Fault(
            name: "a record under way", breaks: [2],
            sentence: "under way in the end: expected nothing under way; seen 0 on the phone, 1 on "
                + "the watch, at 6 s"
        ) { $0.ending.underWay[.watch] = 1 },
        Fault(
            name: "an error", breaks: [3],
            sentence: "errors told: expected no error; seen 1, the first of the phone: queue_full, "
                + "at 1.5 s"
        ) { $0.observations.append(Observation(ms(1500), .trouble(.phone, "queue_full"))) },
        Fault(
            name: "a late change", breaks: [4],
            sentence: "change on the watch, way clear, longest: expected each of 3 within 100 ms "
                + "of a clear way; seen 300 ms, change of medication 2, at 2.5 s"
        ) { $0.move(.visible(2, revision: 6), to: ms(3300)) },
        Fault(
            name: "a change that never came", breaks: [4],
            sentence: "change on the watch, way clear, longest: expected each of 3 within 100 ms "
                + "of a clear way; seen 1 of 3 never seen, the first a removal of "
                + "medication 3, at 4 s"
        ) { $0.observations.removeAll { $0.what == .visible(3, revision: nil) } },
        Fault(
            name: "a change that was not made", breaks: [4],
            sentence: "change on the watch, way clear, longest: expected each of 3 within 100 ms "
                + "of a clear way; seen 1 of 3 never seen, the first a removal of "
                + "medication 3"
        ) { $0.observations.removeAll { $0.what == .changed(3, revision: nil) } },
        Fault(
            name: "an older revision", breaks: [4],
            sentence: "change on the watch, way clear, longest: expected each of 3 within 100 ms "
                + "of a clear way; seen 1 of 3 never seen, the first a change of "
                + "medication 2, at 2.5 s"
        ) { record in
            for index in record.observations.indices
            where record.observations[index].what == .visible(2, revision: 6) {
                record.observations[index].what = .visible(2, revision: 5)
            }
        },
        Fault(
            name: "a late tap", breaks: [5],
            sentence: "tap on the phone, longest: expected each of 2 within 600 ms from the act; "
                + "seen "
                + "700 ms, tap on medication 1, at 1 s"
        ) { $0.move(.counted("a"), to: ms(1700)) },
        Fault(
            name: "a stale face", breaks: [6, 7, 8],
            sentence: "face shown, longest: expected each of 2 within 100 ms from the act; seen 1 "
                + "of "
                + "2 never seen, the first a face 'two', at 4 s"
        ) { record in
            record.observations.removeAll { $0.what == .faceShown("two") }
            // As much behind as is allowed is not yet too much: half a millisecond more.
            record.move(.faceSet("two"), to: .microseconds(3_999_500))
        },
        Fault(
            name: "a user who was not told", breaks: [9],
            sentence: "watch says unreachable at 2.9 s: expected the watch to call the other "
                + "unreachable; seen reachable, at 2.9 s"
        ) { $0.observations.removeAll { $0.what == .reachable(.watch, false) } },
        Fault(
            name: "a word not told", breaks: [10],
            sentence: "phone tells restarted: expected the phone to tell restarted; seen first"
        ) { record in
            for index in record.observations.indices
            where record.observations[index].what == .told(.phone, "restarted") {
                record.observations[index].what = .told(.phone, "first")
            }
        },
    ]

    @Test(arguments: faults) func a_planted_fault_is_found(fault: Fault) throws {
        var record = Self.good
        fault.plant(&record)
        record.observations.sort { $0.at < $1.at }
        let verdicts = try Self.verdicts(record)
        #expect(verdicts.indices.filter { !verdicts[$0].holds } == fault.breaks)
        let first = try #require(fault.breaks.first)
        let sentence = verdicts[first].sentence
        // The moment of what was never made is not known.
        #expect(sentence == fault.sentence)
    }

    @Test func every_kind_has_a_fault() {
        #expect(Set(Self.faults.flatMap(\.breaks)) == Set(0..<11))
    }

    @Test func a_device_that_is_off_tells_its_user_nothing() throws {
        var record = Self.good
        record.observations.removeAll { $0.what == .reachable(.watch, false) }
        record.observations.append(Observation(Self.ms(2850), .running(.watch, false)))
        record.observations.sort { $0.at < $1.at }
        let off = try Self.verdicts(record)[9]
        #expect(
            off.sentence
                == "watch says unreachable at 2.9 s: expected the watch to call the other "
                + "unreachable; seen not running since 2.85 s, at 2.9 s")
        #expect(!off.holds)
        // Once it runs again, it reaches nobody yet.
        record.observations.append(Observation(Self.ms(2880), .running(.watch, true)))
        record.observations.sort { $0.at < $1.at }
        #expect(try Self.verdicts(record)[9].holds)
    }

    @Test func a_face_without_a_text_has_no_age() throws {
        var record = Self.good
        record.observations.removeAll { $0.what == .faceSet("one") || $0.what == .faceSet("two") }
        let verdict = try Self.verdicts(record)[7]
        #expect(!verdict.holds)
        #expect(verdict.target.status(of: verdict.measurement) == .noData)
        #expect(
            verdict.sentence
                == "face behind at 4.5 s: expected a face that is at most 500 ms behind; seen no "
                + "text that the phone gave it by then, at 4.5 s")
    }

    /// Time counts wherever no hindrance stands, before it and between two of them.
    @Test func a_hindrance_forgives_its_own_time_alone() throws {
        let plan = try Support.plan(
            """
            {"at": "1s", "take": 1}, {"at": "3s", "link": "down"},
            {"at": "4s", "freeze": "phone", "for": "2s"}, {"at": "5s", "link": "up"},
            {"at": "8s", "airplane": "watch", "for": "1s"}
            """,
            #"{"taps_within": "5s", "counted_from": "clear"}, "#
                + #"{"taps_within": "4s", "counted_from": "clear"}"#)
        var record = ScenarioRecord()
        record.observations = [
            Observation(Self.ms(1000), .tapped("a", medication: 1)),
            Observation(Self.ms(9500), .counted("a")),
        ]
        let verdicts = ScenarioEvaluator(plan, record).verdicts
        // 1 to 3, 6 to 8 and 9 to 9.5.
        #expect(verdicts.map(\.holds) == [true, false])
        #expect(
            verdicts[1].sentence
                == "tap on the phone, way clear, longest: expected each of 1 within 4000 ms of "
                + "a clear way; seen 4500 ms, tap on medication 1, at 1 s")
    }

    @Test func a_percentile_forgives_what_it_leaves_out() throws {
        let plan = try Support.plan(
            #"{"at": "0s", "take": 1, "count": 20, "every": "10ms"}"#,
            #"{"taps_within": "50ms", "of": "p50"}, {"taps_within": "50ms"}"#)
        var record = ScenarioRecord()
        for number in 0..<20 {
            let at = Self.ms(10 * number)
            record.observations += [
                Observation(at, .tapped("\(number)", medication: 1)),
                Observation(at + Self.ms(number < 15 ? 40 : 90), .counted("\(number)")),
            ]
        }
        record.observations.sort { $0.at < $1.at }
        #expect(ScenarioEvaluator(plan, record).verdicts.map(\.holds) == [true, false])
        #expect(ScenarioEvaluator(plan, record).latencies.map(\.name) == ["taps"])
    }

    /// A watch that does not run shows nothing; one that is back shows what its store has.
    @Test func the_face_of_a_dead_watch_is_dark() throws {
        for (back, holds) in [(4600, false), (4400, true)] {
            var record = Self.good
            record.observations += [
                Observation(Self.ms(4200), .running(.watch, false)),
                Observation(Self.ms(back), .running(.watch, true)),
            ]
            let verdicts = try Self.verdicts(record)
            #expect(verdicts[7].holds == holds && verdicts[8].holds == holds, "\(back)")
        }
    }

    @Test func a_newer_face_is_as_good() throws {
        var record = Self.good
        record.observations.removeAll { $0.what == .faceShown("one") }
        record.move(.faceShown("two"), to: Self.ms(4010))
        let verdict = try Self.verdicts(record)[6]
        // The first was never shown, and the second came four seconds after it.
        #expect(verdict.seen == "4010 ms, face 'one'")
    }
}

extension ScenarioRecord {
    /// Lets something be seen at another moment.
    fileprivate mutating func move(_ what: Observation.What, to moment: Duration) {
        for index in observations.indices where observations[index].what == what {
            observations[index].at = moment
        }
    }
}
