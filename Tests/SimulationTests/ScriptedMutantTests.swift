import Simulation
import Testing
import WatchProtoCore

/// Mutants that the scenarios of seeds do not reach: a script brings about what each needs, and a
/// seed draws the moments.
@Suite struct ScriptedMutantTests {
    struct Script: Sendable, CustomTestStringConvertible {
        var mutant: Mutant
        /// The seed that showed it first when this was written.
        var seed: UInt64
        var make: @Sendable (inout SeededGenerator, inout Scenario) -> Void

        var testDescription: String { mutant.name }

        func scenario(_ seed: UInt64) -> Scenario {
            var random = SeededGenerator(seed: seed)
            var scenario = Scenario(seed: seed)
            scenario.linkConditions = scenario.linkConditions.map { options in
                var options = options
                options.delay = .milliseconds(2)
                return options
            }
            make(&random, &scenario)
            return scenario
        }
    }

    private static func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    private static func value(_ time: UInt64) -> Scenario.Act {
        Scenario.Act(at: at(time), side: 0, .send(.context, bytes: 20, key: 1))
    }

    private static func fault(_ time: UInt64, _ what: Scenario.Fault.What) -> Scenario.Fault {
        Scenario.Fault(at: at(time), what)
    }

    static let scripts = [
        // The sender loses a reservation of an epoch that it still has, and writes at once.
        Script(mutant: .latest(.coverNoEnd), seed: 9) { random, scenario in
            scenario.commitNanoseconds = 100_000...300_000
            scenario.carrier.listener = 1
            let count = random.uniform(in: 1_030...1_200)
            scenario.faults = [fault(2_000, .backup(side: 0))]
            scenario.acts = [value(1_000)]
            scenario.acts += (0..<count).map { _ in value(3_000) }
            scenario.faults.append(fault(8_000, .restore(side: 0, downFor: .milliseconds(20))))
            scenario.acts += (0..<random.uniform(in: 1...3)).map { _ in
                value(8_020 + random.uniform(in: 0...30))
            }
            scenario.acts.sort { $0.at < $1.at }
        },
        // A backup holds a pending ticket, and comes back three times.
        Script(mutant: .identity(.pendingNotCommon), seed: 39) { random, scenario in
            scenario.commitNanoseconds = 50_000_000...400_000_000
            scenario.carrier.listener = Int(random.uniform(in: 0...1))
            var time = random.uniform(in: 300...1_200)
            scenario.faults = [fault(time, .backup(side: 0))]
            let back = Scenario.Fault.What.restore(side: 0, downFor: .milliseconds(5))
            time += random.uniform(in: 50...800)
            scenario.faults.append(fault(time, back))
            time += random.uniform(in: 800...2_500)
            scenario.faults.append(fault(time, back))
            time += random.uniform(in: 300...1_300)
            scenario.faults.append(fault(time, .crash(side: 1, downFor: .milliseconds(5))))
            time += random.uniform(in: 500...2_000)
            scenario.faults.append(fault(time, back))
        },
    ]

    private static func finding(
        _ script: Script, _ seed: UInt64, _ mutant: Mutant?
    ) throws -> Finding? {
        let world = World(
            script.scenario(seed), mutant: mutant, makeSecurity: try SimulatedSecurity.factory())
        return world.run().findings.first
    }

    /// So many seeds are tried from the one named on: what a seed does changes with the peers.
    private static let seedCount: UInt64 = 200

    @Test(arguments: scripts)
    func a_script_catches(_ script: Script) throws {
        let seed = try (script.seed...script.seed + Self.seedCount).first { seed in
            try Self.finding(script, seed, script.mutant) != nil
                && Self.finding(script, seed, nil) == nil
        }
        #expect(seed != nil, "\(script.mutant.name)")
    }
}
