import ControlKit
import RigKit
import SimKit
import WatchProto
import WatchSecurity

/// Planted mistakes: whether the checkers would notice.
extension ExploreCommand {
    func hunt(_ choice: CanaryChoice, _ invocation: Invocation) throws(RigFailure) -> ExitCode {
        guard invocation[cut] == nil, !invocation[trace] else {
            throw RigFailure(.usage, "--cut and --trace need the --seed that they are about.")
        }
        let parts: [(String, Bool)] = [
            ("shard", invocation.isGiven(shards.shard)),
            ("state", invocation.isGiven(shards.state)),
            ("merge", invocation.isGiven(shards.merging)), ("jobs", invocation.isGiven(jobs)),
        ]
        if let other = parts.first(where: { $0.1 }) {
            throw RigFailure(.usage, "--mutant and --\(other.0) exclude each other.")
        }
        let given = invocation.isGiven(self.seeds) ? invocation[self.seeds] : nil
        let seeds = given?.seeds ?? 1...10_000
        switch choice {
        case .list: return try list()
        case .all: return try hunt(Canary.allCases, seeds, invocation)
        case .named(let canary): return try hunt([canary], seeds, invocation)
        }
    }

    private func list() throws(RigFailure) -> ExitCode {
        let width = Canary.allCases.map(\.rawValue.count).max() ?? 0
        for canary in Canary.allCases {
            let padding = String(repeating: " ", count: width - canary.rawValue.count + 2)
            try Self.print(
                canary.rawValue + padding + canary.mistake + " (caught by "
                    + canary.checkers.joined(separator: ", ")
                    + (canary.needsSealing ? "; where sealed alone" : "")
                    + (canary.needsClear ? "; where unsealed alone" : "") + ")\n")
        }
        return .done
    }

    private func hunt(
        _ canaries: [Canary], _ seeds: ClosedRange<UInt64>, _ invocation: Invocation
    ) throws(RigFailure) -> ExitCode {
        let sealedWorld = try Self.makeSealed()
        let progress = Progress("explore", invocation, isQuiet: invocation[quiet])
        var (caught, hunted, inClear) = (0, 0, 0)
        for canary in canaries {
            let isSealed = !invocation[unsealed] || canary.needsSealing
            guard !isSealed || !canary.needsClear else {
                try Self.print(
                    "mutant \(canary.rawValue): \(canary.mistake)\n"
                        + "  not hunted: sealed sessions hide it; --unsealed hunts it\n")
                continue
            }
            hunted += 1
            inClear += isSealed ? 0 : 1
            let found =
                isSealed
                ? try Self.hunt(canary, sealedWorld, seeds, progress)
                : try Self.hunt(canary, Self.inClear, seeds, progress)
            progress.finish()
            let mark = Self.mark(isSealed: isSealed)
            try Self.print("mutant \(canary.rawValue)\(mark): \(canary.mistake)\n")
            guard let found else {
                try Self.print(
                    "  NOT caught in the seeds \(seeds.lowerBound) to \(seeds.upperBound)\n")
                continue
            }
            caught += 1
            let seal = isSealed ? "" : " --unsealed"
            try Self.print(
                "  caught at seed \(found.seed) by \(found.finding)\n"
                    + "  repeat: rig explore --mutant \(canary.rawValue) --seed \(found.seed)"
                    + "\(seal) --trace\n")
        }
        let part = inClear == hunted ? "" : " in \(inClear)"
        let mark = inClear == 0 ? "" : ExploreSummary.unsealedMark + part
        let rest = canaries.count - hunted
        try Self.print(
            "\(caught) of \(hunted) caught\(mark)" + (rest == 0 ? "" : ", \(rest) not hunted")
                + "\n")
        return caught == hunted ? .done : .assertionFailed
    }

    private static func hunt<Security: PeerSecurity>(
        _ canary: Canary, _ explorer: Explorer<Security>, _ seeds: ClosedRange<UInt64>,
        _ progress: Progress
    ) throws(RigFailure) -> CanaryCatch? {
        var left = seeds
        while true {
            let block =
                left.lowerBound...left.lowerBound + min(199, left.upperBound - left.lowerBound)
            let found = try Blocking.wait { () async in explorer.hunt(canary, seeds: block) }
            if found != nil || block.upperBound == seeds.upperBound { return found }
            left = (block.upperBound + 1)...seeds.upperBound
            progress.step("mutant \(canary.rawValue), seed \(left.lowerBound)")
        }
    }
}
