import CommandLine
package import ControlProtocol
import Simulation

/// All cells of one link.
package struct BaselineReport: Sendable {
    /// The link and how it was used.
    package let settings: BaselineSettings
    /// The cells, in the order in which they were measured.
    package private(set) var rows: [BaselineRow] = []

    /// Makes a report on a link of which nothing was measured yet.
    package init(_ settings: BaselineSettings) { self.settings = settings }

    /// Adds a cell; where one is evaluated by another, they may come in any order.
    package mutating func add(_ row: BaselineRow) {
        rows.append(row)
        let warm = rows.first { $0.cell == .hundredWarm }
        for place in rows.indices { rows[place].evaluate(byWarm: warm) }
    }

    /// Whether a goal is missed that physics allows, or has too few trials.
    package var isMissed: Bool { rows.contains { $0.isMissed } }

    /// The report as people read it, on a terminal of so many columns; nil for no terminal.
    package func text(_ columns: Int? = nil) -> String {
        let goals = rows.flatMap { row in row.goals.map { [row.cell.title] + $0.cells } }
        let verdicts =
            goals.isEmpty
            ? [] : [""] + Self.table(["Cell"] + BaselineGoal.heads, goals).lines(columns)
        let head = Self.head(of: settings) + ", commit \(settings.commitTime.meaning)"
        let lines =
            head.wrapped(columns, after: "")
            + Self.table(BaselineRow.heads, rows.map(\.cells)).lines(columns) + verdicts + [""]
        return lines.map { $0 + "\n" }.joined()
    }

    /// The link's properties, and how it is used.
    static func head(of settings: BaselineSettings) -> String {
        let profile = settings.profile
        let rate = profile.rateBitsPerSecond.map { BitRate(bitsPerSecond: $0).meaning }
        return [
            "\(profile.name) (\(settings.reading.rawValue))",
            "\(settings.conditions.delay.meaning) each way", rate ?? "no rate",
            "\(Decimals.shortest(profile.loss * 100, decimals: 2)) % loss",
            "datagrams of \(settings.datagramBytes) B", "seed \(settings.seed)",
        ].joined(separator: ", ")
    }

    /// The rows for programs.
    package var json: [JSONValue] { rows.map(\.json) }

    /// A table of figures behind the name of each row.
    static func table(_ heads: [String], _ rows: [[String]]) -> TextTable {
        TextTable(rows, heads: heads, numbers: 1..<heads.count)
    }
}
