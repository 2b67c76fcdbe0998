import CommandLine
import ControlProtocol
import Reports
import Simulation
import Testing
import WatchProtoCore

@testable import Scenarios

/// The bundled scenarios, in virtual time; in real time some of it is run by the tests of the rig.
@Suite struct BundledScenarioTests {
    static let names = Support.bundled.names

    @Test func there_are_enough_and_each_is_another() throws {
        let plans = try Support.bundled.all()
        #expect(plans.count >= 12)
        #expect(plans.map(\.name) == Self.names)
        #expect(Set(plans.map(\.title)).count == plans.count)
        #expect(Set(plans.map(\.steps)).count == plans.count)
        for plan in plans {
            #expect(plan.lastMoment <= .seconds(10), "\(plan.name) is long")
            #expect(plan.expectations.count >= 3, "\(plan.name) expects little")
        }
    }

    @Test(arguments: names) func it_holds(name: String) throws {
        let plan = try BundledScenarios.plan(name, in: Support.bundled)
        let outcome = try Support.virtual(plan)
        for verdict in outcome.failed { Issue.record("\(name): \(verdict.sentence)") }
        // An expectation about nothing would hold, too.
        let made = outcome.record.observations.count { one in
            switch one.what {
            case .tapped, .changed, .faceSet: true
            default: false
            }
        }
        let planned = Expectation.Subject.allCases.map { plan.count(of: $0) }.reduce(0, +)
        #expect(made == planned)
    }

    /// Seed 8 of the crowded train is among them: there thirteen taps once waited for one.
    @Test(arguments: [1, 2, 3, 5, 8, 13, 21, 34] as [UInt64])
    func every_seed_will_do(seed: UInt64) throws {
        for var plan in try Support.bundled.all() {
            plan.seed = seed
            let outcome = try Support.virtual(plan)
            let told = outcome.failed.map { "\(plan.name), seed \(seed): \($0.sentence)" }
            for sentence in told { Issue.record("\(sentence)") }
        }
    }

    @Test func the_same_seed_is_the_same_course() throws {
        let plan = try BundledScenarios.plan("crowded-train", in: Support.bundled)
        let (one, two) = (try Support.virtual(plan), try Support.virtual(plan))
        #expect(one.record.observations == two.record.observations)
        #expect(one.record.ending == two.record.ending)
        var other = plan
        other.seed += 1
        #expect(try Support.virtual(other).record.observations != one.record.observations)
    }

    private static let mistakes: [(String, PlantedMistake, [String])] = [
        (
            "morning-rush", .environment(.swallowDelivery),
            ["taps", "errors", "taps-within"]
        ),
        ("morning-rush", .environment(.deliverTwice), ["taps", "errors"]),
        ("doctor-visit", .environment(.swallowRemoval), ["lists"]),
    ]

    /// Mistakes of a host between the peer and its application, and which expectations tell them.
    @Test(arguments: mistakes)
    func a_planted_mistake_is_told(
        name: String, mistake: PlantedMistake, kinds: [String]
    ) throws {
        let plan = try BundledScenarios.plan(name, in: Support.bundled)
        let outcome = try Support.virtual(plan, mistake)
        let failed = outcome.failed.map { $0.target.id.split(separator: ".").last.map(String.init) }
        #expect(failed == kinds, "\(outcome.failed.map(\.sentence))")
    }

    @Test func the_reboot_comes_in_the_middle_of_the_transfer() throws {
        let plan = try BundledScenarios.plan("watch-reboots-mid-transfer", in: Support.bundled)
        let observations = try Support.virtual(plan).record.observations
        let end = try #require(
            observations.first { $0.what == .running(.watch, false) && $0.at > .zero })
        let before = observations.count { one in
            if case .visible = one.what { one.at < end.at } else { false }
        }
        #expect(before > 0 && before < plan.medications, "\(before)")
    }

    @Test func what_cannot_be_fails() throws {
        let plan = try Support.plan(
            #"{"at": "1s", "take": 1}, {"at": "2s", "change": 1}"#,
            #"{"taps": "once"}, {"taps_within": "100ms"}, {"changes_within": "100ms"}"#,
            #""link": "edge""#)
        let outcome = try Support.virtual(plan)
        #expect(outcome.verdicts.map(\.holds) == [true, false, false])
        let failure = try #require(outcome.failure(repeatedBy: "rig run own"))
        #expect(failure.exitCode == .assertionFailed)
        #expect(
            failure.message
                == "'own' does not hold in virtual time: 2 of 3 expectations failed.")
        #expect(failure.details.last == "Repeat: rig run own")
        #expect(
            failure.details[0].hasPrefix(
                "tap on the phone, longest: expected each of 1 within 100 ms from the act; seen "))
        #expect(failure.details[0].hasSuffix(" ms, tap on medication 1, at 1 s"))
    }

    @Test func a_link_that_never_comes_back_is_told() throws {
        let plan = try Support.plan(
            #"{"at": "1s", "link": "down"}, {"at": "2s", "take": 1}"#,
            #"{"taps": "once"}, {"under_way": "nothing"}, "#
                + #"{"taps_within": "1s", "counted_from": "clear"}, {"errors": "none"}"#,
            #""settle": "2s""#)
        let outcome = try Support.virtual(plan)
        #expect(outcome.verdicts.map(\.holds) == [false, false, false, true])
        #expect(outcome.failed.first?.seen.hasPrefix("0 counted once, 1 lost") == true)
    }

    @Test func a_name_is_guessed() {
        func complaint(_ name: String) -> String {
            do {
                _ = try BundledScenarios.plan(name, in: Support.bundled)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(
            complaint("gim").hasPrefix("Error: There is no scenario 'gim'. Did you mean 'gym'?\n"))
        #expect(
            complaint("holiday").hasPrefix(
                "Error: There is no scenario 'holiday'.\n  Scenarios: airplane-mode, "))
    }
}
