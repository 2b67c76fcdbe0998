public import ControlKit

extension RunComparison {
    /// For people: a line for each percentile, the changes, the remarks, and the sum of it.
    public var text: String {
        let width = max(14, rows.map(\.series.count).max() ?? 0)
        var lines = [
            "ms".padded(width) + "".padded(8) + "base".leading(10) + "new".leading(10)
                + "ratio".leading(8) + "   noise (99 %)"
        ]
        for row in rows {
            let ranges = [row.baseRange, row.newRange].map { range in
                "\(Self.milliseconds(range.lowerBound))..\(Self.milliseconds(range.upperBound))"
            }
            let verdict = row.verdict == .same ? "" : "   \(row.verdict.rawValue.uppercased())"
            lines.append(
                row.series.padded(width) + row.percentile.name.leading(8)
                    + Self.milliseconds(row.base).leading(10)
                    + Self.milliseconds(row.new).leading(10)
                    + Decimals.fixed(row.ratio, decimals: 3).leading(8)
                    + "   \(ranges[0]) and \(ranges[1])" + verdict)
        }
        if rows.isEmpty { lines = ["No percentile has enough samples in both runs."] }
        for change in changes {
            let before = [change.base.rawValue, change.baseFigure].compactMap(\.self)
            let now = [change.new.rawValue, change.newFigure].compactMap(\.self)
            lines.append(
                "\(change.title): \(before.joined(separator: " ")) -> "
                    + now.joined(separator: " ") + (change.isWorse ? "   WORSE" : ""))
        }
        lines += gaps.map { gap in
            "\(gap.what): \(gap.isLoss ? "NOT COMPARED" : "not compared"), \(gap.why)"
        }
        lines += remarks.map { "note: \($0)" }
        let slower = rows.count { $0.verdict == .slower }
        let faster = rows.count { $0.verdict == .faster }
        let worse = changes.count(where: \.isWorse)
        let lost = gaps.count(where: \.isLoss)
        lines += [
            "",
            "\(slower) slower, \(faster) faster, \(rows.count - slower - faster) within noise; "
                + "\(worse) \(worse == 1 ? "target" : "targets") worse, \(lost) of the older run "
                + "not compared" + (isComplete ? "." : "; INCOMPLETE."),
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// For programs; times in nanoseconds.
    public var json: JSONValue {
        func range(_ range: ClosedRange<UInt64>) -> JSONValue {
            .array([.whole(range.lowerBound), .whole(range.upperBound)])
        }
        return [
            "schema": "rig.compare/1", "worse": .bool(isWorse), "complete": .bool(isComplete),
            "exit": .whole(exitCode.rawValue),
            "percentiles": .array(
                rows.map { row in
                    [
                        "series": .string(row.series), "percentile": .string(row.percentile.name),
                        "base_ns": .whole(row.base), "new_ns": .whole(row.new),
                        "ratio": .number(row.ratio), "base_range_ns": range(row.baseRange),
                        "new_range_ns": range(row.newRange),
                        "verdict": .string(row.verdict.rawValue),
                    ]
                }),
            "changes": .array(
                changes.map { change in
                    [
                        "title": .string(change.title), "base": .string(change.base.rawValue),
                        "new": .string(change.new.rawValue),
                        "base_figure": change.baseFigure.map { .string($0) } ?? nil,
                        "new_figure": change.newFigure.map { .string($0) } ?? nil,
                        "worse": .bool(change.isWorse),
                    ]
                }),
            "not_compared": .array(
                gaps.map { gap in
                    [
                        "what": .string(gap.what), "why": .string(gap.why),
                        "loss": .bool(gap.isLoss),
                    ]
                }),
            "notes": .array(remarks.map { .string($0) }),
        ]
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        Decimals.table(Double(nanoseconds) / 1e6)
    }
}
