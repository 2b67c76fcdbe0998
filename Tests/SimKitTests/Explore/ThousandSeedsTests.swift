import SimKit
import Testing
import WatchProto
import WatchSecurity

/// The share of exploration that every change goes through; `rig explore` runs the rest.
@Suite struct ThousandSeedsTests {
    @Test func a_thousand_seeds_keep_every_promise_and_meet_everything_rare() async {
        let explorer = Explorer<Unsealed> { _, _ in Unsealed() }
        let summary = await explorer.run(seeds: 1...1_000, workers: 2)
        #expect(summary.seedsDone == 1_000)
        #expect(summary.passed, "\(summary.text)")
    }

    /// Deltas, bases, removals and sets are no once-in-a-thousand matters.
    @Test func two_hundred_seeds_meet_what_values_that_change_can_meet() {
        let summary = Explorer<Unsealed> { _, _ in Unsealed() }.run(seeds: 1...200)
        for rarity in [
            Rarity.deltaSent, .baseAsked, .removed, .keyForgotten, .setCompared, .setNotModified,
            .synchronizedAway,
        ] {
            #expect(summary.coverage[rarity] > 0, "\(rarity)")
        }
        #expect(summary.coverage[.deltaSent] > 200)
    }

    @Test func parts_of_an_exploration_add_up() {
        let explorer = Explorer<Unsealed> { _, _ in Unsealed() }
        let whole = explorer.run(seeds: 1...30)
        var parts = ExploreSummary(seeds: 1...30)
        parts.add(explorer.run(seeds: 16...30))
        parts.add(explorer.run(seeds: 1...15))
        #expect(parts.digest == whole.digest)
        #expect(parts.coverage == whole.coverage)
        #expect(parts.seedsDone == 30 && parts.eventCount == whole.eventCount)
    }
}
