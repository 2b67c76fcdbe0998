package import CommandLine
import ControlProtocol

extension Report {
    /// The report as people read it, ending in a line feed.
    ///
    /// - Parameters:
    ///   - style: whether status words are coloured; the words say it all without.
    ///   - columns: how many the terminal has; nil for no terminal, whose lines have no end.
    ///   - exitCode: what the last line says; other failures of the run count too.
    package func terminalText(
        style: TerminalStyle = .plain, columns: Int? = nil, exitCode: ExitCode? = nil
    ) -> String {
        terminalBody(style: style, columns: columns)
            + terminalEnd(exitCode: exitCode ?? self.exitCode)
    }

    /// Everything but its last lines, which say what became of the files.
    func terminalBody(style: TerminalStyle, columns: Int? = nil) -> String {
        var lines = [titleLine, ""]
        lines += tableLines(style, columns)
        let percentiles = percentileLines(columns)
        if headline == nil, !percentiles.isEmpty { lines += [""] + percentiles }
        if let rest { lines.append(rest) }
        let shown = headline == nil ? notes : notes.filter(cautions.contains)
        for note in shown {
            lines += Excerpt.line(note).wrapped(columns, after: "note: ")
        }
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

    func isShown(_ row: Row) -> Bool {
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
                "\(failing) of \(evaluated) \(failing == 1 ? "needs" : "need") attention"
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
    package func text(_ value: Double) -> String {
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

    /// A share that is not whole never rounds up to one that is, nor one above 0 down to 0.
    private static func share(_ value: Double) -> String {
        let text = Decimals.shortest(value, decimals: 2)
        if text == "0", value > 0 { return "< 0.01" }
        return text == "100" && value < 100 ? "99.99" : text
    }
}
