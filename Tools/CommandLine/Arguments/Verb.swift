/// A program or one of its verbs: what it takes and how help describes it.
///
/// Declarations are values that the program keeps and later asks the ``Invocation`` with, so that a
/// name is written once:
///
/// ```swift
/// let seed = CommandOption<UInt64>("seed", value: "n", default: 42, help: "…")
/// var demo = Verb("demo", overview: "…")
/// demo.add(seed)
/// // …
/// invocation[seed]
/// ```
package struct Verb: Sendable {
    /// The word typed: `demo`; for the program itself its name.
    package let name: String
    /// The first sentence of help.
    package let overview: String
    /// Further help, one paragraph per element.
    package var discussion: [String] = []
    /// Commands worth copying.
    package var examples: [CommandExample] = []
    /// The verbs below this one. A verb with verbs runs only through one of them.
    package var verbs: [Verb] = []
    /// The title under which help lists it; a verb with verbs is listed there by these. Without
    /// one it stands among the SUBCOMMANDS.
    package var group: String?
    /// Former verbs below this one, and the words that replaced them.
    package var formerVerbs: [String: String] = [:]
    /// Former options, without their dashes, and the words that replaced them.
    package var formerOptions: [String: String] = [:]
    /// The version that `--version` prints after the name; nil where there is none.
    package var version: String?

    var declarations: [Declaration] = []

    /// Makes the verb `name`; `overview` is one sentence.
    package init(_ name: String, overview: String) {
        self.name = name
        self.overview = overview
    }

    /// Makes the verb take `option`.
    package mutating func add<Value>(_ option: CommandOption<Value>) {
        insert(
            Declaration(
                kind: .option, name: option.name, valueName: option.valueName, help: option.help,
                defaultText: option.defaultValue?.argumentText, isOptional: !option.isRequired,
                completion: option.completion,
                fault: {
                    Declaration.fault(
                        of: $0, as: Value.self, in: option.rangeText, option.objection)
                }))
    }

    /// Makes the verb take `flag`.
    package mutating func add(_ flag: CommandFlag) {
        insert(Declaration(kind: .flag, name: flag.name, help: flag.help))
    }

    /// Makes the verb take `argument` at the next place.
    ///
    /// - Precondition: no required argument follows an optional one; the caller is at fault.
    package mutating func add<Value>(_ argument: CommandArgument<Value>) {
        precondition(
            argument.isOptional
                || !declarations.contains { declared in
                    declared.kind == .argument && declared.isOptional
                })
        insert(
            Declaration(
                kind: .argument, name: argument.name, help: argument.help,
                isOptional: argument.isOptional, completion: argument.completion,
                fault: { Declaration.fault(of: $0, as: Value.self) }))
    }

    /// Makes every verb below take `--version` as well, which prints the program's.
    package mutating func spreadVersion() {
        for place in verbs.indices {
            verbs[place].version = version
            verbs[place].spreadVersion()
        }
    }

    private mutating func insert(_ declaration: Declaration) {
        precondition(
            !declarations.contains { $0.name == declaration.name },
            "'\(declaration.name)' is declared twice")
        declarations.append(declaration)
    }

    /// The flags that every verb has besides its own declarations.
    var builtIn: [Declaration] {
        var list = [
            Declaration(kind: .flag, name: "help", shortName: "h", help: "Show this help.")
        ]
        if version != nil {
            list.append(Declaration(kind: .flag, name: "version", help: "Show the version."))
        }
        return list
    }

    /// Options and flags, its own before the built-in ones.
    var options: [Declaration] { declarations.filter { $0.kind != .argument } + builtIn }
    var arguments: [Declaration] { declarations.filter { $0.kind == .argument } }
}
