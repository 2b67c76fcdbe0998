extension Verb {
    /// The help text: OVERVIEW, USAGE, ARGUMENTS, OPTIONS, SUBCOMMANDS and EXAMPLES, those that
    /// have something to say, at most 80 columns wide.
    ///
    /// - Parameter path: the words that call the verb, the program's name first.
    package func helpText(path: [String]) -> String {
        var sections = ["OVERVIEW: \(wrapped(overview, indent: 0, hanging: 10))"]
        sections += discussion.map { wrapped($0, indent: 0) }
        sections.append(
            "USAGE: \(wrapped(usageLine(path: path, all: true), indent: 0, hanging: 7))")
        section("ARGUMENTS", arguments.map { ($0.label, $0.help) }, into: &sections)
        section(
            "OPTIONS",
            options.map { declared in
                let note = declared.defaultText.map { " (default: \($0))" } ?? ""
                return (declared.label, declared.help + note)
            }, into: &sections)
        verbSections(into: &sections)
        section("EXAMPLES", examples.map { ($0.command, $0.meaning) }, into: &sections)
        if !verbs.isEmpty {
            // Works at every depth; a verb has no `help` of its own.
            let command = path.joined(separator: " ")
            sections.append("See '\(command) <verb> --help' for detailed help.")
        }
        return sections.joined(separator: "\n\n")
    }

    /// The verbs in the order of their groups' first members.
    private func verbSections(into sections: inout [String]) {
        var titles: [String] = []
        for verb in verbs {
            let title = verb.group ?? Self.ungrouped
            if !titles.contains(title) { titles.append(title) }
        }
        for title in titles {
            let rows = verbs.filter { ($0.group ?? Self.ungrouped) == title }
            section(title, rows.flatMap(\.helpRows), into: &sections)
        }
    }

    private static let ungrouped = "SUBCOMMANDS"

    /// The lines of this verb in the help of the one above it.
    private var helpRows: [(String, String)] {
        guard group != nil, !verbs.isEmpty else { return [(name, overview)] }
        return verbs.map { ("\(name) \($0.name)", $0.overview) }
    }

    /// The usage on one line: the first three options stand for all unless `all` is set.
    func usageLine(path: [String], all: Bool = false) -> String {
        var words = path
        if verbs.isEmpty {
            let own = declarations.filter { $0.kind != .argument }
            words += own.prefix(all ? own.count : 3).map(\.usage)
            words += arguments.map(\.usage)
            if !all, own.count > 3 { words.append("...") }
        } else {
            words += ["<verb>", "[<options>]"]
        }
        return words.joined(separator: " ")
    }

    private func section(
        _ title: String, _ rows: [(String, String)], into sections: inout [String]
    ) {
        guard !rows.isEmpty else { return }
        let column = min(26, rows.map(\.0.count).max() ?? 0) + 4
        let lines = rows.map { label, text in
            let gap =
                label.count + 4 <= column
                ? String(repeating: " ", count: column - label.count - 2)
                : "\n" + String(repeating: " ", count: column)
            return "  \(label)\(gap)\(wrapped(text, indent: column, hanging: column))"
        }
        sections.append("\(title):\n" + lines.joined(separator: "\n"))
    }

    /// `text` broken at spaces to 80 columns; its first line is already `indent` columns in, the
    /// others get `hanging` spaces. Text in brackets is kept together.
    private func wrapped(_ text: String, indent: Int, hanging: Int = 0) -> String {
        var lines: [String] = []
        var line = ""
        var start = max(indent, hanging)
        for word in pieces(text) {
            if !line.isEmpty, start + line.count + 1 + word.count > 80 {
                lines.append(line)
                line = ""
                start = hanging
            }
            line += line.isEmpty ? word : " \(word)"
        }
        lines.append(line)
        return lines.joined(separator: "\n" + String(repeating: " ", count: hanging))
    }

    private func pieces(_ text: String) -> [String] {
        var pieces: [String] = []
        var isOpen = false
        for word in text.split(separator: " ") {
            if isOpen {
                pieces[pieces.count - 1] += " \(word)"
            } else {
                pieces.append(String(word))
            }
            if word.hasPrefix("[") { isOpen = true }
            if word.hasSuffix("]") { isOpen = false }
        }
        return pieces
    }
}
