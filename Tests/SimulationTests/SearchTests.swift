import Foundation
import Simulation
import Testing
import WatchProtoCore

/// A search as long as one asks for: `SIM_SEEDS=1-100000 swift test --filter SearchTests`, with
/// `SIM_CLEAR=1` for peers without a seal, `SIM_MUTANT=name`, and `SIM_TRACE=1` for the trace of a
/// single seed.
@Suite struct SearchTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test(.enabled(if: environment["SIM_SEEDS"] != nil))
    func seeds_that_somebody_asks_for_find_nothing() async throws {
        let ends = (Self.environment["SIM_SEEDS"] ?? "").split(separator: "-").compactMap {
            UInt64($0)
        }
        let seeds = try #require(ends.first)...(try #require(ends.last))
        if Self.environment["SIM_CLEAR"] != nil {
            try await search(SimulatedSecurity.inClear, seeds)
        } else {
            try await search(try SimulatedSecurity.sealed(), seeds)
        }
    }

    private func search(
        _ explorer: Explorer, _ seeds: ClosedRange<UInt64>
    ) async throws {
        var options = ExploreOptions()
        options.mutant = Self.environment["SIM_MUTANT"].flatMap { Mutant(name: $0) }
        options.shrinksFindings = Self.environment["SIM_SHRINK"] != nil
        options.findingLimit = Int(Self.environment["SIM_LIMIT"] ?? "") ?? 10
        if Self.environment["SIM_NAMES"] != nil {
            options.willRun = { FileHandle.standardError.write(Data("seed \($0)\n".utf8)) }
        }
        if Self.environment["SIM_TIMES"] != nil {
            for seed in seeds {
                let began = ContinuousClock.now
                let result = explorer.replay(seed: seed, options: options)
                let time = ContinuousClock.now - began
                let text = explorer.describe(seed: seed).split(separator: "\n")[0]
                print(
                    "\(time.components.attoseconds / 1_000_000_000_000) us,", result.eventCount,
                    text)
            }
            return
        }
        if Self.environment["SIM_TRACE"] != nil {
            let cut = Self.environment["SIM_CUT"].flatMap { ScenarioCut($0) } ?? ScenarioCut()
            print(explorer.describe(seed: seeds.lowerBound, cut: cut))
            let result = explorer.replay(seed: seeds.lowerBound, cut: cut, options: options) {
                print($0)
            }
            print(result.findings.map { "\($0)" }.joined(separator: "\n"))
            return
        }
        let began = clock()
        let summary = await explorer.run(
            seeds: seeds, options: options, workers: Int(Self.environment["SIM_WORKERS"] ?? "") ?? 2
        )
        // Of all threads together.
        let seconds = Double(clock() - began) / Double(CLOCKS_PER_SEC)
        print(summary.text)
        print("\(Int(Double(summary.seedsDone) / seconds)) seeds a processor second")
        let count = summary.findings.count
        #expect(count == 0)
        // Of 1,000 seeds or more, from 10,001 on.
        if options.mutant == nil, seeds.lowerBound > 10_000 {
            for rarity in summary.unmet { Issue.record("never met: \(rarity.name)") }
        }
    }
}
