import ControlProtocol

extension Verb {
    /// Reads `words`, the command line without the program's name.
    ///
    /// Options may stand before or after arguments; everything after `--` is an argument. All
    /// faults are found before any is reported.
    ///
    /// - Throws: every fault of the command line; the user is at fault.
    package func parse(_ words: [String]) throws(UsageError) -> CommandLineResult {
        var verb = self
        var path: [String] = []
        var rest = words[...]
        // 'help lab store' is 'lab store --help'.
        if words.count > 2, words[0] == "help", verbs.contains(where: { $0.name == "help" }),
            verbs.contains(where: { $0.name == words[1] && !$0.verbs.isEmpty })
        {
            rest = words.dropFirst() + ["--help"]
        }
        while !verb.verbs.isEmpty, let word = rest.first, !word.hasPrefix("-") {
            guard let next = verb.verbs.first(where: { $0.name == word }) else {
                if let present = verb.formerVerbs[word] {
                    throw verb.replaced(([name] + path + [word]), by: present, path: [name] + path)
                }
                let hint = Spelling.nearest(to: word, among: verb.verbs.map(\.name))
                throw verb.error(
                    "Unknown verb '\(Excerpt.of(word))'."
                        + (hint.map { " Did you mean '\($0)'?" } ?? ""),
                    help: hint == nil ? verb.verbList : nil, path: [name] + path)
            }
            path.append(word)
            rest = rest.dropFirst()
            verb = next
        }
        // A verb that only leads to others explains itself.
        if !verb.verbs.isEmpty, rest.isEmpty {
            return .print(verb.helpText(path: [name] + path))
        }
        return try verb.parseOptions(rest, program: self, path: path)
    }

    private func replaced(_ words: [String], by present: String, path: [String]) -> UsageError {
        UsageError(
            faults: [
                UsageError.Fault(
                    message: "'\(words.joined(separator: " "))' is now '\(present)'.")
            ], usage: usageLine(path: path), helpCommand: "\(present) --help")
    }

    private func parseOptions(
        _ words: ArraySlice<String>, program: Verb, path: [String]
    ) throws(UsageError) -> CommandLineResult {
        let commandPath = [program.name] + path
        var scanner = WordScanner(verb: self, words: words)
        scanner.scan()
        if scanner.flags.contains("help") { return .print(helpText(path: commandPath)) }
        // A request for help is answered even where the line has faults. The version is not: it
        // would hide that the rest of the line was not done.
        if scanner.faults.isEmpty, scanner.flags.contains("version"), let version {
            return .print("\(program.name) \(version)")
        }
        if scanner.flags.contains("experimental-dump-help") {
            return .print(JSONWriter.text(program.toolDescription, layout: .pretty))
        }
        scanner.noteMissing()
        if scanner.faults.isEmpty, !verbs.isEmpty {
            scanner.faults = [UsageError.Fault(message: "A verb is needed.", help: verbList)]
        }
        guard scanner.faults.isEmpty else {
            throw UsageError(
                faults: scanner.faults, usage: usageLine(path: commandPath),
                helpCommand: (commandPath + ["--help"]).joined(separator: " "))
        }
        return .run(
            Invocation(
                path: path, options: scanner.options, flags: scanner.flags,
                arguments: scanner.arguments, argumentNames: arguments.map(\.name)))
    }

    /// The verbs below, for who named none of them.
    private var verbList: String { "Verbs: \(verbs.map(\.name).joined(separator: ", "))." }

    private func error(_ message: String, help: String?, path: [String]) -> UsageError {
        UsageError(
            faults: [UsageError.Fault(message: message, help: help)], usage: usageLine(path: path),
            helpCommand: (path + ["--help"]).joined(separator: " "))
    }
}

/// One pass over the words of a verb.
private struct WordScanner {
    let verb: Verb
    var words: ArraySlice<String>
    var options: [(name: String, text: String)] = []
    var flags: [String] = []
    var arguments: [String] = []
    var faults: [UsageError.Fault] = []
    /// Options that a misspelt word was probably meant to be, and those that lack their value.
    private var guessed: [String] = []

