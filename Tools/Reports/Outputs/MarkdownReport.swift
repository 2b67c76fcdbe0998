import CommandLine

/// A run as Markdown, for a pull request or a wiki: `report.md`.
///
/// Tables are those of GitHub Flavored Markdown.
enum MarkdownReport {
    /// The whole file.
    static func text(_ report: Report) -> String {
        var lines = ["# rig \(escaped(report.verb))", ""]
        var circumstances = report.circumstances + ["rig \(report.version)"]
        if let start = report.startedAt { circumstances.append(OutputNumbers.utc(start)) }
        lines.append(circumstances.map(escaped).joined(separator: ", "))
        if !report.isComplete {
            lines += ["", "**INCOMPLETE**: the run ended early; what was measured is here."]
        }
        lines += ["", "**\(escaped(report.summary))** Exit code \(report.exitCode.rawValue)."]
        for group in Target.Group.allCases { lines += targets(report, group) }
        lines += latencies(report)
        if !report.notes.isEmpty {
            lines += ["", "## Notes", ""] + report.notes.map { "- \(escaped($0))" }
        }
        // Indented, so that no back quote in it ends the block.
        lines += ["", "## Repeat", "", "    \(report.repeatCommand.onOneLine)"]
        return lines.map { $0 + "\n" }.joined()
    }

    private static func targets(_ report: Report, _ group: Target.Group) -> [String] {
        let rows = report.rows.filter { $0.target.group == group }
        guard !rows.isEmpty else { return [] }
        let cells = rows.map { row in
            let texts = Report.Cells(row)
            var cells = texts.all.map(escaped)
            let word = escaped(row.status.rawValue)
            let status = report.policy.fails([row.status]) ? "**\(word)**" : word
            cells.append(
                ([status] + [row.caveat].compactMap { $0.map(escaped) }).joined(separator: ", "))
            return cells
        }
        return ["", "## \(group.rawValue)", ""]
            + table(Report.heads, cells)
    }

    private static func latencies(_ report: Report) -> [String] {
        let filled = report.latencies.filter { $0.histogram.count > 0 }
        guard !filled.isEmpty else { return [] }
        let percentiles = Report.columns
        let rows = filled.map { series in
            let histogram = series.histogram
            let values = percentiles.map { histogram[$0].map(Report.milliseconds) ?? "(few)" }
            let longest = histogram.maximumNanoseconds.map(Report.milliseconds) ?? "-"
            let last = series.lastCell.map(escaped) ?? "-"
            return [escaped(series.name), "\(histogram.count)"] + values + [longest, last]
        }
        let heads =
            ["ms", "n"] + percentiles.map(\.name) + ["max", LatencySeries.lastHead(filled)]
        let numbers = 1...(percentiles.count + 2)
        return ["", "## Latency", ""] + table(heads, rows, numbers: numbers)
            + ["", "Latency counts from \(report.latencyOrigin)."]
    }

    /// The columns of `numbers` stand to the right.
    private static func table(
        _ heads: [String], _ rows: [[String]], numbers: ClosedRange<Int>? = nil
    ) -> [String] {
        let rule = heads.indices.map { numbers?.contains($0) == true ? "---:" : "---" }
        return ([heads, rule] + rows).map { "| \($0.joined(separator: " | ")) |" }
    }

    /// `text` as it stands, on one line and with single spaces, whatever Markdown makes of its
    /// characters: any of ASCII's punctuation may have a backslash before it, in tables too.
    static func escaped(_ text: String) -> String {
        let words = text.onOneLine.split(separator: " ").joined(separator: " ")
        return String(words.flatMap { "\\`*_[]<>|~&#$".contains($0) ? ["\\", $0] : [$0] })
    }
}
