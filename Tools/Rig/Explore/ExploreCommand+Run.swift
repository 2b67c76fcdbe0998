import Bench
import CommandLine
import ControlProtocol
import Simulation
import WatchProtoCore

/// Many seeds: a share of them, block by block, from where an earlier process stopped.
extension ExploreCommand {
    func explore(
        _ seeds: ClosedRange<UInt64>, _ explorer: Explorer, _ options: ExploreOptions,
        _ invocation: Invocation
    ) throws(RigFailure) -> ExitCode {
        let workers = invocation[jobs] ?? Files.processorCount
        guard seeds.upperBound - seeds.lowerBound < 1_000_000_000 else {
            throw RigFailure(
                .usage,
                "--seeds \(seeds.lowerBound)..\(seeds.upperBound) are too many: "
                    + "it must be 1000000000 at most.",
                details: ["Try: several runs, or --shard on several machines."])
        }
        let shard = invocation[shards.shard] ?? .whole
        guard shard.block(0, of: seeds) != nil else {
            throw RigFailure(
                .usage,
                "--shard \(shard.argumentText) has no seed of "
                    + "--seeds \(seeds.lowerBound)..\(seeds.upperBound).",
                details: ["Try: as many shares as there are seeds at most."])
        }
        let path = invocation[shards.state]
        var state = try ExploreState.begun(
            ExploreState(
                seeds: seeds, shard: shard,
                course: Self.course(explorer, options), isSealed: explorer.isSealed),
            from: path)
        let progress = try Progress("explore", invocation)
        do throws(RigFailure) {
            try Self.run(&state, explorer, options, workers: workers, progress, path)
        } catch {
            progress.finish()
            if let path { try state.write(to: path) }
            throw error
        }
        progress.finish()
        if let path { try state.write(to: path) }
        return try Self.report(state, Console(invocation))
    }

    /// The digest of the first few seeds in this build.
    private static func course(
        _ explorer: Explorer, _ options: ExploreOptions
    ) -> UInt64 {
        explorer.run(seeds: 1...5, options: options).digest
    }

    private static func run(
        _ state: inout ExploreState, _ explorer: Explorer, _ options: ExploreOptions,
        workers: Int, _ progress: Progress, _ path: String?
    ) throws(RigFailure) {
        let total = state.shard.seedCount(of: state.seeds)
        var begin = MonotonicClock.nowNanoseconds
        var writtenAt = begin
        while let block = state.shard.block(state.nextBlock, of: state.seeds),
            state.summary.findings.count < options.findingLimit
        {
            let part = try Blocking.wait {
                await explorer.run(seeds: block, options: options, workers: workers)
            }
            state.summary.add(part)
            state.nextBlock += 1
            let now = MonotonicClock.nowNanoseconds
            state.seconds += Double(now - begin) / 1e9
            begin = now
            progress.count(
                state.summary.seedsDone, of: total, failing: state.summary.findings.count)
            try state.keep(at: path, &writtenAt)
        }
    }

    // MARK: Merging

    /// Puts the shares of one exploration together.
    func merge(_ paths: [String], _ console: Console) throws(RigFailure) -> ExitCode {
        let states = try ExploreState.read(paths)
        guard let first = states.first else { return .usage }
        var whole = ExploreState(
            seeds: first.seeds, shard: .whole, course: first.course,
            isSealed: first.summary.isSealed)
        for state in states { whole.summary.add(state.summary) }
        whole.nextBlock = states.map(\.nextBlock).max() ?? 0
        whole.seconds = states.reduce(0) { $0 + $1.seconds }
        let code = try Self.report(whole, console)
        guard let missing = ExploreState.missing(in: states) else { return code }
        try console.show(missing + "\n")
        return code == .done ? .targetMissed : code
    }

    private static func report(
        _ state: ExploreState, _ console: Console
    ) throws(RigFailure) -> ExitCode {
        let (summary, seconds, part) = (state.summary, state.seconds, state.shard)
        let rate = Decimals.fixed(Double(summary.seedsDone) / max(seconds, 1e-9), decimals: 0)
        let share = part.count > 1 ? ", share \(part.argumentText)" : ""
        try console.give(state.json)
        try console.show(
            "\(summary.text)\n\(Decimals.fixed(seconds, decimals: 1)) s, \(rate) seeds/s\(share)\n")
        return summary.passed ? .done : .assertionFailed
    }
}
