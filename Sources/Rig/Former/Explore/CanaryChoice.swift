import ControlKit
import SimKit

/// Which planted mistakes to hunt: one, all, or none but a list of them.
enum CanaryChoice: ArgumentValue, Hashable {
    case list
    case all
    case named(Canary)

    static let choices = Canary.allCases.map(\.rawValue) + ["all", "list"]

    init(argument: String) throws(ArgumentFault) {
        switch argument {
        case "list": self = .list
        case "all": self = .all
        default:
            guard let canary = Canary(rawValue: argument) else {
                let hint = Spelling.nearest(to: argument, among: Self.choices)
                throw ArgumentFault(
                    "it must be one of \(Self.choices.joined(separator: ", "))"
                        + (hint.map { "; did you mean '\($0)'?" } ?? ""))
            }
            self = .named(canary)
        }
    }

    var argumentText: String {
        switch self {
        case .list: "list"
        case .all: "all"
        case .named(let canary): canary.rawValue
        }
    }

    /// The one that is named.
    var one: Canary? { if case .named(let canary) = self { canary } else { nil } }
}
