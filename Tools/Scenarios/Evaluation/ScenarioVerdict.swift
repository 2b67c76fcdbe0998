package import Reports
import WatchProtoCore

/// The verdict on one expectation.
package struct ScenarioVerdict: Sendable {
    /// The expectation.
    package var expectation: Expectation
    /// The row of the report.
    package var target: Target
    /// The observation, as a number.
    package var measurement: Measurement
    /// The expectation, in words.
    package var expected: String
    /// The observation, in words.
    package var seen: String
    /// The moment in the scenario that tells most about it, where there is one.
    package var at: Duration?

    /// Whether it holds.
    package var holds: Bool { target.status(of: measurement) == .pass }

    /// `taps counted once: expected …; seen …, at 2.3 s`.
    package var sentence: String {
        let moment = at.map { ", at \(ScenarioEvaluator.seconds($0))" } ?? ""
        return "\(target.heading): expected \(expected); seen \(seen)\(moment)"
    }
}
