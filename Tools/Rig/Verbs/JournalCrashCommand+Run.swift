import Bench
import CommandLine
import ControlProtocol
import FaultInjection
import Glibc

/// The journal's file on a disk of our own.
extension JournalCrashCommand {
    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let isFaults = invocation.path.last == "faults"
        if let files = invocation[shards.merging] {
            return try merge(files.paths, isFaults, Console(invocation))
        }
        let place =
            invocation[directory] ?? (unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
        if let text = invocation[self.place] {
            return try replay(text.place, isFaults, in: place, invocation)
        }
        let plans = try plans(isFaults, in: place, invocation)
        let path = invocation[shards.state]
        var state = try begin(plans, invocation)
        let progress = try Progress("crash", invocation)
        do throws(RigFailure) {
            for index in plans.indices { try run(plans[index], index, &state, progress, path) }
        } catch {
            progress.finish()
            if let path { try state.write(to: path) }
            throw error
        }
        if let path { try state.write(to: path) }
        return try Self.report([state], isFaults, Console(invocation))
    }

    private func plans(
        _ isFaults: Bool, in place: String, _ invocation: Invocation
    ) throws(RigFailure) -> [any CrashPlan] {
        let families = (invocation[family] ?? FamilyChoice(families: CrashFamily.allCases)).families
        let option = isFaults ? runs : states
        let count = invocation[option] ?? (isFaults ? 1 : 2_000)
        let seed = invocation[seed] ?? 1
        return families.map { family in
            guard isFaults else {
                return CrashCampaign(family: family, states: count, seed: seed, directory: place)
            }
            return FaultCampaign(family: family, runs: count, seed: seed, directory: place)
        }
    }

    private func begin(
        _ plans: [any CrashPlan], _ invocation: Invocation
    ) throws(RigFailure) -> CrashState {
        let isFaults = plans.first is FaultCampaign
        let choice = FamilyChoice(families: plans.map(\.family))
        let count = isFaults ? invocation[runs] ?? 1 : invocation[states] ?? 2_000
        let settings =
            "\(isFaults ? "faults" : "states") --family \(choice.argumentText) "
            + "--\(isFaults ? "runs" : "states") \(count) --seed \(invocation[seed] ?? 1)"
        var course: UInt64 = 0
        for plan in plans {
            course = course &* 31 &+ (try Self.working { try plan.course() })
        }
        let fresh = CrashState(
            settings: settings, shard: invocation[shards.shard] ?? .whole, course: course,
            families: choice.families)
        return try CrashState.begun(fresh, from: invocation[shards.state])
    }

    private func run(
        _ plan: any CrashPlan, _ index: Int, _ state: inout CrashState, _ progress: Progress,
        _ path: String?
    ) throws(RigFailure) {
        var begin = MonotonicClock.nowNanoseconds
        var writtenAt = begin
        var part = state.parts[index]
        let (isFaults, shard) = (plan is FaultCampaign, state.shard)
        while !plan.isDone(part.progress), part.progress.summary.findings.count < plan.findingLimit
        {
            let isOurs = shard.has(part: UInt64(part.progress.next))
            try Self.working {
                try plan.step(&part.progress, isOurs: isOurs) { summary in
                    if Interrupts.isRequested { throw Interrupts.failure }
                    let done = isFaults ? summary.faults : summary.states
                    let unit = isFaults ? "faults" : "states"
                    progress.pace(
                        "\(done) \(unit) of \(plan.family.rawValue), \(summary.findings.count) "
                            + "failing")
                }
            }
            let now = MonotonicClock.nowNanoseconds
            part.seconds += Double(now - begin) / 1e9
            state.seconds += Double(now - begin) / 1e9
            begin = now
            state.parts[index] = part
            try state.keep(at: path, &writtenAt)
        }
        progress.finish()
        state.parts[index].isDone = plan.isDone(part.progress)
    }

