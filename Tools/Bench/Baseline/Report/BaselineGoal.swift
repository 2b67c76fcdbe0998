import ControlProtocol
package import Reports

/// A number that a cell is evaluated by, with the most or the least it may be.
package struct BaselineGoal: Sendable {
    /// The number's name: `p99 / ideal`.
    package var name: String
    /// The number; nil where there are too few trials for it, or nothing to set them beside.
    package var actual: Double?
    /// The most it may be, or the least; see ``isLeast``.
    package var bound: Double
    /// The hard limit, where it differs from the bound.
    package var hardLimit: Double?
    /// Whether the bound is the least, not the most.
    package var isLeast = false
    /// The best that physics allows for this number, where it can miss the bound, too.
    package var baseline: Double?
    /// The unit, where the number is no ratio.
    package var unit = ""
    /// How many trials the number needs.
    package var needs = 1
    /// How many there are.
    package var count = 1
    /// Whether the ideal never ended, which no ideal may: the measuring is at fault.
    package var hasEndlessIdeal = false

    /// The outcome.
    package var status: Status {
        if hasEndlessIdeal { return .fail }
        guard let actual else { return count == 0 ? .noData : .few }
        if reaches(bound, actual) { return .pass }
        if let hardLimit, reaches(hardLimit, actual) { return .warn }
        return .fail
    }

    /// Whether physics itself misses the bound.
    package var isForbidden: Bool { baseline.map { !reaches(bound, $0) } ?? false }

    /// Whether it counts as missed. A number of too few trials has not reached its goal.
    package var isMissed: Bool {
        if hasEndlessIdeal { return true }
        return switch status {
        case .fail: !isForbidden
        case .few, .noData: true
        default: false
        }
    }

    private func reaches(_ bound: Double, _ number: Double) -> Bool {
        isLeast ? number >= bound : number <= bound
    }

    /// Heads of the columns of ``cells``.
    static let heads = ["Goal", "Bound", "Max", "Actual", "Baseline", "Status"]

    /// The goal as people read it, behind the name of its cell.
    var cells: [String] {
        [
            name, (isLeast ? ">= " : "<= ") + text(bound), hardLimit.map(text) ?? "-",
            actual.map(text) ?? "-", baseline.map(text) ?? "-",
            status.rawValue + remark,
        ]
    }

    private var remark: String {
        if hasEndlessIdeal { return " (the ideal never ends)" }
        switch status {
        case .few: return " (\(count) of \(needs))"
        case .pass: return ""
        default: return isForbidden ? " (the lower bound forbids it)" : ""
        }
    }

    private func text(_ number: Double) -> String {
        guard number.isFinite else { return "never" }
        return unit.isEmpty
            ? Decimals.fixed(number, decimals: 3) : Decimals.table(number) + " " + unit
    }
}
