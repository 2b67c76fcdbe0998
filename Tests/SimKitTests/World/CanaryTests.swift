import SimKit
import Testing
import WatchProto
import WatchSecurity

/// Known ways to build such a system wrongly, planted for whole runs: exploring finds each.
@Suite struct CanaryTests {
    private let explorer = Explorer<Unsealed> { _, _ in Unsealed() }

    @Test(arguments: Canary.allCases)
    func a_canary_is_caught_within_ten_thousand_seeds(canary: Canary) throws {
        var options = ExploreOptions()
        options.canary = canary
        options.findingLimit = 12
        options.shrinksFindings = false
        let summary = explorer.run(seeds: 1...10_000, options: options)
        // A lie about one record, not only a link that finds no rest.
        let promises = [
            "nothing-lost", "nothing-twice", "order", "newest", "truth", "bytes", "once-per-key",
            "commit-first",
        ]
        let finding = try #require(
            summary.findings.first { seed in
                seed.findings.contains { promises.contains($0.checker) }
            }, "\(canary) was not noticed in \(summary.findings.map(\.seed))")
        print("canary \(canary): seed \(finding.seed), \(finding.findings)")
    }
}
