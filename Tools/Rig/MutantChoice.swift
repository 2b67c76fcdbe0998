import CommandLine
import ControlProtocol
import Simulation

/// A known bug that a simulation plants, by its name on a command line.
protocol PlantedBug: Hashable, Sendable {
    /// Every bug of this simulation.
    static var all: [Self] { get }
    /// The name on a command line.
    var name: String { get }
    /// The bug of this name; nil where there is none.
    init?(name: String)
}

extension Mutant: PlantedBug {}

extension DoseMutant: PlantedBug {
    static var all: [DoseMutant] { allCases }
    var name: String { rawValue }
    init?(name: String) { self.init(rawValue: name) }
}

/// Which planted bugs to hunt: one, all, or none but a list of them.
enum MutantChoice<Bug: PlantedBug>: ArgumentValue, Hashable {
    case list
    case all
    case named(Bug)

    static var choices: [String] { Bug.all.map(\.name) + ["all", "list"] }

    init(argument: String) throws(ArgumentFault) {
        switch argument {
        case "list": self = .list
        case "all": self = .all
        default:
            guard let mutant = Bug(name: argument) else {
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
    var one: Bug? { if case .named(let mutant) = self { mutant } else { nil } }
}
