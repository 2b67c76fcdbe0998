package import CommandLine
import ControlProtocol

extension Report {
    /// The report as people read it, ending in a line feed.
    ///
    /// - Parameters:
    ///   - style: whether status words are coloured; the words say it all without.
    ///   - exitCode: what the last line says; other failures of the run count too.
    package func terminalText(style: TerminalStyle = .plain, exitCode: ExitCode? = nil) -> String {
        terminalBody(style: style) + terminalEnd(exitCode: exitCode ?? self.exitCode)
    }

    /// Everything but its last lines, which say what became of the files.
    func terminalBody(style: TerminalStyle) -> String {
        var lines = [titleLine, ""]
        lines += tableLines(style)
        let percentiles = percentileLines
        if headline == nil, !percentiles.isEmpty { lines += [""] + percentiles }
        if let rest { lines.append(rest) }
        let shown = headline == nil ? notes : notes.filter(cautions.contains)
        lines += shown.map { "note: \(Excerpt.line($0))" }
        return Self.text(lines)
    }

    /// The last lines.
    ///
    /// - Parameters:
    ///   - exitCode: how the program ends.
    ///   - unwritten: the names of files that could not be written.
    func terminalEnd(exitCode: ExitCode, unwritten: [String] = []) -> String {
        let missing =
            unwritten.isEmpty ? [] : ["NOT WRITTEN: \(unwritten.joined(separator: ", "))"]
        return Self.text(["", summaryLine] + missing + [repeatLine(exitCode)])
    }

    private static func text(_ lines: [String]) -> String {
        lines.map { String($0.trimmedEnd) + "\n" }.joined()
    }

    /// The circumstances: link, seed, length and load.
    var circumstances: [String] {
        let seconds = Decimals.fixed(Double(durationNanoseconds) / 1e9, decimals: 1)
        return [link] + (seed.map { ["seed \($0)"] } ?? []) + ["\(seconds) s"] + load
    }

    private var titleLine: String {
        var parts = ["rig \(verb)"] + circumstances.map { Excerpt.line($0) }
        if !isComplete { parts.append("INCOMPLETE") }
        return parts.joined(separator: "  ") + "     rig \(version)"
    }

    // MARK: The table of targets

    private func isShown(_ row: Row) -> Bool {
        guard let headline else { return true }
        return headline.contains(row.target.id)
            || ![.pass, .known, .notBuilt].contains(row.status)
    }

    /// The line that says what a short report leaves out.
    private var rest: String? {
        guard headline != nil else { return nil }
        let count = rows.count { !isShown($0) }
        return
            "\(Self.ellipsis) \(count) more \(count == 1 ? "row" : "rows"), percentiles and notes "
            + "with --all"
    }

    private static let ellipsis = "\u{2026}"

    private func tableLines(_ style: TerminalStyle) -> [String] {
        let rows = rows.filter(isShown)
        let cells = rows.map(Cells.init)
        var widths = [24, 10, 8, 18]
        for cell in cells {
            let found = [cell.metric, cell.goal, cell.limit, cell.actual].map(\.count)
            widths = zip(widths, found).map(max)
        }
        let heads = ["Metric", "Target", "Max", "Actual"]
        var lines = [
            zip(heads, widths).map { $0.padded($1) }.joined(separator: "  ") + "  Status",
            widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ") + "  ------",
        ]
        var group: Target.Group?
        for (row, cell) in zip(rows, cells) {
            if let group, group != row.target.group { lines.append("") }
            group = row.target.group
            let columns = [
                cell.metric.padded(widths[0]), cell.goal.padded(widths[1]),
                cell.limit.padded(widths[2]), cell.actual.padded(widths[3]),
            ]
            let status = style.painted(row.status)
            let caveat = row.caveat.map {
                String(repeating: " ", count: max(1, 7 - row.status.rawValue.count)) + " " + $0
            }
            lines.append(columns.joined(separator: "  ") + "  " + status + (caveat ?? ""))
        }
        return lines
    }

    /// A row as people read it, without its status.
    struct Cells {
        var metric: String
        var goal: String
        var limit: String
        var actual: String

