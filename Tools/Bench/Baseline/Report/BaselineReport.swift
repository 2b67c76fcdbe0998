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

    /// The report as people read it.
    package var text: String {
        let goals = rows.flatMap { row in row.goals.map { [row.cell.title] + $0.cells } }
        let verdicts =
            goals.isEmpty
            ? "" : "\n" + Self.table(["Cell"] + BaselineGoal.heads, goals)
        return Self.head(of: settings) + ", commit \(settings.commitTime.meaning)\n"
            + Self.table(BaselineRow.heads, rows.map(\.cells)) + verdicts + "\n"
    }

    /// What the link is like, and how it is used.
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

    /// Lines of columns, the first flush left and the last unpadded.
    static func table(_ heads: [String], _ rows: [[String]]) -> String {
        let all = [heads] + rows
        let widths = heads.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                line += column == 0 ? cell + gap : "  " + gap + cell
            }
            return line + "\n"
        }.joined()
    }
}
