/// A verb with the words that lead to it, for texts that are made of the whole tree.
struct VerbNode {
    /// The words after the program's name.
    var path: [String]
    var verb: Verb

    /// The options as they are typed, `--help` among them.
    var optionWords: [String] {
        verb.options.flatMap { declared in
            ["--\(declared.name)"] + (declared.shortName.map { ["-\($0)"] } ?? [])
        }
    }
}

extension Verb {
    /// This verb and all below it, each before its own.
    var nodes: [VerbNode] { nodes(below: []) }

    private func nodes(below path: [String]) -> [VerbNode] {
        [VerbNode(path: path, verb: self)] + verbs.flatMap { $0.nodes(below: path + [$0.name]) }
    }
}

/// A shell that can complete command lines.
package enum CompletionShell: String, ArgumentChoice {
    /// GNU Bash, 4.4 or later.
    case bash
    /// The Z shell.
    case zsh
    /// The friendly interactive shell.
    case fish
}

extension Verb {
    /// A script that makes `shell` complete this program's command lines: verbs, options, values
    /// that are one of a few words, files and directories.
    package func completionScript(for shell: CompletionShell) -> String {
        switch shell {
        case .bash: bashCompletion
        case .zsh: zshCompletion
        case .fish: fishCompletion
        }
    }
}

/// Words as shells read them.
enum ShellText {
    /// In single quotes, with those inside escaped as bash and zsh want it.
    static func quoted(_ text: String) -> String {
        "'\(text.substituting("'", with: #"'\''"#))'"
    }

    /// The patterns of a `case`: each quoted, bars between.
    static func patterns(_ words: [String]) -> String {
        words.map(quoted).joined(separator: " | ")
    }
}
