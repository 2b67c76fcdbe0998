extension Verb {
    /// A fault of a command line that only its words together show, in the form of all others.
    ///
    /// - Parameters:
    ///   - message: A sentence: what was typed and what is wrong with it.
    ///   - option: The name of the option whose help is shown with it.
    public func usageError(_ message: String, option: String? = nil) -> UsageError {
        let declared = options.first { $0.name == option }
        return UsageError(
            faults: [
                UsageError.Fault(
                    message: message, help: declared.map { "\($0.label)  \($0.help)" })
            ], usage: usageLine(path: [name]), helpCommand: "\(name) --help")
    }
}
