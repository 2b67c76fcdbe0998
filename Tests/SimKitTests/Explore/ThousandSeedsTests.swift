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
