import Bench
import CommandLine
import ControlProtocol
import Simulation

/// `rig lab doses`: the ledgers of a phone and two watches, in simulated lifetimes.
struct DosesCommand {
    let seeds = CommandOption<SeedRange>(
        "seeds", value: "range", default: SeedRange(1...1000),
        help: "The seeds to run, for example 1..100000.")
    let seed = CommandOption<UInt64>(
        "seed", value: "n",
        help: "Every random choice follows from it: run this one again, instead of a range.")
    let trace = CommandFlag("trace", help: "With --seed: print every step of the run.")
    let jobs = CommandOption<Int>(
        "jobs", value: "n", in: 1...256,
        help: "How many seeds to run at once; without it, one per processor.")
    let mutant = CommandOption<MutantChoice<DoseMutant>>(
        "mutant", value: "name",
        help: "Plant a known bug, and run until the checker catches it: a name, all, or list to "
            + "see them.")

    /// A campaign ends after so many failing seeds.
    private static let failureLimit = 5
    /// The seeds between two reports of progress.
    private static let blockSize: UInt64 = 200

    var verb: Verb {
        var verb = Verb(
            "doses",
            overview: "Runs simulated ledgers of doses, one run per seed, and names failing seeds.")
        verb.discussion = [
            "A phone and two watches record doses while links, disks, sessions and devices fail. "
                + "After every step, a checker holds what they show against the rules of doses. "
                + "At the end, all ledgers must agree.",
            "Deterministic: the same seed gives the same run and the same digest in every process. "
                + "Ends with exit code 1 when a seed fails, or when a planted bug is not caught.",
        ]
        verb.add(seeds)
        verb.add(seed)
        verb.add(trace)
        verb.add(jobs)
        verb.add(mutant)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        Progress.add(to: &verb)
        verb.examples = [
            CommandExample("rig lab doses --seeds 1..100000", "a hundred thousand lifetimes"),
            CommandExample("rig lab doses --seed 42 --trace", "one of them, step by step"),
            CommandExample("rig lab doses --mutant all", "plants each known bug: is it caught?"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        if let one = invocation[seed] {
            guard !invocation.isGiven(seeds) else {
                throw RigFailure(.usage, "--seed and --seeds exclude each other.")
            }
            return try replay(one, invocation)
        }
        guard !invocation[trace] else {
            throw RigFailure(.usage, "--trace needs the --seed that it is about.")
        }
        let range = (invocation[seeds] ?? SeedRange(1...1000)).seeds
        guard let choice = invocation[mutant] else { return try search(range, invocation) }
        switch choice {
        case .list: return try list(Console(invocation))
        case .all: return try hunt(DoseMutant.allCases, range, invocation)
        case .named(let mutant): return try hunt([mutant], range, invocation)
        }
    }

    // MARK: Many seeds

    private func search(
        _ seeds: ClosedRange<UInt64>, _ invocation: Invocation
    ) throws(RigFailure) -> ExitCode {
        let workers = invocation[jobs] ?? Files.processorCount
        let progress = try Progress("doses", invocation)
        let begin = MonotonicClock.nowNanoseconds
        var campaign = DoseCampaign()
        var first = seeds.lowerBound
        while campaign.failures.count < Self.failureLimit {
            let last = first + min(Self.blockSize - 1, seeds.upperBound - first)
            let (before, block) = (campaign, first...last)
            campaign = try Blocking.wait { () async in
                var next = before
                await next.add(block, workers: workers)
                return next
            }
            progress.count(
                campaign.seedsDone, of: seeds.upperBound - seeds.lowerBound + 1,
                failing: campaign.failures.count)
            guard last < seeds.upperBound else { break }
            first = last + 1
        }
        progress.finish()
        let seconds = Double(MonotonicClock.nowNanoseconds - begin) / 1e9
        return try report(campaign, seeds, seconds, Console(invocation))
    }

    private func report(
        _ campaign: DoseCampaign, _ seeds: ClosedRange<UInt64>, _ seconds: Double,
        _ console: Console
    ) throws(RigFailure) -> ExitCode {
        let failures = campaign.failures
        let digest = ExploreSummary.hex(campaign.digest)
        var text =
            "ran \(Counted.words(campaign.seedsDone, "seed")) (from \(seeds.lowerBound)): "
            + "\(campaign.steps) steps, "
            + "\(campaign.events) dose events, digest \(digest), "
        text +=
            failures.isEmpty
            ? "nothing found\n" : Counted.words(failures.count, "failing seed") + "\n"
        for failure in failures {
            text += "seed \(failure.seed): \(TraceWords.plain("\(failure.finding)"))\n"
            text += "  repeat: rig lab doses --seed \(failure.seed) --trace\n"
        }
        text += "\(Decimals.fixed(seconds, decimals: 1)) s\n"
        try console.show(text)
        try console.give(
            [
                "first_seed": .whole(seeds.lowerBound), "last_seed": .whole(seeds.upperBound),
                "seeds_done": .whole(campaign.seedsDone), "digest": .string(digest),
                "steps": .whole(campaign.steps), "events": .whole(campaign.events),
                "failing": .array(
                    failures.map { failure in
                        [
                            "seed": .whole(failure.seed), "finding": .string("\(failure.finding)"),
                        ]
                    }),
            ])
        return failures.isEmpty ? .done : .assertionFailed
    }

    // MARK: One seed

    private func replay(_ seed: UInt64, _ invocation: Invocation) throws(RigFailure) -> ExitCode {
        var planted: DoseMutant?
        switch invocation[mutant] {
        case nil: planted = nil
        case .named(let mutant): planted = mutant
        case .all, .list: throw RigFailure(.usage, "--seed takes one mutant, not all of them.")
        }
        let console = Console(invocation)
        var lines = ""
        let printsTrace = invocation[trace]
        let run = DoseSimulation(seed: seed, mutant: planted) { line in
            if printsTrace { lines += line + "\n" }
        }.run()
        let digest = ExploreSummary.hex(run.digest)
        let finding = run.finding.map { "\($0)" }
        try console.show(
            lines
                + "seed \(seed): \(run.steps) steps, \(run.events) dose events, digest \(digest), "
                + (finding.map(TraceWords.plain) ?? "nothing found") + "\n")
        try console.give(
            [
                "seed": .whole(seed), "steps": .whole(run.steps), "events": .whole(run.events),
                "digest": .string(digest), "finding": finding.map { .string($0) } ?? .null,
            ])
        return (finding == nil) == (planted == nil) ? .done : .assertionFailed
    }

    // MARK: Planted bugs

    private func list(_ console: Console) throws(RigFailure) -> ExitCode {
        let names = DoseMutant.allCases.map(\.rawValue)
        try console.show(names.map { $0 + "\n" }.joined())
        try console.give(.array(names.map { .string($0) }))
        return .done
    }

    private func hunt(
        _ mutants: [DoseMutant], _ seeds: ClosedRange<UInt64>, _ invocation: Invocation
    ) throws(RigFailure) -> ExitCode {
        let console = Console(invocation)
        var rows: [JSONValue] = []
        var caught = 0
        for mutant in mutants {
            let found = try Blocking.wait { () async in DoseCampaign.hunt(mutant, seeds) }
            rows.append(
                [
                    "mutant": .string(mutant.rawValue),
                    "seed": found.map { .whole($0.seed) } ?? .null,
                    "finding": found.map { .string("\($0.finding)") } ?? .null,
                ])
            guard let found else {
                try console.show("mutant \(mutant.rawValue): NOT caught\n")
                continue
            }
            caught += 1
            try console.show(
                "mutant \(mutant.rawValue): caught at seed \(found.seed) by "
                    + "\(TraceWords.plain("\(found.finding)"))\n  repeat: rig lab doses --mutant "
                    + "\(mutant.rawValue) --seed \(found.seed) --trace\n")
        }
        try console.give(["mutants": .array(rows)])
        try console.show("\(caught) of \(mutants.count) caught\n")
        return caught == mutants.count ? .done : .assertionFailed
    }
}
