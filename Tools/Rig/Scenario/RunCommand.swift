import CommandLine
import ControlProtocol
import NetworkEmulation
import Reports
import Scenarios
import Simulation
import WatchProtoCore
import WatchProtoTransport

/// `rig run`: a scenario, in real or in virtual time.
struct RunCommand {
    let scenario = CommandArgument<String>(
        "scenario|file", optional: true, completion: .wordsOrFile(Self.bundled?.names ?? []),
        help:
            "A bundled scenario, or a file of JSON (its name has a slash or ends in .json). "
            + "Without it the bundled scenarios are listed.")
    let all = CommandFlag("all", help: "Run all bundled scenarios, in both kinds of time.")
    let clock = CommandOption<Clock>(
        "clock", value: "time",
        help: "real (processes), virtual (the simulated world) or both. Without it virtual, and "
            + "both with --all.")
    let seed = SharedOptions.seed(default: nil)
    let simulators = SharedOptions.simulators
    let output = OutputOptions()

    /// The clocks that can be asked for.
    enum Clock: String, ArgumentChoice {
        case real, virtual, both

        var clocks: [ScenarioClock] {
            switch self {
            case .real: [.real]
            case .virtual: [.virtual]
            case .both: [.virtual, .real]
            }
        }
    }

    private static let bundled = BundledScenarios(near: DemoOptions.ownDirectory)

    var verb: Verb {
        var verb = Verb(
            "run", overview: "Performs a scenario, and says whether it ends well.")
        verb.discussion = [
            "A scenario says what is done to a phone, a watch and the link between them, when, and "
                + "what must come of it: each tap counted once, lists equal, changes there in "
                + "time, "
                + "the user told the truth. share/schema/scenario-1.json describes the file, and "
                + "the article 'scenarios' explains it.",
            "In real time PhoneSim and WatchSim are processes on their journals (TMPDIR says "
                + "where), "
                + "with the link model between them. In virtual time both peers live in the "
                + "simulated world, with its disks, its clock and its checkers: the same course "
                + "every time. The same evaluator holds the same expectations against both.",
            "Ends with exit code 1 when one does not hold, and says what was expected, what was "
                + "seen, when, and the command that repeats it.",
        ]
        verb.add(scenario)
        verb.add(all)
        verb.add(clock)
        verb.add(seed)
        verb.add(simulators)
        output.add(to: &verb)
        verb.examples = [
            CommandExample("rig run", "the bundled scenarios, a line each"),
            CommandExample("rig run gym", "one of it, in virtual time"),
            CommandExample("rig run gym --clock real", "the same with processes"),
            CommandExample("rig run mine.json --seed 7 --out out/mine", "a scenario of your own"),
            CommandExample("rig run --all --clock virtual", "all of them, in seconds"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let writer = output.writer(invocation)
        let name = invocation[scenario]
        if invocation[all] {
            guard name == nil else {
                throw RigFailure(
                    .usage,
                    "--all runs every bundled scenario, and '\(Excerpt.of(name ?? ""))' is one.",
                    details: ["Try: leave out one of the two."])
            }
        } else if name == nil {
            try refuseWithoutScenario(invocation)
            return try list(invocation)
        }
        try writer.prepare()
        let plans = try self.plans(name, invocation)
        let clocks = (invocation[clock] ?? (invocation[all] ? .both : .virtual)).clocks
        if clocks.contains(.real) {
            try RealRun.checkSimulators(in: invocation[simulators] ?? DemoOptions.ownDirectory)
        }
        let begin = MonotonicClock.nowNanoseconds
        let progress = try Progress("run", invocation)
        var outcomes: [ScenarioOutcome] = []
        var failure: RigFailure?
        do throws(RigFailure) {
            for plan in plans {
                for clock in clocks {
                    progress.step("\(plan.name), \(clock.rawValue) time")
                    outcomes.append(
                        try perform(plan, clock, invocation, progress))
                }
            }
        } catch {
            failure = error
        }
        progress.finish()
        if let failure, outcomes.isEmpty { throw failure }
        let report = self.report(
            outcomes, of: plans, clocks, tookNanoseconds: MonotonicClock.nowNanoseconds - begin,
            failure, invocation)
        return writer.write(report, failure: failure ?? missed(outcomes, invocation))
    }

    /// Refuses an option for performing a scenario when no scenario is given.
    private func refuseWithoutScenario(_ invocation: Invocation) throws(RigFailure) {
        let isGiven: [(name: String, isGiven: Bool)] = [
            (clock.name, invocation[clock] != nil), (seed.name, invocation[seed] != nil),
            (simulators.name, invocation[simulators] != nil),
            (output.out.name, invocation[output.out] != nil),
        ]
        guard let first = isGiven.first(where: \.isGiven) else { return }
        throw RigFailure(
            .usage, "--\(first.name) needs a scenario to perform, and none is given.",
            details: [
                "Try: a bundled scenario ('rig run' lists them), a file, or --all."
            ])
    }

    private func list(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        guard let bundled = Self.bundled else {
            throw RigFailure(
                .missingInput,
                "The bundled scenarios are not where they should be: \(BundledScenarios.place) "
                    + "above "
                    + "\(DemoOptions.ownDirectory).",
                details: ["Try: run inside the package, or name a file."])
        }
        let plans = try bundled.all()
        try Console.print(
            invocation[output.json]
                ? BundledScenarios.json(plans)
                : BundledScenarios.table(plans).text(ProgressMode.columns(ofTerminal: 1)))
        return .done
    }

    private func plans(
        _ name: String?, _ invocation: Invocation
    ) throws(RigFailure) -> [ScenarioPlan] {
        var plans: [ScenarioPlan] = []
        if let name {
            plans = [try BundledScenarios.plan(name, in: Self.bundled)]
        } else {
            plans = try Self.bundled?.all() ?? []
        }
        if let seed = invocation[seed] {
            for index in plans.indices { plans[index].seed = seed }
        }
        return plans
    }

    private func perform(
        _ plan: ScenarioPlan, _ clock: ScenarioClock, _ invocation: Invocation,
        _ progress: Progress
    ) throws(RigFailure) -> ScenarioOutcome {
        switch clock {
        case .virtual: return try Self.perform(plan)
        case .real:
            let programs = invocation[simulators] ?? DemoOptions.ownDirectory
            let interval = plan.link.up.options.sendInterval
            func address(_ port: UInt16) -> LinkAddress {
                OwnAddress.udp(port, datagramBytes: plan.datagramBytes, sendInterval: interval)
            }
            let stage = ProcessStage(
                ProcessStage.Place(
                    programs: programs, near: address(7301), far: address(7302))
            ) { progress.pace("\(plan.name): \($0)") }
            return ScenarioOutcome(plan, clock, try stage.perform(plan))
        }
    }
}
