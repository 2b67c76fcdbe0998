import Simulation
import Testing
import WatchProtoCore

/// One run follows from its seed alone.
@Suite struct WorldTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func a_seed_has_one_course(seed: UInt64) throws {
        let explorer = try SimulatedSecurity.sealed()
        let first = explorer.replay(seed: seed)
        let second = explorer.replay(seed: seed)
        #expect(first.digest == second.digest)
        #expect(first.eventCount == second.eventCount && first.eventCount > 10)
        #expect(first.digest != explorer.replay(seed: seed + 100).digest)
    }

    @Test func a_trace_changes_nothing() {
        var lines: [String] = []
        let traced = SimulatedSecurity.inClear.replay(seed: 3) { lines.append($0) }
        #expect(traced.digest == SimulatedSecurity.inClear.replay(seed: 3).digest)
        #expect(lines.count == traced.eventCount)
    }

    @Test func parts_of_an_exploration_add_up() {
        var options = ExploreOptions()
        options.shrinksFindings = false
        options.findingLimit = .max
        let explorer = SimulatedSecurity.inClear
        let whole = explorer.run(seeds: 1...30, options: options)
        var parts = ExploreSummary(seeds: 1...30)
        parts.add(explorer.run(seeds: 16...30, options: options))
        parts.add(explorer.run(seeds: 1...15, options: options))
        #expect(parts.digest == whole.digest)
        #expect(parts.coverage == whole.coverage)
        #expect(parts.seedsDone == 30 && parts.eventCount == whole.eventCount)
    }
}
