import ControlKit
import RigKit

extension FloorRow {
    /// Heads of the columns of ``cells(_:)``.
    public static let heads = [
        "Cell", "n", "ours p50", "p90", "p99 ms", "ideal p50", "p90", "p99 ms", "ratio p50", "p90",
        "p99", "limit ms", "cost", "packets", "wakes", "goals",
    ]

    /// The row as people read it.
    public func cells() -> [String] {
        var cells = [cell.title, "\(samples.ours.count)"]
        cells += Self.percentiles.map { Self.text(samples.ours, $0) }
        cells += Self.percentiles.map { Self.text(samples.ideal, $0) }
        cells += Self.percentiles.map { Self.text(ratio($0)) }
        cells.append(Self.text(samples.limit, .p50))
        let trials = Double(max(1, samples.ours.count))
        let packets = samples.tallies.map { Decimals.table(Double($0.packets) / trials) }
        let wakes = samples.tallies.map { Decimals.table(Double($0.wakes) / trials) }
        cells.append(Decimals.fixed(cost, decimals: 2) + "x")
        cells.append(packets.joined(separator: "+"))
        cells.append(wakes.joined(separator: "+"))
        var notes = goals.map(Self.text)
        if samples.unfinished > 0 { notes.append("\(samples.unfinished) never ended") }
        if samples.repeated > 0 { notes.append("\(samples.repeated) twice") }
        if samples.busyLines > 0 { notes.append("\(samples.busyLines) on a busy line") }
        cells.append(notes.joined(separator: ", "))
        return cells
    }

    private static func text(_ goal: FloorGoal) -> String {
        let mark = goal.isLeast ? ">=" : "<="
        let actual = goal.actual.map { Decimals.fixed($0, decimals: 3) } ?? "-"
        let ideal = goal.ofIdeal.map { " ideal \(Decimals.fixed($0, decimals: 3))" } ?? ""
        let forbidden = goal.isForbidden && goal.status == .fail ? " (physics)" : ""
        return "\(goal.name) \(actual)\(mark)\(Decimals.shortest(goal.bound, decimals: 3))\(ideal) "
            + goal.status.rawValue + forbidden
    }

    static func text(_ samples: [UInt64], _ percentile: Percentile) -> String {
        guard let value = percentile.value(of: samples) else { return "-" }
        return value == FloorSamples.never ? "never" : Decimals.table(Double(value) / 1e6)
    }

    private static func text(_ ratio: Double?) -> String {
        guard let ratio else { return "-" }
        return ratio.isFinite ? Decimals.fixed(ratio, decimals: 3) : "inf"
    }
}

/// Lines of columns, the first flush left and the last unpadded.
public enum FloorTable {
    /// The rows under their heads.
    public static func text(_ heads: [String], _ rows: [[String]]) -> String {
        let all = [heads] + rows
        let widths = heads.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                let isText = column == 0 || column == row.count - 1
                line += (column > 0 ? "  " : "")
                line += column == row.count - 1 ? cell : isText ? cell + gap : gap + cell
            }
            return line + "\n"
        }.joined()
    }
}
