import Simulation
import Testing
import WatchProtoCore

/// The share of the search that every change goes through; `SearchTests` and `rig explore` run the
/// rest.
@Suite struct SeedsTests {
    private static func run(
        _ explorer: Explorer, _ seeds: ClosedRange<UInt64>
    ) async -> ExploreSummary {
        var options = ExploreOptions()
        options.shrinksFindings = false
        return await explorer.run(seeds: seeds, options: options, workers: 2)
    }

    private static func check(_ summary: ExploreSummary) {
        for finding in summary.findings {
            Issue.record("seed \(finding.seed): \(finding.findings)")
        }
    }

    /// As many as have to meet everything that is rare.
    @Test func sealed_peers_keep_every_promise() async throws {
        let summary = await Self.run(try SimulatedSecurity.sealed(), 1...1_000)
        Self.check(summary)
        #expect(summary.unmet.isEmpty && summary.passed, "\(summary.unmet)")
    }

    @Test func dense_scenarios_keep_every_promise() async throws {
        let first = Scenario.firstDenseSeed
        Self.check(await Self.run(try SimulatedSecurity.sealed(), first...first + 150))
    }

    /// Early data behind a message 1 that was not taken was read with the hello of one before; an
    /// epoch that was listed late began the fragments of others anew. Copies of message 1 were
    /// answered on a stream. Early data of a device hid the top of its copy.
    @Test(arguments: [21_968, 4_001_748, 69_283, 106_132, 34_571, 76_638, 86_003, 87_899])
    func seeds_that_failed_once_keep_every_promise(seed: UInt64) throws {
        let result = try SimulatedSecurity.sealed().replay(seed: seed)
        #expect(result.findings.isEmpty, "\(result.findings)")
    }

    /// The shape carries all of a scenario within the time in which it has to settle.
    @Test func a_constant_shape_keeps_every_promise() async throws {
        let first = Scenario.seedsOfShapes.lowerBound
        #expect(Scenario.generated(seed: first).shape != nil)
        Self.check(await Self.run(try SimulatedSecurity.sealed(), first...first + 3))
    }

    /// Each block is given once, or its sender hears that it was not delivered.
    @Test func blocks_of_files_keep_every_promise() async throws {
        let first = Scenario.seedsOfBlocks.lowerBound
        let explorer = try SimulatedSecurity.sealed()
        Self.check(await Self.run(explorer, first...first + 100))
        var (given, ended) = (0, 0)
        for seed in first..<first + 8 {
            _ = explorer.replay(seed: seed) { line in
                if line.contains("deliver     block ") { given += 1 }
                if line.contains("block"), line.contains("notDelivered") { ended += 1 }
            }
        }
        #expect(given > 0 && ended > 0, "\(given) given, \(ended) not delivered")
    }

    /// A limit that is reached costs time and bytes, and no record.
    @Test func tight_limits_keep_every_promise() async throws {
        let first = Scenario.seedsOfLimits.lowerBound
        Self.check(await Self.run(try SimulatedSecurity.sealed(), first...first + 200))
    }

    @Test func peers_without_a_seal_keep_every_promise() async {
        Self.check(await Self.run(SimulatedSecurity.inClear, 1...150))
    }
}