    init(verb: Verb, words: ArraySlice<String>) {
        self.verb = verb
        self.words = words
    }

    mutating func scan() {
        while let word = words.popFirst() {
            if word == "--" {
                for word in words { take(argument: word) }
                words = []
            } else if word.hasPrefix("--") {
                scanLong(word.dropFirst(2))
            } else if word == "-h" {
                flags.append("help")
            } else if word.hasPrefix("-"), word != "-" {
                unknown(word)
            } else {
                take(argument: word)
            }
        }
    }

    mutating func noteMissing() {
        for declared in verb.options
        where !declared.isOptional && !guessed.contains(declared.name)
            && !options.contains(where: { $0.name == declared.name })
        {
            fault("Missing option '\(declared.label)'.", declared)
        }
        for (place, declared) in verb.arguments.enumerated()
        where place >= arguments.count && !declared.isOptional {
            fault("Missing argument '\(declared.label)'.", declared)
        }
    }

    private mutating func scanLong(_ word: Substring) {
        let name = String(word.prefix { $0 != "=" })
        let attached = word.count > name.count ? String(word.dropFirst(name.count + 1)) : nil
        if name == "experimental-dump-help" {
            flags.append(name)
            return
        }
        guard let declared = verb.options.first(where: { $0.name == name }) else {
            unknown("--\(name)")
            // The word after an unknown option may be its value: it is no fault of its own.
            if attached == nil, verb.arguments.isEmpty, let next = words.first, next != "-",
                !next.hasPrefix("-")
            {
                words.removeFirst()
            }
            return
        }
        if declared.kind == .flag {
            if attached != nil { fault("The flag '--\(name)' takes no value.", declared) }
            flags.append(name)
            return
        }
        guard let text = attached ?? takeValue() else {
            fault("Missing value for '\(declared.label)'.", declared)
            guessed.append(declared.name)
            return
        }
        if let reason = declared.fault(text) {
            fault("The value '\(text)' is invalid for '--\(name)': \(sentence(reason))", declared)
        }
        if let first = options.first(where: { $0.name == name }) {
            fault("'--\(name)' is given twice: '\(first.text)' and '\(text)'.", declared)
        }
        options.append((name, text))
    }

    private mutating func takeValue() -> String? {
        guard let next = words.first else { return nil }
        if next.hasPrefix("-"), next != "-", next.dropFirst().first?.isNumber != true {
            return nil
        }
        words.removeFirst()
        return next
    }

    private mutating func take(argument word: String) {
        guard arguments.count < verb.arguments.count else {
            fault("Unexpected argument '\(word)'.", nil)
            return
        }
        let declared = verb.arguments[arguments.count]
        arguments.append(word)
        if let reason = declared.fault(word) {
            fault(
                "The value '\(word)' is invalid for '\(declared.label)': \(sentence(reason))",
                declared)
        }
    }

    private mutating func unknown(_ word: String) {
        if let present = verb.formerOptions[String(word.dropFirst(2))] {
            fault("'\(word)' is now '\(present)'.", nil)
            return
        }
        let known = verb.options.map { "--\($0.name)" }
        guard let near = Spelling.nearest(to: word, among: known) else {
            fault("Unknown option '\(word)'.", nil)
            return
        }
        let declared = verb.options.first { "--\($0.name)" == near }
        guessed += [declared?.name].compactMap { $0 }
        fault("Unknown option '\(word)'. Did you mean '\(near)'?", declared)
    }

    private mutating func fault(_ message: String, _ declared: Declaration?) {
        let help = declared.map { "\($0.label)  \($0.help)" }
        faults.append(UsageError.Fault(message: message, help: help))
    }

    private func sentence(_ clause: String) -> String {
        clause.hasSuffix("?") ? clause : "\(clause)."
    }
}
