import Bench
import CommandLine
import ControlProtocol
import Glibc
import Simulation
import WatchProtoCore
import WatchProtoSecurity

/// `rig explore`: thousands of simulated lifetimes against the checkers.
struct ExploreCommand {
    let seeds = CommandOption<SeedRange>(
        "seeds", value: "range", default: SeedRange(1...1000),
        help: "The seeds to run, for example 1..10000.")
    let seed = CommandOption<UInt64>(
        "seed", value: "n",
        help: "Every random choice follows from it: run this one again, instead of a range.")
    let cut = CommandOption<CutText>(
        "cut", value: "cut",
        help:
            "With --seed: run only what this leaves of the scenario, for example acts=0-3;faults=1."
    )
    let trace = CommandFlag("trace", help: "With --seed: print every line of the run's trace.")
    let shards = ShardOptions(of: "seeds")
    let jobs = CommandOption<Int>(
        "jobs", value: "n", in: 1...256,
        help: "How many seeds to run at once; without it, one per processor.")
    let unsealed = CommandFlag(
        "unsealed",
        help: "For development: the two do not pair, and their sessions are in clear. Seeds tell "
            + "other stories then; every report says so.")
    let sealed = CommandFlag(
        "sealed", help: "Sessions are sealed. They are anyway: for commands noted down earlier.")
    let mutant = CommandOption<MutantChoice<Mutant>>(
        "mutant", value: "name",
        help: "Plant a known bug, and run until a checker that is there for it catches it: a "
            + "name, all, or list to see them. 10,000 seeds unless --seeds says otherwise; "
            + "with --unsealed, sessions are sealed only where the bug needs it.")

    /// The text of a `ScenarioCut`.
    struct CutText: ArgumentValue {
        var cut: ScenarioCut

        init(argument: String) throws(ArgumentFault) {
            guard let cut = ScenarioCut(argument) else {
                throw ArgumentFault("it must read like acts=0-3,7;faults=1;calm=loss")
            }
            self.cut = cut
        }

        var argumentText: String { "\(cut)" }
    }

