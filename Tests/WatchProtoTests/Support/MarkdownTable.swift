import Foundation

/// A table of an article: its header cells and its rows.
struct MarkdownTable: Equatable {
    var header: [String]
    var rows: [[String]]

    /// The first table below the heading `title` of an article.
    static func below(_ title: String, in path: String) throws -> MarkdownTable? {
        let text = try String(
            contentsOf: FixtureFiles.root.appendingPathComponent(path), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let start = lines.firstIndex(where: { $0 == "## " + title }) else { return nil }
        let tail = lines[(start + 1)...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        let cells = tail.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        guard cells.count > 2 else { return nil }
        return MarkdownTable(header: cells[0], rows: Array(cells[2...]))
    }
}
