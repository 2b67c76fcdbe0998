import Foundation
import SimKit
import Testing
import WatchProto

/// Bugs planted in the rooms of the peers. (Some rules are caution: Models/README.md says which
/// mutants break no promise; those are not here.)
@Suite struct CoreMutantTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// Each with a sealed seed that shows it.
    private static let caught: [(Mutant, UInt64)] = [
        (.ordered(.acknowledgeBeforeCommit), 10_001), (.ordered(.throughOnly), 10_001),
        (.ordered(.pendingSettles), 10_001), (.ordered(.settleReceived), 10_001),
        (.ordered(.keysVolatile), 10_002), (.ordered(.cancelAtOnce), 10_021),
        (.ordered(.watermarkBeforeCommit), 10_016), (.identity(.noPendingRule), 10_001),
        (.identity(.statesEarly), 10_004), (.identity(.statesWithoutTicket), 10_002),
        (.identity(.noPositions), 10_139), (.identity(.noAbandonedMarks), 10_044),
        (.identity(.ignoresAbandonedMarks), 10_044), (.connection(.noCounter), 10_014),
        (.connection(.noRefusal), 10_077),
    ]

    @Test(arguments: caught)
    func mutants_of_the_rooms_are_caught(mutant: Mutant, seed: UInt64) throws {
        let found = try SimulatedSecurity.sealed().hunt(mutant, seeds: seed...seed)
        #expect(found != nil, "\(mutant.name)")
    }

    /// `SIM_HUNT=1-300 swift test --filter CoreMutantTests` says which mutants are caught.
    @Test(.enabled(if: environment["SIM_HUNT"] != nil))
    func mutants_are_hunted() throws {
        let ends = (Self.environment["SIM_HUNT"] ?? "").split(separator: "-").compactMap {
            UInt64($0)
        }
        let explorer = try SimulatedSecurity.sealed()
        for mutant in Mutant.all {
            if case .environment = mutant { continue }
            let found = explorer.hunt(mutant, seeds: ends[0]...ends[1])
            print(mutant.name, found.map { "\($0.seed): \($0.finding)" } ?? "-")
            FileHandle.standardError.write(Data("\(mutant.name)\n".utf8))
        }
    }
}
