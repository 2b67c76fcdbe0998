package import CommandLine
import ControlProtocol

/// The scenarios that come with the package.
package struct BundledScenarios: Sendable {
    /// Where they are, above the program.
    package static let place = "share/scenarios"

    private let directory: String

    /// The bundled scenarios at `directory`.
    package init(directory: String) { self.directory = directory }

    /// The bundled scenarios above the directory `start`; nil where there is none.
    package init?(near start: String) {
        var above = start
        for _ in 0..<8 {
            let path = "\(above)/\(Self.place)"
            if Files.isDirectory(path) {
                directory = path
                return
            }
            above += "/.."
        }
        return nil
    }

    /// The names of all scenarios, in their order.
    package var names: [String] {
        Files.names(in: directory).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    }

    /// All scenarios, in the order of their names.
    ///
    /// - Throws: exit codes 65 and 66 for one that cannot be read.
    package func all() throws(RigFailure) -> [ScenarioPlan] {
        var plans: [ScenarioPlan] = []
        for name in names { plans.append(try ScenarioFile.read(file: "\(directory)/\(name).json")) }
        return plans
    }

    /// A scenario by its name, or of a file: a text with a slash, or with the ending `.json`.
    ///
    /// - Throws: exit code 64 for a name that is none, 66 for a file that is not there, 65 for one
    ///   that holds no scenario, with all its faults.
    package static func plan(_ text: String, in bundled: BundledScenarios?) throws(RigFailure)
        -> ScenarioPlan
    {
        guard !text.contains("/"), !text.hasSuffix(".json") else {
            return try ScenarioFile.read(file: text)
        }
        let names = bundled?.names ?? []
        if let bundled, names.contains(text) {
            return try ScenarioFile.read(file: "\(bundled.directory)/\(text).json")
        }
        let hint = Spelling.nearest(to: text, among: names).map { " Did you mean '\($0)'?" }
        throw RigFailure(
            .usage, "There is no scenario '\(Excerpt.of(text))'.\(hint ?? "")",
            details: [
                names.isEmpty
                    ? "The bundled scenarios, \(place), are not above this program."
                    : "Scenarios: \(names.joined(separator: ", ")).",
                "Try: 'rig run' lists them; a file's name has a slash or ends in .json.",
            ])
    }

    /// A row for each of `plans`: its name and its title.
    package static func table(_ plans: [ScenarioPlan]) -> TextTable {
        TextTable(plans.map { [$0.name, $0.title] })
    }

    /// The same for programs.
    package static func json(_ plans: [ScenarioPlan]) -> String {
        let rows = plans.map { plan -> JSONValue in
            [
                "name": .string(plan.name), "title": .string(plan.title), "why": .string(plan.why),
                "steps": .whole(plan.steps.count),
                "expectations": .whole(plan.expectations.count),
            ]
        }
        return JSONWriter.text(.array(rows), layout: .pretty) + "\n"
    }
}
