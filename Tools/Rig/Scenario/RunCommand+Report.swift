import CommandLine
import ControlProtocol
import NetworkEmulation
import Reports
import Scenarios
import Simulation
import WatchProtoCore
import WatchProtoSecurity

/// What `rig run` has to say.
extension RunCommand {
    /// Performs a plan in the world, sealed.
    static func perform(_ plan: ScenarioPlan) throws(RigFailure) -> ScenarioOutcome {
        let devices: SimulatedPair
        do throws(PairingFailure) {
            devices = try SimulatedPair(seed: 1)
        } catch {
            throw RigFailure(.software, "Cannot pair two simulated devices: \(error).")
        }
        let stage = WorldStage { side, life in
            devices.security(of: side == 0 ? .phone : .watch, life: UInt64(life))
        }
        return ScenarioOutcome(plan, .virtual, try stage.perform(plan))
    }

    /// One scenario has a row for each expectation, several have a row each.
    func report(
        _ outcomes: [ScenarioOutcome], of plans: [ScenarioPlan], _ clocks: [ScenarioClock],
        tookNanoseconds duration: UInt64, _ failure: RigFailure?, _ invocation: Invocation
    ) -> Report {
        let one = plans.count == 1 ? plans.first : nil
        let simulated = outcomes.filter { $0.clock == .virtual }
            .map { UInt64(max(0, $0.record.duration.nanosecondsClamped)) }.reduce(0, +)
        let time = clocks.map { clock in
            let seconds = Decimals.fixed(Double(simulated) / 1e9, decimals: 1)
            return clock == .virtual ? "\(seconds) s of virtual time" : "real time"
        }.joined(separator: " and ")
        var report = Report(
            verb: "run", link: one?.link.name ?? "the links of the scenarios",
            seed: one?.seed ?? invocation[seed] ?? 42, version: Program.version)
        report.missedCode = .assertionFailed
        report.latencyOrigin = "the step that asked for it"
        report.isComplete = failure == nil
        report.load = [one.map { "'\($0.name)'" } ?? "\(plans.count) scenarios", time]
        report.durationNanoseconds = duration
        report.startedAt = WallTime(
            milliseconds: CalendarClock.now.milliseconds - Int64(clamping: duration / 1_000_000))
        if clocks.contains(.virtual) { report.virtualDurationNanoseconds = simulated }
        report.policy = output.policy(invocation)
        report.repeatCommand = command(one, clocks, invocation)
        report.host = Program.host()
        if clocks.contains(.real) {
            // The measured value are the simulators, which say how they were built.
            let builds = Set(outcomes.compactMap(\.record.build)).sorted()
            let directory = invocation[simulators] ?? DemoOptions.ownDirectory
            report.host = Program.host(
                build: builds.first ?? "unknown", executable: "\(directory)/PhoneSim")
        }
        // The page stays below a megabyte: it has the first of many.
        report.courses = outcomes.prefix(Self.mostCourses).map(\.course)
        for outcome in outcomes {
            guard one != nil else {
                let (target, measurement) = outcome.row
                report.addRow(for: target, measurement)
                continue
            }
            for verdict in outcome.verdicts {
                report.addRow(
                    for: Self.target(verdict.target, outcome.clock, isAlone: clocks.count == 1),
                    verdict.measurement)
            }
            report.latencies += outcome.latencies.map { series in
                clocks.count == 1
                    ? series : series.renamed("\(series.name), \(outcome.clock.rawValue)")
            }
        }
        if let one { report.notes = [one.title + ". " + one.why] }
        for plan in plans {
            guard let reason = plan.lastClosure else { continue }
            report.notes.append(
                "\(plan.name) leaves the LINK DOWN: \(reason); what is under way then never arrives"
            )
        }
        return report
    }

    /// Courses that a page draws at most.
    private static let mostCourses = 8

    private static func target(
        _ target: Target, _ clock: ScenarioClock, isAlone: Bool
    ) -> Target {
        isAlone
            ? target
            : .expectation(
                "\(target.id).\(clock.rawValue)", "\(target.title), \(clock.rawValue)",
                target.unit, target.sense, on: target.device, goal: target.goal ?? 0,
                target.statistic)
    }

    /// The failures of the scenarios, in words; nil when there is none.
    func missed(_ outcomes: [ScenarioOutcome], _ invocation: Invocation) -> RigFailure? {
        let failures = outcomes.compactMap { outcome in
            outcome.failure(
                repeatedBy: command(outcome.plan, [outcome.clock], invocation))
        }
        guard let first = failures.first, failures.count > 1 else { return failures.first }
        return RigFailure(
            .assertionFailed, first.message,
            details: first.details
                + failures.dropFirst().flatMap { [$0.message] + $0.details })
    }

    /// The command that performs `plan` again, with its seed; nil for all that were asked for.
    func command(
        _ plan: ScenarioPlan?, _ clocks: [ScenarioClock], _ invocation: Invocation
    ) -> String {
        let left = output.namesWithoutEffect
        guard let plan else { return invocation.commandLine(of: "rig", without: left) }
        let word = clocks.count == 1 ? clocks[0].rawValue : Clock.both.rawValue
        return invocation.commandLine(
            of: "rig", without: left + [all.name],
            setting: [(clock.name, word), (seed.name, "\(plan.seed)")],
            arguments: [invocation[scenario] ?? plan.name])
    }
}
