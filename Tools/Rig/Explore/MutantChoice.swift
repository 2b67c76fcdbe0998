import CommandLine
import ControlProtocol
import Simulation

/// Which planted bugs to hunt: one, all, or none but a list of them.
enum MutantChoice: ArgumentValue, Hashable {
    case list
    case all
    case named(Mutant)

    static let choices = Mutant.all.map(\.name) + ["all", "list"]

    init(argument: String) throws(ArgumentFault) {
        switch argument {
        case "list": self = .list
        case "all": self = .all
        default:
            guard let mutant = Mutant(name: argument) else {
                let hint = Spelling.nearest(to: argument, among: Self.choices)
                throw ArgumentFault(
                    "it must be a name of --mutant list, all or list"
                        + (hint.map { "; did you mean '\($0)'?" } ?? ""))
            }
            self = .named(mutant)
        }
    }

    var argumentText: String {
        switch self {
        case .list: "list"
        case .all: "all"
        case .named(let mutant): mutant.name
        }
    }

    /// The one that is named.
    var one: Mutant? { if case .named(let mutant) = self { mutant } else { nil } }
}
