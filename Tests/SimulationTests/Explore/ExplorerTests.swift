import Simulation
import Testing
import WatchProtoCore

@Suite struct ExplorerTests {
    private let explorer = SimulatedSecurity.inClear

    @Test func two_workers_find_what_one_finds() async {
        var options = ExploreOptions()
        options.shrinksFindings = false
        options.findingLimit = 1_000
        let one = explorer.run(seeds: 1...60, options: options)
        let two = await explorer.run(seeds: 1...60, options: options, workers: 2)
        #expect(one.seedsDone == 60)
        #expect(one.digest == two.digest)
        #expect(one.coverage == two.coverage)
        #expect(one.findings.map(\.seed) == two.findings.map(\.seed))
        #expect(one.eventCount == two.eventCount)
    }

    @Test func a_finding_names_its_seed_and_how_to_see_it_again() throws {
        var options = ExploreOptions()
        options.mutant = .environment(.deliverTwice)
        options.findingLimit = 1
        let summary = explorer.run(seeds: 1...50, options: options)
        let finding = try #require(summary.findings.first)
        #expect(finding.findings.contains { $0.checker == "nothing-twice" })
        #expect(finding.replayCommand.hasPrefix("rig explore --seed \(finding.seed)"))
        #expect(finding.replayCommand.hasSuffix(" --unsealed --trace"))
        #expect(summary.text.contains(finding.replayCommand))
        #expect(!finding.traceTail.isEmpty)
        // The scenario that remains after shrinking still shows the fault, and is small.
        let cut = try #require(finding.cut)
        let again = explorer.replay(seed: finding.seed, cut: cut, options: options)
        #expect(again.findings.contains { $0.checker == finding.findings[0].checker })
        let acts = try #require(cut.acts)
        #expect(acts.count <= 3)
        #expect(cut.faults?.isEmpty == true)
    }

    @Test func what_ran_without_a_seal_says_so_and_taints_what_it_is_added_to() throws {
        var options = ExploreOptions()
        options.coverageSeedCount = .max
        let sealed = try SimulatedSecurity.sealed()
        var summary = ExploreSummary(seeds: 1...4)
        summary.add(sealed.run(seeds: 1...2, options: options))
        #expect(summary.isSealed && !summary.text.contains("UNSEALED"))
        summary.add(explorer.run(seeds: 3...4, options: options))
        #expect(!summary.isSealed)
        #expect(summary.text.hasPrefix("explored 4 seeds (1 to 4), links UNSEALED: "))
        #expect(
            SeedFinding(seed: 7, findings: [], cut: nil).replayCommand
                == "rig explore --seed 7 --trace")
    }

    @Test func a_run_that_misses_a_rarity_does_not_pass() {
        var options = ExploreOptions()
        options.coverageSeedCount = 1
        let summary = explorer.run(seeds: 1...1, options: options)
        #expect(!summary.unmet.isEmpty)
        #expect(!summary.passed)
        #expect(summary.text.contains("\nnever met, although so many seeds must meet it: "))
        #expect(summary.text.hasSuffix("\nno seed fails, but too little was met"))
    }

    /// The last seed has none after it.
    @Test(arguments: [UInt64.max - 0...UInt64.max, UInt64.max - 5...UInt64.max])
    func the_last_seeds_of_all_can_be_explored(seeds: ClosedRange<UInt64>) async {
        let together = await explorer.run(seeds: seeds, workers: 2)
        #expect(together.seedsDone == UInt64(seeds.count))
        #expect(together.digest == explorer.run(seeds: seeds).digest)
    }

    @Test func progress_is_told() {
        var options = ExploreOptions()
        options.shrinksFindings = false
        options.findingLimit = 1_000
        var last: ExploreProgress?
        _ = explorer.run(seeds: 1...100, options: options) { last = $0 }
        #expect(last?.seedsDone == 100)
        #expect(last?.seedCount == 100)
    }
}
