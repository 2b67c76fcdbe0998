import CommandLine
import ControlProtocol
import Simulation
import WatchProtoCore

/// Planted bugs: whether the checkers catch each.
extension ExploreCommand {
    func hunt(_ choice: MutantChoice<Mutant>, _ invocation: Invocation) throws(RigFailure)
        -> ExitCode
    {
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
        case .list: return try list(Console(invocation))
        case .all: return try hunt(Mutant.all, seeds, invocation)
        case .named(let mutant): return try hunt([mutant], seeds, invocation)
        }
    }

    private func list(_ console: Console) throws(RigFailure) -> ExitCode {
        let rows = Mutant.all.map { mutant in
            let checkers = mutant.checkers?.joined(separator: ", ") ?? "any checker"
            let place = mutant.needsSealing ? "; where sealed alone" : ""
            return [mutant.name, "caught by \(checkers)\(place)"]
        }
        try console.show(TextTable(rows).text(console.columns))
        try console.give(.array(Mutant.all.map { .string($0.name) }))
        return .done
    }

    private func hunt(
        _ mutants: [Mutant], _ seeds: ClosedRange<UInt64>, _ invocation: Invocation
    ) throws(RigFailure) -> ExitCode {
        let sealedWorld = try Self.makeSealed()
        let (progress, console) = (try Progress("explore", invocation), Console(invocation))
        var rows: [JSONValue] = []
        var (caught, inClear) = (0, 0)
        for mutant in mutants {
            let isSealed = !invocation[unsealed] || mutant.needsSealing
            inClear += isSealed ? 0 : 1
            let explorer = isSealed ? sealedWorld : Self.inClear
            let found = try Self.hunt(mutant, explorer, seeds, progress)
            progress.finish()
            try console.show("mutant \(mutant.name)\(Self.mark(isSealed: isSealed)):\n")
            rows.append(
                [
                    "mutant": .string(mutant.name), "sealed": .bool(isSealed),
                    "seed": found.map { .whole($0.seed) } ?? .null,
                    "finding": found.map { .string("\($0.finding)") } ?? .null,
                ])
            guard let found else {
                try console.show(
                    "  NOT caught in the seeds \(seeds.lowerBound) to \(seeds.upperBound)\n")
                continue
            }
            caught += 1
            let seal = isSealed ? "" : " --unsealed"
            try console.show(
                "  caught at seed \(found.seed) by \(found.finding)\n"
                    + "  repeat: rig explore --mutant \(mutant.name) --seed \(found.seed)"
                    + "\(seal) --trace\n")
        }
        let part = inClear == mutants.count ? "" : " in \(inClear)"
        let mark = inClear == 0 ? "" : ExploreSummary.unsealedMark + part
        try console.give(["mutants": .array(rows)])
        try console.show("\(caught) of \(mutants.count) caught\(mark)\n")
        return caught == mutants.count ? .done : .assertionFailed
    }

    private static func hunt(
        _ mutant: Mutant, _ explorer: Explorer, _ seeds: ClosedRange<UInt64>,
        _ progress: Progress
    ) throws(RigFailure) -> MutantCatch? {
        var left = seeds
        while true {
            let block =
                left.lowerBound...left.lowerBound + min(199, left.upperBound - left.lowerBound)
            let found = try Blocking.wait { () async in explorer.hunt(mutant, seeds: block) }
            if found != nil || block.upperBound == seeds.upperBound { return found }
            left = (block.upperBound + 1)...seeds.upperBound
            progress.step("mutant \(mutant.name), seed \(left.lowerBound)")
        }
    }
}
