import Articles
import Simulation
import Testing

/// The tables of the article on the simulation are those of the code.
@Suite struct ArticleTests {
    private static let article = "Tools/Simulation/Simulation.docc/the-simulated-world.md"

    private static func rows(_ title: String) throws -> [[String]] {
        try #require(try MarkdownTable.below(title, in: article)).rows
    }

    /// The names in backquotes of a cell.
    private static func names(_ cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    @Test func each_class_of_faults_is_told() throws {
        let names = try Self.rows("Faults").flatMap { Self.names($0[0]) }
        #expect(names.sorted() == FaultClass.allCases.map(\.rawValue).sorted())
    }

    @Test func each_checker_is_told() throws {
        let names = try Self.rows("Checkers").flatMap { Self.names($0[0]) }
        #expect(names.sorted() == CheckerPanel.names.sorted())
    }

    @Test func each_mutant_of_the_environment_is_told_with_its_checker() throws {
        let expected = EnvironmentMutant.allCases.map { mutant in
            let planted = Mutant.environment(mutant)
            return [
                "`\(mutant.rawValue)`", planted.needsSealing ? "yes" : "–",
                (planted.checkers ?? []).joined(separator: ", "),
            ]
        }
        #expect(try Self.rows("Mutants") == expected)
    }
}
