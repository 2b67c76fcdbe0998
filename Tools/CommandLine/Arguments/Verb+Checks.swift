extension Verb {
    /// A fault of a command line that only its words together show, in the form of all others.
    ///
    /// - Parameters:
    ///   - message: A sentence: what was typed and what is wrong with it.
    ///   - option: The name of the option whose help is shown with it.
    package func usageError(_ message: String, option: String? = nil) -> UsageError {
        let declared = options.first { $0.name == option }
        return UsageError(
            faults: [
                UsageError.Fault(
                    message: message, help: declared.map { "\($0.label)  \($0.help)" })
            ], usage: usageLine(path: [name]), helpCommand: "\(name) --help")
    }

    /// How the verb at `path` below this one is used, and where more stands: the end of every
    /// message about a wrong command line.
    package func usageHint(path: [String]) -> String {
        var verb = self
        for name in path { verb = verb.verbs.first { $0.name == name } ?? verb }
        let words = [name] + path
        return UsageError(
            faults: [], usage: verb.usageLine(path: words),
            helpCommand: (words + ["--help"]).joined(separator: " ")
        ).description
    }
}
