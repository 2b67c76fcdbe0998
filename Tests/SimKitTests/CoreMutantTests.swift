import Foundation
import SimKit
import Testing
import WatchProto

/// Bugs planted in the rooms of the peers. (Some rules are caution: Models/README.md says which
/// mutants break no promise; those are not here.)
@Suite struct CoreMutantTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// Sealed seeds in which each shows, at the latest in the 139th when this was written.
    private static let seeds: ClosedRange<UInt64> = 10_001...10_200

    private static let caught: [Mutant] = [
        .ordered(.acknowledgeBeforeCommit), .ordered(.throughOnly), .ordered(.pendingSettles),
        .ordered(.settleReceived), .ordered(.keysVolatile), .ordered(.cancelAtOnce),
        .ordered(.watermarkBeforeCommit), .identity(.noPendingRule), .identity(.statesEarly),
        .identity(.statesWithoutTicket), .identity(.noPositions), .identity(.noAbandonedMarks),
        .identity(.ignoresAbandonedMarks), .connection(.noCounter), .connection(.noRefusal),
    ]

    @Test(arguments: caught)
    func mutants_of_the_rooms_are_caught(mutant: Mutant) throws {
        let found = try SimulatedSecurity.sealed().hunt(mutant, seeds: Self.seeds)
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
