package import WatchProtoCore

/// Runs worlds by the thousand, one per seed, and explains those that fail.
package struct Explorer: Sendable {
    /// Whether packets are sealed.
    package let isSealed: Bool
    private let makeWorld:
        @Sendable (_ scenario: Scenario, _ mutant: Mutant?, _ trace: ((String) -> Void)?) -> World

    /// Makes an explorer of peers with the security that `makeSecurity` makes, anew for each life
    /// of each side (0 the phone, 1 the watch).
    package init<Security: PeerSecurity>(
        makeSecurity: @escaping @Sendable (_ side: Int, _ life: Int) -> Security
    ) {
        isSealed = Security.isSealed
        makeWorld = { scenario, mutant, trace in
            World(scenario, mutant: mutant, makeSecurity: makeSecurity, trace: trace)
        }
    }

    /// Runs `seeds` one after the other.
    ///
    /// - Parameters:
    ///   - seeds: one run each.
    ///   - options: how to explore.
    ///   - progress: called after every 100 seeds, and after each that fails.
    package func run(
        seeds: ClosedRange<UInt64>, options: ExploreOptions = ExploreOptions(),
        progress: (ExploreProgress) -> Void = { _ in }
    ) -> ExploreSummary {
        var summary = ExploreSummary(seeds: seeds)
        summary.coverageSeedCount = options.coverageSeedCount
        summary.isSealed = isSealed
        let count = Self.count(seeds)
        for seed in seeds {
            options.willRun?(seed)
            let result = world(seed, ScenarioCut(), options).run()
            summary.add(result)
            if !result.findings.isEmpty {
                summary.findings.append(explain(seed, result, options))
            }
            if !result.findings.isEmpty || summary.seedsDone % 100 == 0 {
                progress(
                    ExploreProgress(
                        seedsDone: summary.seedsDone, seedCount: count,
                        findings: summary.findings.count))
            }
            if summary.findings.count >= options.findingLimit { break }
        }
        return summary
    }

    /// Runs `seeds` on `workers` threads. Apart from the order of the progress, and unless the
    /// limit of findings ends it early, the summary is that of ``run(seeds:options:progress:)``.
    package func run(
        seeds: ClosedRange<UInt64>, options: ExploreOptions = ExploreOptions(), workers: Int,
        progress: @escaping @Sendable (ExploreProgress) -> Void = { _ in }
    ) async -> ExploreSummary {
        let seedCount = Self.count(seeds)
        let blocks = Self.blocks(of: seeds)
        var outcomes = [[SeedOutcome]?](repeating: nil, count: blocks.count)
        var seedsDone: UInt64 = 0
        var found = 0
        await withTaskGroup(of: (Int, [SeedOutcome]).self) { group in
            var next = 0
            func addNext() {
                guard next < blocks.count, found < options.findingLimit else { return }
                let index = next
                next += 1
                group.addTask { (index, self.outcomes(of: blocks[index], options)) }
            }
            for _ in 0..<max(1, workers) { addNext() }
            while let (index, block) = await group.next() {
                outcomes[index] = block
                seedsDone += UInt64(block.count)
                found += block.count { !$0.result.findings.isEmpty }
                progress(
                    ExploreProgress(
                        seedsDone: seedsDone, seedCount: seedCount, findings: found))
                addNext()
            }
        }
        return merged(outcomes.flatMap { $0 ?? [] }, seeds, options)
    }

    /// How many seeds there are; all of them together are one more than the type can hold.
    private static func count(_ seeds: ClosedRange<UInt64>) -> UInt64 {
        let distance = seeds.upperBound - seeds.lowerBound
        return distance == .max ? .max : distance + 1
    }

    /// The seeds in blocks, one after the other. No seed beyond the last is computed: there may be
    /// none.
    private static func blocks(of seeds: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
        let size: UInt64 = 50
        return (0...(seeds.upperBound - seeds.lowerBound) / size).map { index in
            let first = seeds.lowerBound + index * size
            return first...first + min(size - 1, seeds.upperBound - first)
        }
    }

    private struct SeedOutcome: Sendable {
        var seed: UInt64
        var result: WorldResult
    }

    private func outcomes(of seeds: ClosedRange<UInt64>, _ options: ExploreOptions) -> [SeedOutcome]
    {
        seeds.map { seed in
            options.willRun?(seed)
            return SeedOutcome(seed: seed, result: world(seed, ScenarioCut(), options).run())
        }
    }

    private func merged(
        _ outcomes: [SeedOutcome], _ seeds: ClosedRange<UInt64>, _ options: ExploreOptions
    ) -> ExploreSummary {
        var summary = ExploreSummary(seeds: seeds)
        summary.coverageSeedCount = options.coverageSeedCount
        summary.isSealed = isSealed
        for outcome in outcomes {
            summary.add(outcome.result)
            if !outcome.result.findings.isEmpty, summary.findings.count < options.findingLimit {
                summary.findings.append(explain(outcome.seed, outcome.result, options))
            }
        }
        return summary
    }

    /// Runs one seed, or what `cut` leaves of it, and gives every line of its trace to `trace`.
    package func replay(
        seed: UInt64, cut: ScenarioCut = ScenarioCut(), options: ExploreOptions = ExploreOptions(),
        trace: @escaping (String) -> Void = { _ in }
    ) -> WorldResult {
        world(seed, cut, options, trace: trace).run()
    }

    /// The scenario of a seed in a few lines: carrier, conditions, switches, acts and faults.
    package func describe(
        seed: UInt64, cut: ScenarioCut = ScenarioCut(), options: ExploreOptions = ExploreOptions()
    ) -> String {
        scenario(seed).applying(cut).summary
    }

    /// The scenario of a seed, for this explorer's security.
    private func scenario(_ seed: UInt64) -> Scenario {
        Scenario.generated(seed: seed, isSealed: isSealed)
    }

    private func world(
        _ seed: UInt64, _ cut: ScenarioCut, _ options: ExploreOptions,
        trace: ((String) -> Void)? = nil
    ) -> World {
        makeWorld(scenario(seed).applying(cut), options.mutant, trace)
    }

    private func explain(
        _ seed: UInt64, _ result: WorldResult, _ options: ExploreOptions
    ) -> SeedFinding {
        var finding = SeedFinding(
            seed: seed, findings: result.findings, cut: nil, traceTail: [])
        finding.isSealed = isSealed
        if options.shrinksFindings, let checker = result.findings.first?.checker {
            finding.cut = Shrinker().shrink(scenario(seed)) { smaller in
                makeWorld(smaller, options.mutant, nil).run().findings.contains {
                    $0.checker == checker
                }
            }
        }
        var lines: [String] = []
        let cut = finding.cut ?? ScenarioCut()
        _ = replay(seed: seed, cut: cut, options: options) { line in
            lines.append(line)
            if lines.count > 4 * options.traceTailLines {
                lines.removeFirst(3 * options.traceTailLines)
            }
        }
        finding.traceTail = Array(lines.suffix(options.traceTailLines))
        return finding
    }
}
