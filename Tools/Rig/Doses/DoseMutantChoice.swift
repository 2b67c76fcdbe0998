import CommandLine
import ControlProtocol
import Simulation

/// Which planted bugs of doses to hunt: one, all, or none but a list of them.
enum DoseMutantChoice: ArgumentValue, Hashable {
    case list
    case all
    case named(DoseMutant)

    static let choices = DoseMutant.allCases.map(\.rawValue) + ["all", "list"]

    init(argument: String) throws(ArgumentFault) {
        switch argument {
        case "list": self = .list
        case "all": self = .all
        default:
            guard let mutant = DoseMutant(rawValue: argument) else {
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
        case .named(let mutant): mutant.rawValue
        }
    }
}
