/// Completion for fish: a function that says which verb the words before the cursor lead to, and
/// one `complete` for each thing that may be typed there.
extension Verb {
    var fishCompletion: String {
        let paths = nodes.dropFirst().map { node in
            "'\(node.path.joined(separator: " "))'"
        }
        let lines = nodes.flatMap(fishLines)
        return """
            # fish completion of \(name), made by '\(name) completions fish'
            function __\(name)_at
                set -l at ''
                set -l words (commandline -opc)
                set -e words[1]
                for word in $words
                    switch (string trim -- "$at $word")
                        case \(paths.joined(separator: " "))
                            set at (string trim -- "$at $word")
                        case '*'
                            break
                    end
                end
                test "$at" = "$argv"
            end
            complete -c \(name) -f

            """ + lines.map { $0 + "\n" }.joined()
    }

    private func fishLines(_ node: VerbNode) -> [String] {
        let place = node.path.joined(separator: " ")
        let start = "complete -c \(name) -n \"__\(name)_at \(place)\""
        var lines = node.verb.verbs.map { verb in
            "\(start) -a \(verb.name) -d \(Self.fishQuoted(verb.overview))"
        }
        for argument in node.verb.arguments {
            let values = Self.fishValues(argument.completion)
            if !values.isEmpty { lines.append("\(start)\(values)") }
        }
        for option in node.verb.options {
            let short = option.shortName.map { " -s \($0)" } ?? ""
            let value = option.kind == .option ? Self.fishOption(option.completion) : ""
            lines.append(
                "\(start)\(short) -l \(option.name)\(value) -d \(Self.fishQuoted(option.help))")
        }
        return lines
    }

    /// An option wants its value; files stand for one only where they may.
    private static func fishOption(_ completion: ArgumentCompletion) -> String {
        let values = fishValues(completion)
        return switch completion {
        case .nothing, .words, .directory: " -x\(values)"
        case .file, .wordsOrFile: " -r\(values)"
        }
    }

    private static func fishValues(_ completion: ArgumentCompletion) -> String {
        let words = completion.words.joined(separator: " ")
        return switch completion {
        case .nothing: ""
        case .words: " -a \(fishQuoted(words))"
        case .file: " -F"
        case .directory: " -a '(__fish_complete_directories)'"
        case .wordsOrFile: " -F -a \(fishQuoted(words))"
        }
    }

    private static func fishQuoted(_ text: String) -> String {
        "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
}
