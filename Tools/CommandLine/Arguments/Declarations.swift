/// An option with a value: `--seed 42` or `--seed=42`. Given twice, it is refused: whichever
/// counted, the other would be lost without a word.
package struct CommandOption<Value: ArgumentValue>: Sendable {
    /// The name without its dashes.
    package let name: String
    /// The name of the value in help: `seed` is shown as `<seed>`.
    package let valueName: String
    /// One or two sentences for help, with an example where the form is not plain.
    package let help: String
    /// The value when the option is not given.
    package let defaultValue: Value?
    /// Whether the verb runs only with it.
    package let isRequired: Bool
    /// The completions that a shell offers for the value.
    package let completion: ArgumentCompletion
    /// Why a value cannot be: a clause; nil for one that can.
    let objection: @Sendable (Value) -> String?
    /// The values that can be, as `1 to 1000`; nil for all that the type has.
    let rangeText: String?

    /// Declares the option `--name <valueName>`. A nil `completion` follows from the type and from
    /// `valueName`.
    package init(
        _ name: String, value valueName: String, default defaultValue: Value? = nil,
        required isRequired: Bool = false, completion: ArgumentCompletion? = nil, help: String
    ) {
        self.init(
            name, valueName, defaultValue, isRequired, completion, help, nil,
            objection: { _ in nil })
    }

    private init(
        _ name: String, _ valueName: String, _ defaultValue: Value?, _ isRequired: Bool,
        _ completion: ArgumentCompletion?, _ help: String, _ rangeText: String?,
        objection: @escaping @Sendable (Value) -> String?
    ) {
        self.isRequired = isRequired
        self.name = name
        self.valueName = valueName
        self.defaultValue = defaultValue
        self.completion = completion ?? ArgumentCompletion(of: Value.self, named: valueName)
        self.help = help
        self.rangeText = rangeText
        self.objection = objection
    }
}

extension CommandOption where Value: Comparable {
    /// Declares the option `--name <valueName>`, whose value lies in `range`.
    package init(
        _ name: String, value valueName: String, default defaultValue: Value? = nil,
        in range: ClosedRange<Value>, help: String
    ) {
        let text = "\(range.lowerBound.argumentText) to \(range.upperBound.argumentText)"
        self.init(name, valueName, defaultValue, false, nil, help, text) { value in
            range.contains(value) ? nil : "it must be \(text)"
        }
    }
}

/// An option without a value: `--json`.
package struct CommandFlag: Sendable {
    /// The name without its dashes.
    package let name: String
    /// One sentence for help.
    package let help: String

    /// Declares the flag `--name`.
    package init(_ name: String, help: String) {
        self.name = name
        self.help = help
    }
}

/// A word that stands by its place: `rig profiles NAME`.
package struct CommandArgument<Value: ArgumentValue>: Sendable {
    /// Its name in help.
    package let name: String
    /// Whether the verb runs without it.
    package let isOptional: Bool
    /// One sentence for help.
    package let help: String
    /// The completions that a shell offers for it.
    package let completion: ArgumentCompletion

    /// Declares the argument `<name>`. A nil `completion` follows from the type and from the name.
    package init(
        _ name: String, optional isOptional: Bool = false, completion: ArgumentCompletion? = nil,
        help: String
    ) {
        self.name = name
        self.isOptional = isOptional
        self.completion = completion ?? ArgumentCompletion(of: Value.self, named: name)
        self.help = help
    }
}

/// A line of the EXAMPLES section.
package struct CommandExample: Sendable, Hashable {
    /// The command as typed.
    package let command: String
    /// The effect of the command, in a few words.
    package let meaning: String

    /// Makes the example.
    package init(_ command: String, _ meaning: String) {
        self.command = command
        self.meaning = meaning
    }
}

/// One option, flag or argument, without the type of its value.
struct Declaration: Sendable {
    enum Kind: Sendable { case option, flag, argument }

    var kind: Kind
    var name: String
    var shortName: Character?
    var valueName: String?
    var help: String
    var defaultText: String?
    var isOptional = true
    var completion = ArgumentCompletion.nothing
    /// Why a word is not a value of it; nil when it is.
    var fault: @Sendable (String) -> String? = { _ in nil }

    /// As it stands in help: `--rtt <time>`, `-h, --help` or `<scenario>`.
    var label: String {
        switch kind {
        case .option: "--\(name) <\(valueName ?? "value")>"
        case .flag: shortName.map { "-\($0), --\(name)" } ?? "--\(name)"
        case .argument: "<\(name)>"
        }
    }

    /// As it stands in the usage line.
    var usage: String {
        switch kind {
        case .option: isOptional ? "[\(label)]" : label
        case .flag: "[--\(name)]"
        case .argument: isOptional ? "[<\(name)>]" : "<\(name)>"
        }
    }

    static func fault<Value: ArgumentValue>(
        of text: String, as type: Value.Type, in range: String? = nil,
        _ objection: (Value) -> String? = { _ in nil }
    ) -> String? {
        do throws(ArgumentFault) {
            return objection(try Value(argument: text))
        } catch {
            return error.reason(in: range)
        }
    }
}
