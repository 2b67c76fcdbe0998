/// Completion for fish: a function that says which verb the words before the cursor lead to and how
/// many arguments follow it, and one `complete` for each thing that may be typed there.
extension Verb {
    var fishCompletion: String {
        let paths = nodes.dropFirst().map { Self.fishQuoted($0.path.joined(separator: " ")) }
        let valued = nodes.flatMap { node in
            node.verb.options.filter { $0.kind == .option }
                .map { Self.fishQuoted((node.path + ["--\($0.name)"]).joined(separator: " ")) }
        }
        let lines = nodes.flatMap(fishLines)
        return """
            # fish completion of \(name), made by '\(name) completions fish'
            function __\(name)_at
                set -l at ''
                set -l count 0
                set -l option
                for word in (commandline -opc)[2..-1]
                    if set -q option[1]
                        set -e option
                        continue
                    end
                    set -l here (string trim -- "$at $word")
                    switch $here
                        case \(paths.joined(separator: " "))
                            set at $here
                        case \(valued.joined(separator: " "))
                            set option $word
                        case '-*' '* -*'
                        case '*'
                            set count (math $count + 1)
                    end
                end
                test "$at" = "$argv[1]"; and contains -- "$argv[2]" '' $count
            end
            function __\(name)_list
                # Behind a comma the list goes on.
                set -l list (string match -r '^(?:--[^=]*=)?(.*,)' -- (commandline -ct))
                printf '%s\\n' "$list[2]"$argv
            end
            complete -c \(name) -f

            """ + lines.map { $0 + "\n" }.joined()
    }

    private func fishLines(_ node: VerbNode) -> [String] {
        func start(_ count: Int? = nil) -> String {
            let place = "'\(node.path.joined(separator: " "))'" + (count.map { " \($0)" } ?? "")
            return "complete -c \(name) -n \"__\(name)_at \(place)\""
        }
        var lines = node.verb.verbs.map { verb in
            "\(start(0)) -a \(verb.name) -d \(Self.fishQuoted(verb.overview))"
        }
        for (number, argument) in node.verb.arguments.enumerated() {
            let values = Self.fishValues(argument.completion)
            if !values.isEmpty { lines.append("\(start(number))\(values)") }
        }
        for option in node.verb.options {
            let short = option.shortName.map { " -s \($0)" } ?? ""
            let value = option.kind == .option ? fishOption(option.completion) : ""
            lines.append(
                "\(start())\(short) -l \(option.name)\(value) -d \(Self.fishQuoted(option.help))")
        }
        return lines
    }

    /// An option wants its value; files stand for one only where they may.
    private func fishOption(_ completion: ArgumentCompletion) -> String {
        let words = completion.words.joined(separator: " ")
        let values = Self.fishValues(completion, words: "(__\(name)_list \(words))")
        return switch completion {
        case .nothing, .words, .directory: " -x\(values)"
        case .file, .wordsOrFile: " -r\(values)"
        }
    }

    private static func fishValues(
        _ completion: ArgumentCompletion, words: String? = nil
    ) -> String {
        let words = words ?? completion.words.joined(separator: " ")
        return switch completion {
        case .nothing: ""
        case .words: " -a \(fishQuoted(words))"
        case .file: " -F"
        case .directory: " -a '(__fish_complete_directories)'"
        case .wordsOrFile: " -F -a \(fishQuoted(words))"
        }
    }

    private static func fishQuoted(_ text: String) -> String {
        "'\(text.substituting("\\", with: "\\\\").substituting("'", with: "\\'"))'"
    }
}