        init(_ row: Row) {
            let target = row.target
            metric = Excerpt.line(target.heading)
            let mark = target.sense == .exactly ? "" : "\(target.sense.sign.padded(2)) "
            let bounds = [target.goal, target.limit ?? target.goal.flatMap { _ in nil }]
                .map { $0.map { target.unit.text($0) } ?? "-" }
            goal = target.goal == nil ? "-" : mark + bounds[0]
            limit = bounds[1]
            guard row.status != .notBuilt, let measurement = row.measurement else {
                actual = "-"
                return
            }
            let value = measurement.actual.flatMap { value in
                row.status == .few ? nil : target.unit.text(value)
            }
            var notes: [String] = []
            if row.status == .few {
                notes.append("n=\(measurement.sampleCount) of \(target.samplesNeeded) needed")
            } else if target.statistic != .total {
                notes.append("n=\(measurement.sampleCount)")
            }
            if let remark = measurement.remark { notes.append(Excerpt.line(remark)) }
            let padded = value ?? "-      "
            actual = notes.isEmpty ? padded : "\(padded)  (\(notes.joined(separator: ", ")))"
        }
    }

    // MARK: Percentiles

    /// The columns of the second table, in milliseconds.
    static let columns: [Percentile] = [.p50, .p90, .p99, .p999]

    private var percentileLines: [String] {
        let filled = latencies.filter { $0.histogram.count > 0 }
        guard !filled.isEmpty else { return [] }
        let width = max(14, filled.map(\.name.count).max() ?? 0)
        let heads = Self.columns.map(\.name) + ["max"]
        var lines = [
            "ms".padded(width) + "n".leading(7) + heads.map { $0.leading(9) }.joined() + "   "
                + LatencySeries.lastHead(filled)
        ]
        for series in filled {
            var cells = Self.columns.map { series.histogram[$0].map(Self.milliseconds) ?? "(few)" }
            cells.append(series.histogram.maximumNanoseconds.map(Self.milliseconds) ?? "-")
            let last = series.lastCell.map { "   \(Excerpt.line($0))" }
            lines.append(
                Excerpt.line(series.name).padded(width) + "\(series.histogram.count)".leading(7)
                    + cells.map { $0.leading(9) }.joined() + (last ?? ""))
        }
        return lines + ["latency counts from \(latencyOrigin)"]
    }

    static func milliseconds(_ nanoseconds: UInt64) -> String {
        Decimals.table(Double(nanoseconds) / 1e6)
    }

    // MARK: The end

    /// How many targets fail the run, and how many nothing measures.
    var summary: String {
        let built = rows.filter { $0.status != .notBuilt }
        let failing = built.count { policy.fails([$0.status]) }
        let missing = rows.count - built.count
        // A row without a goal has nothing to meet.
        let evaluated = built.count { $0.status != .known }
        let others = [Status.warn, .few].compactMap { status in
            let count = built.count { $0.status == status }
            return count == 0 ? nil : "\(count) \(status.rawValue)"
        }
        let first =
            if evaluated == 0 {
                "Nothing is evaluated"
            } else if failing > 0 {
                "\(failing) of \(evaluated) need attention"
            } else if !others.isEmpty {
                "No target is missed: \(others.joined(separator: ", ")) of \(evaluated)"
            } else {
                "All \(evaluated) measured targets met"
            }
        let second = missing > 0 ? "; \(missing) not built." : "."
        return first + second
    }

    private var summaryLine: String {
        summary + (outputs.isEmpty ? "" : " " + outputs.joined(separator: "  "))
    }

    private func repeatLine(_ code: ExitCode) -> String {
        "repeat: \(repeatCommand)        exit \(code.rawValue)"
    }
}

extension Target.Unit {
    /// `value` with its unit, as people read it.
    func text(_ value: Double) -> String {
        switch self {
        case .nanoseconds: "\(Self.plain(value / 1e6)) ms"
        case .bytes: "\(Self.plain(value)) B"
        case .megabytes: "\(Self.plain(value / 1e6)) MB"
        case .percent: "\(Self.share(value)) %"
        case .perSecond: "\(Self.plain(value)) /s"
        case .count: Self.plain(value)
        }
    }

    private static func plain(_ value: Double) -> String {
        let text = Decimals.table(value)
        let whole = Decimals.fixed(value, decimals: 0)
        return Double(whole) == value ? whole : text
    }

    /// A share that is not whole never rounds up to one that is.
    private static func share(_ value: Double) -> String {
        let text = Decimals.shortest(value, decimals: 2)
        return text == "100" && value < 100 ? "99.99" : text
    }
}

extension String {
    /// With spaces after it, up to `width` characters.
    func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// With spaces before it, up to `width` characters.
    func leading(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    var trimmedEnd: Substring {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return text
    }
}
