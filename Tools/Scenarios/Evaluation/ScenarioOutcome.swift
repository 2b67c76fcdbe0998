package import CommandLine
import ControlProtocol
package import Reports
import WatchProtoCore

/// The kind of time in which a scenario is performed.
package enum ScenarioClock: String, Hashable, Sendable, CaseIterable {
    /// Processes, and the clock on the wall.
    case real
    /// The world, and a clock that jumps from event to event.
    case virtual
}

/// A scenario that was performed and evaluated.
package struct ScenarioOutcome: Sendable {
    /// The performed scenario.
    package var plan: ScenarioPlan
    /// In which time.
    package var clock: ScenarioClock
    /// The observation.
    package var record: ScenarioRecord
    /// The verdict on each expectation.
    package var verdicts: [ScenarioVerdict]
    /// How long things took.
    package var latencies: [LatencySeries]

    /// Evaluates `record`.
    package init(_ plan: ScenarioPlan, _ clock: ScenarioClock, _ record: ScenarioRecord) {
        self.plan = plan
        self.clock = clock
        self.record = record
        let evaluate = ScenarioEvaluator(plan, record)
        verdicts = evaluate.verdicts
        latencies = evaluate.latencies
    }

    /// The verdicts on expectations that do not hold.
    package var failed: [ScenarioVerdict] { verdicts.filter { !$0.holds } }

    /// A row for the whole scenario: how many expectations failed.
    package var row: (target: Target, measurement: Measurement) {
        let seconds = Decimals.fixed(
            Double(record.duration.nanosecondsClamped) / 1e9, decimals: 1)
        let held = "\(verdicts.count - failed.count) of \(verdicts.count) hold, \(seconds) s"
        let first = failed.first.map { "; \($0.target.heading): \($0.seen)" } ?? ""
        return (
            Target.expectation(
                "run.\(plan.name).\(clock.rawValue)", "\(plan.name), \(clock.rawValue) time",
                .count, .exactly, goal: 0),
            Measurement(Double(failed.count), remark: held + first)
        )
    }

    /// The failure for the end of the run; nil when everything holds.
    package func failure(repeatedBy command: String) -> RigFailure? {
        guard !failed.isEmpty else { return nil }
        return RigFailure(
            .assertionFailed,
            "'\(plan.name)' does not hold in \(clock.rawValue) time: \(failed.count) of "
                + "\(Counted.words(verdicts.count, "expectation")) failed.",
            details: failed.map(\.sentence) + ["Repeat: \(command)"])
    }
}