    /// Runs a piece of a campaign; an error that the user did not cause is the campaign's own
    /// trouble.
    private static func working<Value>(
        _ body: () throws -> Value
    ) throws(RigFailure) -> Value {
        do {
            return try body()
        } catch let failure as RigFailure {
            throw failure
        } catch let none as NoSuchPlace {
            throw RigFailure(
                .usage, "--at: \(none).",
                details: ["Try: the family and the seed that the place is of."])
        } catch {
            throw RigFailure(
                .cannotWrite, "The campaign could not work: \(error)",
                details: ["Try: another --directory."])
        }
    }

    // MARK: Merging and showing again

    private func merge(
        _ paths: [String], _ isFaults: Bool, _ console: Console
    ) throws(RigFailure) -> ExitCode {
        let states = try CrashState.read(paths)
        guard let first = states.first else { return .usage }
        guard first.settings.hasPrefix(isFaults ? "faults " : "states ") else {
            throw RigFailure(
                .badInput, "'\(paths[0])' is of rig lab crash \(first.settings).",
                details: ["Try: rig lab crash \(isFaults ? "states" : "faults") --merge."])
        }
        let code = try Self.report(states, isFaults, console)
        guard let missing = CrashState.missing(in: states) else { return code }
        try console.show(missing + "\n")
        return code == .done ? .targetMissed : code
    }

    private func replay(
        _ place: CrashPlace, _ isFaults: Bool, in directory: String, _ invocation: Invocation
    ) throws(RigFailure) -> ExitCode {
        guard let families = invocation[family]?.families, families.count == 1 else {
            throw RigFailure(.usage, "--at needs the one --family that it is of.")
        }
        guard isFaults == (place.fault != nil) else {
            throw RigFailure(
                .usage, "--at \(place) is of rig lab crash \(isFaults ? "states" : "faults").")
        }
        let replay = try Self.working {
            try CrashReplay(
                family: families[0], seed: invocation[seed] ?? 1, at: place, directory: directory)
        }
        let console = Console(invocation)
        try console.show(
            replay.lines.map { $0 + "\n" }.joined() + (replay.complaint ?? "nothing found") + "\n")
        try console.give(
            [
                "at": .string("\(place)"), "lines": .array(replay.lines.map { .string($0) }),
                "complaint": replay.complaint.map { .string($0) } ?? .null,
            ])
        return replay.complaint == nil ? .done : .assertionFailed
    }

    // MARK: The report

    private static func report(
        _ states: [CrashState], _ isFaults: Bool, _ console: Console
    ) throws(RigFailure) -> ExitCode {
        guard let first = states.first else { return .usage }
        var findings = 0
        for (index, part) in first.parts.enumerated() {
            var whole = CrashSummary()
            var seconds = 0.0
            for state in states {
                whole.add(state.parts[index].progress.summary)
                seconds += state.parts[index].seconds
            }
            findings += whole.findings.count
            let share =
                states.count == 1 && first.shard.count > 1
                ? ", share \(first.shard.argumentText)" : ""
            try console.show(
                whole.findings.map { "\($0.description)\n  repeat: \($0.replayCommand)\n" }.joined()
                    + "\(part.family.rawValue): \(text(whole, isFaults)): "
                    + Counted.words(whole.findings.count, "finding") + ", "
                    + "\(Decimals.fixed(seconds, decimals: 1)) s\(share)\n")
        }
        try console.give(.array(states.map(\.json)))
        try console.show(
            findings == 0
                ? "nothing acknowledged was lost, and nothing was there by halves\n"
                : "\(findings) findings\n")
        return findings == 0 ? .done : .assertionFailed
    }

    private static func text(_ summary: CrashSummary, _ isFaults: Bool) -> String {
        isFaults
            ? "\(summary.faults) faults in \(summary.runs) runs, \(summary.stopped) stopped the "
                + "journal, \(summary.faults - summary.stopped) did not, \(summary.states) states "
                + "of a crash behind them"
            : "\(summary.states) states of \(summary.runs) runs, \(summary.recoveries) of a crash "
                + "in the recovery, \(summary.calls) calls, \(summary.commits) commits, "
                + "\(summary.folds) folds, \(summary.checkpoints) checkpoints"
    }
}
