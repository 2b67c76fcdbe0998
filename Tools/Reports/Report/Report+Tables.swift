import CommandLine
import ControlProtocol

/// The two tables of the terminal report. If the terminal is narrower than a table, each of its
/// rows becomes a block of lines that fit.
extension Report {
    /// The heads of the table of targets.
    static let heads = ["Metric", "Device", "Target", "Max", "Actual", "Status"]

    func tableLines(_ style: TerminalStyle, _ columns: Int?) -> [String] {
        let rows = rows.filter(isShown)
        let cells = rows.map(Cells.init)
        var widths = [24, 6, 10, 8, 18]
        for cell in cells { widths = zip(widths, cell.all.map(\.count)).map(max) }
        let whole = widths.reduce(0) { $0 + $1 + 2 } + Self.statusWidth
        let isNarrow = columns.map { $0 < whole } ?? false
        var lines =
            isNarrow
            ? []
            : [
                zip(Self.heads, widths).map { $0.padded($1) }.joined(separator: "  ") + "  Status",
                widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
                    + "  ------",
            ]
        var group: Target.Group?
        for (row, cell) in zip(rows, cells) {
            if let group, group != row.target.group { lines.append("") }
            group = row.target.group
            if isNarrow, let columns {
                lines += block(row, cell, style, columns)
                continue
            }
            let status = style.painted(row.status)
            let caveat = row.caveat.map {
                String(repeating: " ", count: max(1, 7 - row.status.rawValue.count)) + " " + $0
            }
            lines.append(
                zip(cell.all, widths).map { $0.padded($1) }.joined(separator: "  ") + "  " + status
                    + (caveat ?? ""))
        }
        return lines
    }

    /// The longest status word: `not built`.
    private static let statusWidth = Status.allCases.map(\.rawValue.count).max() ?? 0

    /// A row as a block: the status and the metric, and below them what the other columns have.
    private func block(
        _ row: Row, _ cell: Cells, _ style: TerminalStyle, _ columns: Int
    ) -> [String] {
        let word = row.status.rawValue
        let head = word.padded(Self.statusWidth + 1)
        var bounds = cell.goal == "-" ? [] : ["target \(cell.goal)"]
        if cell.limit != "-" { bounds.append("max \(cell.limit)") }
        let words = [cell.device, cell.actual] + bounds + [row.caveat].compactMap(\.self)
        var lines = cell.metric.wrapped(columns, after: head)
        lines[0] = style.painted(row.status) + lines[0].dropFirst(word.count)
        return lines
            + words.joined(separator: "; ").wrapped(columns, after: "".padded(head.count))
    }

    /// A row as people read it, without its status.
    struct Cells {
        var metric: String
        var device: String
        var goal: String
        var limit: String
        var actual: String

        /// In the order of the columns.
        var all: [String] { [metric, device, goal, limit, actual] }

        init(_ row: Row) {
            let target = row.target
            metric = Excerpt.line(target.heading)
            device = target.device.rawValue
            let mark = target.sense == .exactly ? "" : "\(target.sense.sign.padded(2)) "
            let noise = target.bearsNoise ? " or noise" : ""
            goal = target.goal.map { mark + target.unit.text($0) + noise } ?? "-"
            limit = target.limit.map { target.unit.text($0) } ?? "-"
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

    func percentileLines(_ columns: Int?) -> [String] {
        let filled = latencies.filter { $0.histogram.count > 0 }
        guard !filled.isEmpty else { return [] }
        let width = max(14, filled.map(\.name.count).max() ?? 0)
        let heads = Self.columns.map(\.name) + ["max"]
        let lastHead = LatencySeries.lastHead(filled)
        var lines = [
            "ms".padded(width) + "n".leading(7) + heads.map { $0.leading(9) }.joined() + "   "
                + lastHead
        ]
        var blocks = ["latency in ms"]
        for series in filled {
            var cells = Self.columns.map { series.histogram[$0].map(Self.milliseconds) ?? "(few)" }
            cells.append(series.histogram.maximumNanoseconds.map(Self.milliseconds) ?? "-")
            let last = series.lastCell.map { Excerpt.line($0) }
            let name = Excerpt.line(series.name)
            let count = "\(series.histogram.count)"
            lines.append(
                name.padded(width) + count.leading(7) + cells.map { $0.leading(9) }.joined()
                    + (last.map { "   \($0)" } ?? ""))
            guard let columns else { continue }
            var figures = ["n \(count)"]
            figures += zip(heads, cells).map { "\($0) \($1)" }
            if let last { figures.append("\(lastHead) \(last)") }
            blocks += name.wrapped(columns, after: "")
            blocks += figures.joined(separator: "; ").wrapped(columns, after: "  ")
        }
        if let columns, lines.contains(where: { $0.count > columns }) { lines = blocks }
        return lines + ["latency counts from \(latencyOrigin)"]
    }

    static func milliseconds(_ nanoseconds: UInt64) -> String {
        Decimals.table(Double(nanoseconds) / 1e6)
    }
}
