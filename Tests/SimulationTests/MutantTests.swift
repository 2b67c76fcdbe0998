import Simulation
import Testing
import WatchProtoCore

/// Each planted bug is found by exploring, by one of the checkers that are there for it.
@Suite struct MutantTests {
    private static let bound: UInt64 = 400

    @Test(arguments: EnvironmentMutant.allCases)
    func bugs_of_the_environment_are_caught(mutant: EnvironmentMutant) throws {
        let mutant = Mutant.environment(mutant)
        let found =
            mutant.needsSealing
            ? try SimulatedSecurity.sealed().hunt(mutant, seeds: 1...Self.bound)
            : SimulatedSecurity.inClear.hunt(mutant, seeds: 1...Self.bound)
        print(mutant.name, found.map { "\($0.seed): \($0.finding)" } ?? "not caught")
        #expect(found != nil)
    }

    @Test func names_tell_mutants_apart() {
        let names = Mutant.all.map(\.name)
        #expect(Set(names).count == names.count)
        for mutant in Mutant.all { #expect(Mutant(name: mutant.name) == mutant) }
    }
}
