package import CommandLine
package import Simulation
package import WatchProtoCore

/// A stage in virtual time: the world of the simulation, its clock, its disks, its checkers.
package struct WorldStage: ScenarioStage {
    private let makeWorld:
        (_ scenario: Scenario, _ observe: @escaping (RunObservation, Int, Instant) -> Void) -> World

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - mutant: a bug to plant, for tests of the evaluator.
    ///   - makeSecurity: makes the security of each life of each side.
    package init<Security: PeerSecurity>(
        mutant: Mutant? = nil,
        makeSecurity: @escaping @Sendable (_ side: Int, _ life: Int) -> Security
    ) {
        makeWorld = { scenario, observe in
            World(scenario, mutant: mutant, makeSecurity: makeSecurity, observe: observe)
        }
    }

    /// When the scenario begins: until then the two meet, and the list gets to the watch, over a
    /// link without any network conditions.
    static var begin: Duration { .seconds(3) }

    package func perform(_ plan: ScenarioPlan) throws(RigFailure) -> ScenarioRecord {
        let notes = WorldNotes(plan, begin: Instant.zero.advanced(by: Self.begin))
        let scenario = WorldScript(plan, begin: Self.begin).scenario
        let result = makeWorld(scenario, notes.take).run()
        for finding in result.findings {
            let device: Device = finding.side == 0 ? .phone : .watch
            notes.note(
                .trouble(device, "\(finding.checker): \(finding.message)"), at: finding.at)
        }
        return notes.record(at: result.endedAt)
    }
}
