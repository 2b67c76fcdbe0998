import Foundation
import Simulation
import WatchProtoCore
import WatchProtoSecurity

@testable import Scenarios

/// Helpers that the tests of scenarios share.
enum Support {
    static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The bundled scenarios of the package.
    static let bundled = BundledScenarios(
        directory: package.appending(path: BundledScenarios.place).path())

    /// A file with these steps and expectations.
    static func file(
        _ steps: String, _ expect: String = #"{"errors": "none"}"#, _ further: String = ""
    ) -> String {
        """
        {
          "format": "watchproto.scenario/1",
          "name": "own", "title": "A test", "why": "Tests.",
          \(further.isEmpty ? "" : further + ",")
          "steps": [\(steps)],
          "expect": [\(expect)]
        }
        """
    }

    static func plan(
        _ steps: String, _ expect: String = #"{"errors": "none"}"#, _ further: String = ""
    ) throws -> ScenarioPlan {
        try ScenarioFile.read(Array(file(steps, expect, further).utf8))
    }

    /// Performs a plan in the world, sealed.
    static func virtual(
        _ plan: ScenarioPlan, _ mutant: PlantedMistake? = nil
    ) throws -> ScenarioOutcome {
        let devices = try SimulatedPair(seed: 1)
        let stage = WorldStage(mutant: mutant) { side, life in
            devices.security(of: side == 0 ? .phone : .watch, life: UInt64(life))
        }
        return ScenarioOutcome(plan, .virtual, try stage.perform(plan))
    }
}

typealias PlantedMistake = Mutant
