import ControlKit
import RigKit
import SimKit
import WatchProto
import WatchSecurity

/// Many seeds: a share of them, block by block, from where an earlier process stopped.
extension ExploreCommand {
    func explore<Security: PeerSecurity>(
        _ seeds: ClosedRange<UInt64>, _ explorer: Explorer<Security>, _ options: ExploreOptions,
        _ invocation: Invocation
    ) throws(RigFailure) -> ExitCode {
        let workers = invocation[jobs] ?? Files.processorCount
        guard (1...256).contains(workers) else {
            throw RigFailure(.usage, "--jobs \(workers) must be 1 to 256.")
        }
        guard seeds.upperBound - seeds.lowerBound < 1_000_000_000 else {
            throw RigFailure(
                .usage, "--seeds \(seeds.lowerBound)..\(seeds.upperBound) are too many.")
        }
        let path = invocation[state]
        var state = try Self.begin(
            seeds, invocation[shard] ?? .whole, course: Self.course(explorer, options), path)
        let progress = Progress("explore", isOn: !invocation[quiet])
        do throws(RigFailure) {
            try Self.run(&state, explorer, options, workers: workers, progress, path)
        } catch {
            progress.finish()
            if let path { try state.write(to: path) }
            throw error
        }
        progress.finish()
        if let path { try state.write(to: path) }
        return try Self.report(state.summary, seconds: state.seconds, part: state.shard)
    }

    /// What this build makes of the first few seeds.
    private static func course<Security: PeerSecurity>(
        _ explorer: Explorer<Security>, _ options: ExploreOptions
    ) -> UInt64 {
        explorer.run(seeds: 1...5, options: options).digest
    }

    private static func begin(
        _ seeds: ClosedRange<UInt64>, _ shard: ExploreShard, course: UInt64, _ path: String?
    ) throws(RigFailure) -> ExploreState {
        let fresh = ExploreState(seeds: seeds, shard: shard, course: course)
        guard let path, Files.exists(path) else { return fresh }
        let former = try Blocking.wait { () throws(RigFailure) in
            try ExploreState(contentsOf: path)
        }
        guard former.seeds == seeds, former.shard == shard else {
            throw RigFailure(
                .badInput,
                "'\(path)' is of --seeds \(former.seeds.lowerBound)..\(former.seeds.upperBound)"
                    + " --shard \(former.shard.argumentText), not of what was asked for.",
                details: ["Try: give another file with --state."])
        }
        guard former.course == course else {
            throw RigFailure(
                .badInput, "'\(path)' was begun by a build whose runs go otherwise.",
                details: ["Try: remove it, and begin anew."])
        }
        return former
    }

    private static func run<Security: PeerSecurity>(
        _ state: inout ExploreState, _ explorer: Explorer<Security>, _ options: ExploreOptions,
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
            if let path, now - writtenAt > 2_000_000_000 {
                try state.write(to: path)
                writtenAt = now
            }
        }
    }

    // MARK: Merging

    /// Puts the shares of one exploration together.
    func merge(_ paths: [String]) throws(RigFailure) -> ExitCode {
        var states: [ExploreState] = []
        for path in paths {
            let state = try Blocking.wait { () throws(RigFailure) in
                try ExploreState(contentsOf: path)
            }
            if let first = states.first {
                guard state.seeds == first.seeds, state.shard.count == first.shard.count,
                    state.course == first.course
                else {
                    throw RigFailure(
                        .badInput, "'\(path)' is of another exploration than '\(paths[0])'.")
                }
                guard !states.contains(where: { $0.shard == state.shard }) else {
                    throw RigFailure(
                        .badInput,
                        "'\(path)' is share \(state.shard.argumentText), which another file is too."
                    )
                }
            }
            states.append(state)
        }
        guard let first = states.first else { return .usage }
        var whole = ExploreSummary(seeds: first.seeds)
        for state in states { whole.add(state.summary) }
        let seconds = states.reduce(0) { $0 + $1.seconds }
        let code = try Self.report(whole, seconds: seconds, part: .whole)
        let missing = (1...first.shard.count).filter { index in
            !states.contains { $0.shard.index == index && $0.isComplete }
        }
        guard !missing.isEmpty else { return code }
        try Self.print(
            "not complete: share \(missing.map(String.init).joined(separator: ", "))"
                + " of \(first.shard.count)\n")
        return code == .done ? .targetMissed : code
    }

    private static func report(
        _ summary: ExploreSummary, seconds: Double, part: ExploreShard
    ) throws(RigFailure) -> ExitCode {
        let rate = Decimals.fixed(Double(summary.seedsDone) / max(seconds, 1e-9), decimals: 0)
        let share = part.count > 1 ? ", share \(part.argumentText)" : ""
        try print(
            "\(summary.text)\n\(Decimals.fixed(seconds, decimals: 1)) s, \(rate) seeds/s\(share)\n")
        return summary.passed ? .done : .assertionFailed
    }
}