    var verb: Verb {
        var verb = Verb(
            "explore",
            overview: "Runs simulated lifetimes, one per seed, and names the seeds that fail.")
        verb.discussion = [
            "The two are paired, and their sessions sealed. "
                + "Deterministic: the same seed gives the same run and the same digest in every "
                + "process. Ends with exit code 1 when a seed fails, with the command that shows "
                + "it again, and when 1,000 seeds or more never meet something that they must "
                + "meet.",
            "A search that finds nothing proves something only if it can find bugs: with "
                + "--mutant it ends with exit code 0 when every planted bug was caught, and with "
                + "1 when one was not caught within the seeds.",
        ]
        verb.add(seeds)
        verb.add(seed)
        verb.add(cut)
        verb.add(trace)
        shards.add(to: &verb)
        verb.add(jobs)
        verb.add(unsealed)
        verb.add(sealed)
        verb.add(mutant)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        Progress.add(to: &verb)
        verb.examples = [
            CommandExample("rig explore --seeds 1..10000", "ten thousand lifetimes"),
            CommandExample("rig explore --seed 42 --trace", "one of them, line by line"),
            CommandExample(
                "rig explore --seeds 1..10000 --unsealed", "in clear, for development: faster"),
            CommandExample(
                "rig explore --seeds 1..1000000 --shard 1/2 --state a.json",
                "half a million, to be gone on with at any time"),
            CommandExample("rig explore --merge a.json,b.json", "what both halves found"),
            CommandExample("rig explore --mutant all", "plants each known bug: is it caught?"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        guard !invocation[sealed] || !invocation[unsealed] else {
            throw RigFailure(.usage, "--sealed and --unsealed exclude each other.")
        }
        let planted = invocation[mutant]
        if let one = planted?.one { try check(one, isSealed: !invocation[unsealed]) }
        if let planted, invocation[seed] == nil { return try hunt(planted, invocation) }
        return try run(invocation, invocation[unsealed] ? Self.inClear : Self.makeSealed())
    }

    private func check(_ mutant: Mutant, isSealed: Bool) throws(RigFailure) {
        guard !isSealed, mutant.needsSealing else { return }
        throw RigFailure(
            .usage, "Unsealed sessions cannot have the bug '\(mutant.name)'.",
            details: ["Try: leave --unsealed out."])
    }

    static let inClear = Explorer { side, life in
        NullSecurity(
            PeerLabel(role: side == 0 ? .phone : .watch, pairing: PairingID(rawValue: 1)),
            seed: UInt64(life * 2 + side))
    }

    static func mark(isSealed: Bool) -> String { isSealed ? "" : ExploreSummary.unsealedMark }

    static func makeSealed() throws(RigFailure) -> Explorer {
        let devices: SimulatedPair
        do throws(PairingFailure) {
            devices = try SimulatedPair(seed: 1)
        } catch {
            throw RigFailure(.software, "Cannot pair two simulated devices: \(error).")
        }
        return Explorer { side, life in
            devices.security(of: side == 0 ? .phone : .watch, life: UInt64(life))
        }
    }

    private func run(
        _ invocation: Invocation, _ explorer: Explorer
    ) throws(RigFailure) -> ExitCode {
        var options = ExploreOptions()
        if let planted = invocation[mutant] {
            guard let one = planted.one else {
                throw RigFailure(.usage, "--seed takes one mutant, not '\(planted.argumentText)'.")
            }
            options.mutant = one
        }
        if let one = invocation[seed] {
            guard !invocation.isGiven(seeds) else {
                throw RigFailure(.usage, "--seed and --seeds exclude each other.")
            }
            return try replay(one, explorer, options, invocation)
        }
        guard invocation[cut] == nil, !invocation[trace] else {
            throw RigFailure(.usage, "--cut and --trace need the --seed that they are about.")
        }
        if let files = invocation[shards.merging] {
            return try merge(files.paths, Console(invocation))
        }
        let range = (invocation[seeds] ?? SeedRange(1...1000)).seeds
        return try explore(range, explorer, options, invocation)
    }

    private func replay(
        _ seed: UInt64, _ explorer: Explorer, _ options: ExploreOptions,
        _ invocation: Invocation
    ) throws(RigFailure) -> ExitCode {
        let cut = invocation[cut]?.cut ?? ScenarioCut()
        let console = Console(invocation)
        let course = explorer.describe(seed: seed, cut: cut, options: options)
        for line in course.split(separator: "\n", omittingEmptySubsequences: false) {
            try console.show(TraceWords.plain(String(line)) + "\n")
        }
        var lines: [String] = []
        let printsTrace = invocation[trace]
        let result = explorer.replay(seed: seed, cut: cut, options: options) { line in
            if printsTrace { lines.append(TraceWords.plain(line)) }
        }
        if printsTrace { try console.show(lines.map { $0 + "\n" }.joined()) }
        var text = result.findings.map { "\($0)\n" }.joined()
        text +=
            "seed \(seed)\(Self.mark(isSealed: explorer.isSealed)): \(result.eventCount) events, "
            + "digest \(ExploreSummary.hex(result.digest)), "
        text +=
            result.findings.isEmpty
            ? "nothing found\n" : Counted.words(result.findings.count, "finding") + "\n"
        try console.show(text)
        try console.give(
            [
                "seed": .whole(seed), "sealed": .bool(explorer.isSealed),
                "events": .whole(result.eventCount),
                "digest": .string(ExploreSummary.hex(result.digest)),
                "findings": .array(result.findings.map { .string("\($0)") }),
            ])
        guard let planted = options.mutant else {
            return result.findings.isEmpty ? .done : .assertionFailed
        }
        let isCaught = result.findings.contains {
            planted.checkers?.contains($0.checker) ?? true
        }
        return isCaught ? .done : .assertionFailed
    }
}
