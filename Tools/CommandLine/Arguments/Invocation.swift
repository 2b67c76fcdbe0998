/// The outcome of reading a command line.
package enum CommandLineResult: Sendable {
    /// Run a verb.
    case run(Invocation)
    /// Print the text on stdout and leave with exit code 0: help, the version, the description
    /// for tools.
    case print(String)
}

/// A verb with the values it was given.
package struct Invocation: Sendable {
    /// The verbs that led here, without the program's name; empty for a program without verbs.
    package let path: [String]

    let options: [(name: String, text: String)]
    let flags: [String]
    let arguments: [String]
    let argumentNames: [String]

    /// The value of `option`, or its default; nil without either.
    package subscript<Value>(option: CommandOption<Value>) -> Value? {
        guard let text = options.last(where: { $0.name == option.name })?.text else {
            return option.defaultValue
        }
        // Parsing has checked every value already.
        return try? Value(argument: text)
    }

    /// Whether `flag` was given.
    package subscript(flag: CommandFlag) -> Bool { flags.contains(flag.name) }

    /// The value of `argument`; nil when an optional one was not given.
    package subscript<Value>(argument: CommandArgument<Value>) -> Value? {
        guard let place = argumentNames.firstIndex(of: argument.name), place < arguments.count
        else {
            return nil
        }
        return try? Value(argument: arguments[place])
    }

    /// The names of all options and flags that were given, in their order.
    package var given: [String] { options.map(\.name) + flags }

    /// The command that asks for the same again: the verbs, the arguments and what was given, in
    /// order, and nothing that was left to its default.
    ///
    /// - Parameters:
    ///   - program: the word it begins with.
    ///   - left: options and flags, by name, that it leaves out.
    ///   - settings: options that it has with this value, whether they were given or not.
    ///   - others: the arguments, where they are not those that were given.
    package func commandLine(
        of program: String, without left: [String] = [],
        setting settings: [(name: String, text: String)] = [], arguments others: [String]? = nil
    ) -> String {
        var shown = options.filter { !left.contains($0.name) }
        for setting in settings {
            if let place = shown.firstIndex(where: { $0.name == setting.name }) {
                shown[place].text = setting.text
            } else {
                shown.append(setting)
            }
        }
        let arguments = others ?? self.arguments
        // Where one could be taken for an option, all stand behind the mark that ends these.
        let isMarked = arguments.contains { $0.hasPrefix("-") && $0 != "-" }
        var words = [program] + path + (isMarked ? [] : arguments)
        for option in shown {
            words +=
                option.text.hasPrefix("-")
                ? ["--\(option.name)=\(option.text)"] : ["--\(option.name)", option.text]
        }
        words += flags.filter { !left.contains($0) }.map { "--\($0)" }
        if isMarked { words += ["--"] + arguments }
        return words.map(Self.quoted).joined(separator: " ")
    }

    /// As a shell reads it back (sh(1)): in single quotes where it holds what a shell would take
    /// for its own.
    private static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./=,:%+@".utf8.contains(byte)
            }
        }
        guard !plain || word.isEmpty else { return word }
        return "'" + word.substituting("'", with: "'\\''") + "'"
    }

    /// Whether `option` was given, rather than taken from its default.
    package func isGiven<Value>(_ option: CommandOption<Value>) -> Bool {
        options.contains { $0.name == option.name }
    }
}

/// A command line that asks for nothing that exists; exit code 64.
package struct UsageError: Error, Sendable, CustomStringConvertible {
    /// One fault of it.
    package struct Fault: Hashable, Sendable {
        /// A sentence: what was typed and what is wrong with it.
        package var message: String
        /// The help of the option concerned: its label and its sentence.
        package var help: String?
    }

    /// Every fault of the command line, in its order.
    package var faults: [Fault]
    /// How the verb is used, on one line.
    package var usage: String
    /// The command that shows its help.
    package var helpCommand: String

    /// The whole text for stderr, without a line feed at its end.
    package var description: String {
        var lines: [String] = []
        for fault in faults {
            lines.append("Error: \(fault.message)")
            if let help = fault.help { lines.append("Help:  \(help)") }
        }
        lines.append("Usage: \(usage)")
        lines.append("  See '\(helpCommand)' for more information.")
        return lines.joined(separator: "\n")
    }
}
