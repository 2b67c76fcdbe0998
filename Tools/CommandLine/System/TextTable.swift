/// Rows of cells as people read them.
///
/// If the terminal is too narrow for its columns, the last cell of a row continues below itself. If
/// there is no room for that, each row becomes a block of lines: its first cell, and below it the
/// other ones with the names of their columns.
package struct TextTable: Sendable {
    /// The names of the columns; empty for a table without them.
    package var heads: [String]
    /// The cells, as many in each row.
    package var rows: [[String]]
    /// The columns whose cells stand at the right.
    package var numbers: Range<Int>

    /// The least room in which the last cell continues below itself.
    private static let leastRoom = 20

    /// Makes a table of `rows`.
    package init(_ rows: [[String]], heads: [String] = [], numbers: Range<Int> = 0..<0) {
        self.heads = heads
        self.rows = rows
        self.numbers = numbers
    }

    /// Its lines for a terminal of so many columns; nil for no terminal, whose lines have no end.
    package func lines(_ columns: Int? = nil) -> [String] {
        let all = heads.isEmpty ? rows : [heads] + rows
        let last = (all.first?.count ?? 1) - 1
        let widths = (0...last).map { column in all.map { $0[column].count }.max() ?? 0 }
        let starts = all.map { row in
            (0..<last).map { column in
                let (cell, width) = (row[column], widths[column])
                return (numbers.contains(column) ? cell.leading(width) : cell.padded(width)) + "  "
            }.joined()
        }
        let ends = all.map { numbers.contains(last) ? $0[last].leading(widths[last]) : $0[last] }
        let whole = zip(starts, ends).map { String(($0 + $1).trimmedEnd) }
        guard let columns, whole.contains(where: { $0.count > columns }) else { return whole }
        guard columns - (starts.first?.count ?? 0) < Self.leastRoom else {
            return zip(starts, ends).flatMap { $1.wrapped(columns, after: $0) }
        }
        return rows.flatMap { row in
            let others = (1...last).filter { !row[$0].isEmpty }.map { column in
                let head = heads.isEmpty || heads[column].isEmpty ? "" : heads[column] + " "
                let cell = head + row[column]
                // A short one stays in one line.
                return cell.count + 3 > columns ? cell : cell.substituting(" ", with: "\u{A0}")
            }
            return row[0].wrapped(columns, after: "")
                + others.joined(separator: "; ").wrapped(columns, after: "  ")
                .map { $0.substituting("\u{A0}", with: " ") }
        }
    }

    /// Its lines as one text, each with a line feed.
    package func text(_ columns: Int? = nil) -> String {
        lines(columns).map { $0 + "\n" }.joined()
    }
}

extension String {
    /// The words of it in lines of at most `columns` characters: the first after `head`, the others
    /// as far to the right. A longer word has a line of its own. One line, if it fits or there are
    /// no `columns`.
    package func wrapped(_ columns: Int?, after head: String) -> [String] {
        guard let columns, head.count + count > columns else { return [head + self] }
        let head = head + prefix { $0 == " " }
        var lines = [head]
        var isEmpty = true
        for word in split(separator: " ") {
            if !isEmpty, lines[lines.count - 1].count + 1 + word.count > columns {
                lines.append(String(repeating: " ", count: head.count))
                isEmpty = true
            }
            lines[lines.count - 1] += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines
    }

    /// With spaces after it, up to `width` characters.
    package func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// With spaces before it, up to `width` characters.
    package func leading(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    /// Without the spaces at its end.
    package var trimmedEnd: Substring {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return text
    }
}
