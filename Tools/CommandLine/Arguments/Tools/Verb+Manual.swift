/// Manual pages, in the macros of man(7), made of the same declarations as the help.
extension Verb {
    /// A page and the name of its file.
    package struct ManualPage: Sendable, Hashable {
        /// Such as `rig-demo.1`.
        package var fileName: String
        /// The page's source.
        package var text: String

        /// The begin of each page of that name, whatever its release is.
        package var mark: String {
            let head = text.prefix { $0 != "\n" }
            return String(head[...(head.lastIndex(of: " ") ?? head.startIndex)])
        }
    }

    /// A page for the program and one for each verb.
    ///
    /// - Parameters:
    ///   - exitCodes: what the program's exit codes mean.
    ///   - others: pages of other programs that belong to these, such as `PhoneSim(1)`.
    package func manualPages(
        exitCodes: [(code: Int32, meaning: String)], seeAlso others: [String] = []
    ) -> [ManualPage] {
        let release = "\(name) \(version ?? "")"
        let names = nodes.map { ([name] + $0.path).joined(separator: "-") }
        return zip(nodes, names).map { node, own in
            var lines = [
                ".TH \(Self.roffArgument(own.uppercased())) 1 \"\" \(Self.roffArgument(release))",
                ".SH NAME", "\(Self.roff(own)) \\- \(Self.roff(node.verb.brief))",
                ".SH SYNOPSIS", ".nh", ".ad l",
            ]
            let usage = node.verb.usageLine(path: [name] + node.path, all: true)
            lines += [Self.roffText(usage), ".ad b", ".hy", ".SH DESCRIPTION"]
            lines.append(Self.roffText(node.verb.overview))
            lines += node.verb.discussion.flatMap { [".PP", Self.roffText($0)] }
            lines += node.verb.manualLists
            if !exitCodes.isEmpty {
                lines.append(".SH EXIT STATUS")
                lines += exitCodes.flatMap { code, meaning in
                    [".TP", "\(code)", Self.roffText(meaning + ".")]
                }
            }
            let related = names.filter { $0 != own }.map { "\($0)(1)" } + others
            if !related.isEmpty {
                lines += [".SH SEE ALSO", related.map(Self.roff).joined(separator: ",\n")]
            }
            return ManualPage(
                fileName: "\(own).1", text: lines.joined(separator: "\n") + "\n")
        }
    }

    /// The overview as NAME wants it: small at its start, without the full stop.
    private var brief: String {
        let text = overview.hasSuffix(".") ? String(overview.dropLast()) : overview
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Arguments, options, verbs and examples.
    private var manualLists: [String] {
        func list(_ title: String, _ rows: [(String, String)]) -> [String] {
            guard !rows.isEmpty else { return [] }
            return [".SH \(title)"]
                + rows.flatMap { label, text in
                    [".TP", ".B \(Self.roffArgument(label))", Self.roffText(text)]
                }
        }
        let options = options.map { declared in
            let note = declared.defaultText.map { " (default: \($0))" } ?? ""
            return (declared.label, declared.help + note)
        }
        var lines = list("ARGUMENTS", arguments.map { ($0.label, $0.help) })
        lines += list("OPTIONS", options)
        lines += list("VERBS", verbs.map { ($0.name, $0.overview) })
        if !examples.isEmpty {
            lines.append(".SH EXAMPLES")
            lines += examples.enumerated().flatMap { number, example in
                (number == 0 ? [] : [".PP"]) + [
                    Self.roffText(example.meaning), ".PP", ".nf", ".RS",
                    Self.roffLine(example.command), ".RE", ".fi",
                ]
            }
        }
        return lines
    }

    /// `text` with what roff would take for its own escaped; hyphens are those one types.
    private static func roff(_ text: String) -> String {
        text.substituting("\\", with: "\\e").substituting("-", with: "\\-")
            .substituting("…", with: "...").substituting("–", with: "\\(en")
            .substituting("×", with: "\\(mu").substituting("−", with: "\\-")
    }

    /// The same as a line of its own: a full stop or a quote at its start is no request.
    private static func roffLine(_ text: String) -> String {
        let escaped = roff(text)
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    /// The same broken into lines of some 70 characters, as those who read the source like it.
    private static func roffText(_ text: String) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < 70 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.map(roffLine).joined(separator: "\n")
    }

    /// The same as one argument of a request.
    private static func roffArgument(_ text: String) -> String {
        "\"\(roff(text).substituting("\"", with: "\\(dq"))\""
    }
}
