import Foundation
import Simulation
import Testing
import WatchProtoCore

/// The planted mistakes of the models are mutants of the peers, too. A search catches each mutant,
/// with two exceptions: nothing has to catch those in ``caution``, and tests of one room alone show
/// those in ``hidden``. ``ScriptedMutantTests`` search for the mutants that need a script.
///
/// Three mistakes that the models find have no mutant of a room. An adopted value can have no other
/// name than one of the present epoch (`BUG_ADOPT_NOWHERE`). Nothing stands in the place of a
/// refusal (`STALE_OPENS`). `BUG_REUSE_EPOCH` is a mutant of the environment, the
/// ``EnvironmentMutant`` reuse-epoch.
///
/// Section 11 of Models/IDENTITY.md names seven rules that are caution: no invariant needs them.
/// Three of them are planted in ``caution``. Only the models plant three others: the check of the
/// case for early data of ordered channels (`BUG_EARLY_UNCHECKED`), the top as of the beginning of
/// the session (`BUG_COVER_LATER`), and that a receiver never takes the present epoch for lost
/// (`BUG_CLOSE_PRESENT`). The seventh, any counter in the journal, is planted as
/// `connection.noCounter`. A search catches it all the same, as the simulation looks for packets
/// that are opened twice.
@Suite struct CoreMutantTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// A mutant, and the sealed seed that showed it first when this was written.
    struct Catch: Sendable, CustomTestStringConvertible {
        var mutant: Mutant
        var seed: UInt64

        init(_ mutant: Mutant, _ seed: UInt64) { (self.mutant, self.seed) = (mutant, seed) }

        var testDescription: String { mutant.name }
    }

    /// So many seeds are tried from the one named on: what a seed does changes with the peers.
    private static let seedCount: UInt64 = 400

    private static let caught: [Catch] = [
        Catch(.identity(.noPendingRule), 10_001),
        Catch(.identity(.noPromotion), 10_146),
        Catch(.identity(.presentsVolatile), 2_003_900),
        Catch(.identity(.statesEarly), 10_004),
        Catch(.identity(.statesWithoutTicket), 10_002),
        Catch(.identity(.noPositions), 10_105),
        Catch(.identity(.presentsStaleConclusion), 2_002_500),
        Catch(.identity(.noAbandonedMarks), 10_038),
        Catch(.identity(.ignoresAbandonedMarks), 10_038),
        Catch(.identity(.loserMarks), 2_000_297),
        Catch(.identity(.actsUnconfirmed), 2_000_129),
        Catch(.identity(.keepsAcrossOpenings), 10_002),
        Catch(.identity(.offlineBatchesUncounted), 2_003_012),
        Catch(.identity(.laterOpeningCounts), 10_139),
        Catch(.identity(.noLastPositions), 10_003),
        Catch(.ordered(.settleReceived), 10_001),
        Catch(.ordered(.receivedKept), 10_060),
        Catch(.ordered(.pendingSettles), 10_001),
        Catch(.ordered(.throughOnly), 10_001),
        Catch(.ordered(.noHandback), 2_000_008),
        Catch(.ordered(.noOrderAcross), 10_008),
        Catch(.ordered(.keysVolatile), 10_002),
        Catch(.ordered(.closeDropsPending), 2_000_065),
        Catch(.ordered(.acknowledgeBeforeCommit), 10_001),
        Catch(.ordered(.forgetClosed), 2_000_065),
        Catch(.ordered(.watermarkBeforeCommit), 10_016),
        Catch(.ordered(.cancelAtOnce), 10_001),
        Catch(.ordered(.forgetOwnClosed), 2_000_023),
        Catch(.latest(.noTopCheck), 10_014),
        Catch(.latest(.noMend), 10_014),
        Catch(.latest(.mendAll), 10_008),
        Catch(.latest(.adoptUnjudged), 10_014),
        Catch(.latest(.knowByValue), 10_056),
        Catch(.latest(.knowEarly), 10_014),
        Catch(.latest(.coverAny), 10_014),
        Catch(.latest(.noWatermark), 10_126),
        Catch(.latest(.watermarkUnmatched), 10_005),
        Catch(.latest(.watermarkNotTop), 10_380),
        Catch(.latest(.presentDurable), 2_001_221),
        Catch(.latest(.forgetAnnounced), 10_002),
        Catch(.latest(.noReannounce), 10_003),
        Catch(.connection(.noCounter), 10_001),
        Catch(.connection(.noRefusal), 10_077),
        Catch(.connection(.noReplayWindow), 10_001),
        Catch(.connection(.noMemoryCounter), 2_000_021),
        Catch(.connection(.anyReset), 2_000_006),
        Catch(.connection(.noAddressLimit), 100_000),
    ]

    /// The mutants of rules that are caution.
    private static let caution: [Mutant] = [
        // A side that answers gives up its own handshake.
        .identity(.keepsOwnHandshake),
        // Each batch carries the counter.
        .identity(.counterOnlyOnEntry),
        // A ticket is not kept beside another pending one.
        .identity(.keepsBesidePending),
    ]

    /// Mutants that another rule of a peer hides, so that no run of two peers shows them; the tests
    /// of the room alone do (`LatestHistoryTests`, `LatestWatermarkTests`).
    private static let hidden: [Mutant] = [
        // Batches become durable in order, and nothing is stated before the session's ticket is.
        .latest(.tellDirty),
        // No early data is taken by a side that went back, and all is announced anew to it.
        .latest(.coverUnknown),
        // The verdict goes with the watermark.
        .latest(.watermarkBeforeKnown),
        // The top shows that a version is lost.
        .latest(.noReservation),
        // Equal values are skipped. No seed of 2,000,000 to 2,014,000 shows it; LatestWalkTests do.
        .latest(.takeUnknown),
    ]

    @Test func every_mutant_of_the_rooms_is_accounted_for() {
        let rooms = Mutant.all.filter { if case .environment = $0 { false } else { true } }
        let scripted = ScriptedMutantTests.scripts.map(\.mutant)
        let known = Self.caught.map(\.mutant) + Self.caution + Self.hidden + scripted
        #expect(Set(known) == Set(rooms) && known.count == rooms.count)
    }

    /// The same seed passes without the mutant: ``Explorer/hunt(_:seeds:)`` sees to it.
    @Test(arguments: caught)
    func mutants_of_the_rooms_are_caught(_ row: Catch) throws {
        let seeds = row.seed...row.seed + Self.seedCount
        let found = try SimulatedSecurity.sealed().hunt(row.mutant, seeds: seeds)
        #expect(found != nil, "\(row.mutant.name)")
    }

    /// `SIM_HUNT=1-300 swift test --filter CoreMutantTests` says which mutants are caught;
    /// `SIM_MUTANT=identity.noPositions,…` hunts only for these.
    @Test(.enabled(if: environment["SIM_HUNT"] != nil))
    func mutants_are_hunted() throws {
        let ends = (Self.environment["SIM_HUNT"] ?? "").split(separator: "-").compactMap {
            UInt64($0)
        }
        let explorer = try SimulatedSecurity.sealed()
        let names = Self.environment["SIM_MUTANT"].map { $0.split(separator: ",") }
        for mutant in Mutant.all {
            if case .environment = mutant { continue }
            if let names, !names.contains(where: { mutant.name == $0 }) { continue }
            let found = explorer.hunt(mutant, seeds: ends[0]...ends[1])
            let text = found.map { "\($0.seed): \($0.finding)" } ?? "-"
            FileHandle.standardError.write(Data("\(mutant.name) \(text)\n".utf8))
        }
    }
}
