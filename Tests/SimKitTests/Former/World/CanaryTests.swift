import Articles
import SimKit
import Testing
import WatchProto
import WatchSecurity

/// Known ways to build such a system wrongly, planted for whole runs: exploring finds each, by a
/// checker that is there for it.
@Suite struct CanaryTests {
    /// The seeds in which each was caught, kept: a mistake that hides better one day shows here.
    private static let kept: [(Canary, UInt64)] = [
        (.ackBeforeCommit, 1), (.dedupeOutsideTransaction, 1), (.keysInMemory, 15),
        (.dropExpiring, 1), (.dropCancelled, 3), (.unknownQueue, 1), (.assumeApplied, 1),
        (.holdBack, 8),
        (.repeatPackets, 1748), (.numberReuse, 6),
        (.sendBeforeCommit, 6), (.synchronousNormal, 1), (.removalSwallowed, 15), (.wrongBase, 6),
        (.halfCoding, 1), (.olderWins, 35), (.tornBatch, 8), (.nonceReset, 1),
        (.flightRewritten, 1), (.replayWindowOff, 1), (.replayWindowOffByOne, 1),
        (.gateInMemory, 1295), (.gateOpen, 1295), (.plainPackets, 1), (.weakCipher, 1),
        (.earlyForgotten, 10), (.earlyOverclaimed, 10),
    ]

    private static func hunt(
        _ canary: Canary, _ seeds: ClosedRange<UInt64>
    ) throws -> CanaryCatch? {
        guard canary.needsSealing else {
            return Explorer<Unsealed> { _, _ in Unsealed() }.hunt(canary, seeds: seeds)
        }
        return try Self.sealed().hunt(canary, seeds: seeds)
    }

    private static func sealed() throws -> Explorer<PairedSecurity> {
        let devices = try SimulatedPair(seed: 1)
        return Explorer { side, life in
            devices.security(of: side == 0 ? .phone : .watch, life: UInt64(life))
        }
    }

    @Test(arguments: Canary.allCases)
    func a_canary_is_caught_within_ten_thousand_seeds(canary: Canary) throws {
        // Those before it take minutes where one is rare.
        let kept = Self.kept.first { $0.0 == canary }?.1 ?? 1
        let late = try Self.hunt(canary, kept...10_000)
        let found = try #require(
            try late ?? Self.hunt(canary, 1...kept), "\(canary) was not noticed")
        #expect(canary.checkers.contains(found.finding.checker))
    }

    @Test func what_was_caught_once_is_caught_again() throws {
        #expect(Self.kept.map(\.0) == Canary.allCases)
        for (canary, seed) in Self.kept {
            #expect(try Self.hunt(canary, seed...seed)?.seed == seed, "\(canary)")
        }
    }

    @Test func without_the_mistake_nothing_is_found_in_those_seeds() throws {
        let explorer = Explorer<Unsealed> { _, _ in Unsealed() }
        for (canary, seed) in Self.kept {
            let found =
                canary.needsSealing
                ? try Self.sealed().replay(seed: seed).findings
                : explorer.replay(seed: seed).findings
            #expect(found == [], "\(canary), seed \(seed)")
        }
    }

    @Test func a_mistake_that_shows_in_no_seed_is_not_caught() throws {
        #expect(try Self.hunt(.sendBeforeCommit, 1...1) == nil)
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below("Canaries", in: "Sources/SimKit/SimKit.docc/the-world.md"))
        #expect(table.header == ["Canary", "Mistake", "Sealed", "Caught by"])
        #expect(
            table.rows
                == Canary.allCases.map {
                    [
                        "`\($0.rawValue)`", $0.mistake,
                        $0.needsSealing ? "yes" : $0.needsClear ? "no" : "–",
                        $0.checkers.joined(separator: ", "),
                    ]
                })
        for canary in Canary.allCases {
            #expect(canary.checkers.allSatisfy(CheckerPanel.names.contains), "\(canary)")
        }
    }
}
