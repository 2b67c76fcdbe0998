import CommandLine
package import ControlProtocol

extension RunComparison {
    /// For people: a line for each percentile, the changes, the remarks, the sum of it, and why it
    /// ends badly where it does. Nothing in it acts on a terminal, whatever the files hold.
    package var text: String { text(nil) }

    /// The same on a terminal of so many columns; nil for no terminal.
    package func text(_ columns: Int?) -> String {
        var lines: [String] = []
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
        lines += ["", summary] + (exitCode == .done ? [] : [reasons])
        let further = lines.flatMap { Excerpt.line($0).wrapped(columns, after: "") }
        return (tableLines(columns) + further).map { $0 + "\n" }.joined()
    }

    private func tableLines(_ columns: Int?) -> [String] {
        guard !rows.isEmpty else { return ["No percentile has enough samples in both runs."] }
        let cells = rows.map { row in
            [
                Excerpt.line(row.series), row.percentile.name, Self.milliseconds(row.base),
                Self.milliseconds(row.new),
                Decimals.fixed(row.ratio, decimals: row.ratio < 1000 ? 3 : 0),
                Excerpt.line(Self.end(of: row)),
            ]
        }
        let heads = ["ms", "", "base", "new", "ratio", areRuns ? "runs" : "rounds"]
        return TextTable(cells, heads: heads, numbers: 1..<5).lines(columns)
    }

    /// The rounds of both sides and the verdict, or why there is none.
    private static func end(of row: Row) -> String {
        let verdict =
            [.same, .untold].contains(row.verdict)
            ? "" : "   \(row.verdict.rawValue.uppercased())"
        if let lack = row.lack { return lack + verdict }
        let ranges = [row.baseRounds, row.newRounds].map { rounds in
            "\(rounds.count): \(milliseconds(rounds.first ?? 0))..\(milliseconds(rounds.last ?? 0))"
        }
        return "\(ranges[0]) and \(ranges[1])" + verdict
    }

    private func figures(_ verdict: Verdict) -> [String] {
        rows.filter { $0.verdict == verdict }.map { "\($0.series) \($0.percentile.name)" }
    }

    private var summary: String {
        let counts = [Verdict.slower, .faster, .same, .untold].map { figures($0).count }
        let worse = changes.count(where: \.isWorse)
        return "\(counts[0]) slower, \(counts[1]) faster, \(counts[2]) within noise, \(counts[3]) "
            + "without a verdict; \(worse) \(worse == 1 ? "target" : "targets") worse, "
            + "\(gaps.count(where: \.isLoss)) of the older run not compared"
            + (isComplete ? "." : "; INCOMPLETE.")
    }

    /// Why it ends with exit code 2: how many, and which.
    private var reasons: String {
        func part(_ count: String, _ names: [String]) -> String? {
            guard !names.isEmpty else { return nil }
            let more = names.count > 3 ? " and \(names.count - 3) more" : ""
            // A name may hold a comma.
            let shown = names.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
            return "\(names.count) \(count) (\(shown)\(more))"
        }
        let parts = [
            part("slower", figures(.slower)),
            part("worse", changes.filter(\.isWorse).map(\.title)),
            part("not compared", gaps.filter(\.isLoss).map(\.what)),
            isComplete ? nil : "a run did not come to its end",
            rows.isEmpty ? "no percentile was compared" : nil,
        ]
        return "exit \(exitCode.rawValue): "
            + parts.compactMap(\.self).joined(separator: "; ")
    }

    /// For programs; times in nanoseconds.
    package var json: JSONValue {
        [
            "schema": "rig.compare/2", "worse": .bool(isWorse), "complete": .bool(isComplete),
            "exit": .whole(exitCode.rawValue), "percentiles": .array(rows.map(\.json)),
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

extension RunComparison.Row {
    fileprivate var json: JSONValue {
        [
            "series": .string(series), "percentile": .string(percentile.name),
            "base_ns": .whole(base), "new_ns": .whole(new), "ratio": .number(ratio),
            "base_rounds_ns": .array(baseRounds.map { .whole($0) }),
            "new_rounds_ns": .array(newRounds.map { .whole($0) }),
            "chance": chance.map { .number($0) } ?? nil, "verdict": .string(verdict.rawValue),
            "why": lack.map { .string($0) } ?? nil,
        ]
    }
}
