import Foundation

/// A table of an article: its header cells and its rows. For tests that hold an article against the
/// code.
package struct MarkdownTable: Equatable {
    /// The cells of the first line.
    package var header: [String]
    /// The cells of the lines below the rule.
    package var rows: [[String]]

    /// The package's folder.
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The first table below the heading `title` of an article; nil where there is none. Throws
    /// when the article at `path` cannot be read.
    package static func below(_ title: String, in path: String) throws -> MarkdownTable? {
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let headings = ["## " + title, "### " + title]
        guard let start = lines.firstIndex(where: { headings.contains($0) }) else { return nil }
        let tail = lines[(start + 1)...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        let cells = tail.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        guard cells.count > 2 else { return nil }
        return MarkdownTable(header: cells[0], rows: Array(cells[2...]))
    }
}
