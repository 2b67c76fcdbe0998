import Bench
import CommandLine
import ControlProtocol
import Simulation
import WatchProtoCore

/// `rig lab real`: the figures of `rig lab baseline` in real time, beside kernel TCP.
struct RealCommand {
    let profile = CommandOption<String>(
        "profile", value: "names", default: "4g-average,3g,edge",
        completion: .words(BaselineCommand.linkProfiles.map(\.name)),
        help: "These link profiles, commas between.")
    let updates = CommandOption<Int>(
        "updates", value: "n", default: RealRow.enough, in: 1...100_000,
        help: "Complication updates on each link, and as many again as it comes up.")
    let rounds = SharedOptions.rounds(
        default: RealRow.enough,
        "Each sends 100 records at once on each link, and again as it comes up; the updates come "
            + "between.")
    let time = CommandOption<Duration>(
        "time", value: "time", in: .seconds(1)...(.seconds(86_400)),
        help: "How long it may take in all: what does not fit is left out, and n says so. Without "
            + "it, each link has what its latency and rate need for all updates and rounds.")
    let trials = CommandOption<Int>(
        "trials", value: "n", default: 200, in: 1...1_000_000,
        help: "Simulated trials of each cell beside it.")
    let seed = SharedOptions.seed(default: 1)
    let reading = CommandOption<Reading>(
        "reading", value: "which", default: .rtt,
        help: "Whether a profile's latency is the round trip or that of each direction: rtt or "
            + "one-way.")
    let datagram = CommandOption<Int>(
        "datagram", value: "bytes", in: 244...65_502,
        help: "The largest datagram; without it 1200, and 244 over Bluetooth Low Energy.")
    let withoutTCP = CommandFlag("no-tcp", help: "Do not measure kernel TCP beside it.")
    let simulators = SharedOptions.simulators

    enum Reading: String, ArgumentChoice {
        case rtt
        case oneWay = "one-way"
    }

    var verb: Verb {
        var verb = Verb(
            "real",
            overview:
                "Measures the lower bound's cells in real time, beside physics and kernel TCP.")
        verb.discussion = [
            "PhoneSim and WatchSim, paired, with journals (TMPDIR says where), speak over UDP "
                + "through the link model in real time: complication updates until they are shown, "
                + "100 records at once until both journals hold the last; both with the link up, "
                + "and queued when it comes up. Beside each figure stand the limit (propagation, "
                + "and serialization of what was sent first), the line's time for every byte, and "
                + "the median of 'rig lab baseline'.",
            "Real exchanges agree with the simulated ones when their median, and from 100 on their "
                + "p90 and the share above the ideal, are within chance (99 %) and a budget that "
                + "is measured: lateness of the conditioner, commits, 2 ms for the processes. One "
                + "that is not over disagrees.",
            "At the same time a TCP connection (TCP_NODELAY) carries a line of JSON for each "
                + "record through the same model: IP packets of two tun devices, each in a network "
                + "of its own that goes with the run. That needs the rights of root; where they "
                + "are missing it is skipped, and the report says why.",
            "A figure of fewer than \(RealRow.enough) exchanges is named in a warning. Ends "
                + "with exit "
                + "code 2 when a figure does not agree.",
        ]
        verb.add(profile)
        verb.add(updates)
        verb.add(rounds)
        verb.add(time)
        verb.add(trials)
        verb.add(seed)
        verb.add(reading)
        verb.add(datagram)
        verb.add(withoutTCP)
        verb.add(simulators)
        RunFiles.add(to: &verb)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        Progress.add(to: &verb)
        verb.examples = [
            CommandExample("rig lab real", "three links, about six minutes"),
            CommandExample(
                "rig lab real --profile 5g --updates 20 --rounds 5", "one link, quickly"),
            CommandExample(
                "sudo rig lab real --profile 3g --json", "with TCP beside it, for programs"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let profiles = try BaselineCommand.profiles(
            named: invocation[profile] ?? "", among: BaselineCommand.linkProfiles)
        let plan = plan(invocation)
        let trials = invocation[trials] ?? 200
        let directory = invocation[simulators] ?? DemoOptions.ownDirectory
        try RealRun.checkSimulators(in: directory)
        let files = try RunFiles("real", invocation)
        let time = invocation[time]
        let (progress, console) = (try Progress("real", invocation), Console(invocation))
        let end = MonotonicClock.nowNanoseconds + UInt64((time ?? .zero).nanosecondsClamped)
        var reports: [RealReport] = []
        for (place, profile) in profiles.enumerated() {
            let settings = settings(profile, invocation)
            var simulated: [RealCell: BaselineSamples] = [:]
            for cell in RealCell.allCases {
                guard let twin = cell.simulated else { continue }
                progress.step("\(profile.name): \(twin.title), simulated")
                simulated[cell] = try BaselineCommand.simulate(twin, settings, trials: trials)
            }
            // Of a time that was given, what is left is shared by the links that are left.
            let now = MonotonicClock.nowNanoseconds
            let share =
                time == nil
                ? UInt64(plan.time(on: settings).nanosecondsClamped)
                : (end - min(now, end)) / UInt64(profiles.count - place)
            let run = RealRun(settings, plan, in: directory, progress)
            let report = try run.measure(simulated, until: now + share)
            progress.finish()
            try console.show(report.text(console.columns))
            reports.append(report)
        }
        let json: JSONValue = ["schema": "rig.real/1", "links": .array(reports.map(\.json))]
        try console.give(json)
        try files.write(reports.map { $0.text() }.joined(), json)
        return reports.contains { $0.isMissed } ? .targetMissed : .done
    }

    private func plan(_ invocation: Invocation) -> RealPlan {
        RealPlan(
            updates: invocation[updates] ?? RealRow.enough,
            rounds: invocation[rounds] ?? RealRow.enough, hasTCP: !invocation[withoutTCP])
    }

    private func settings(
        _ profile: LinkProfile, _ invocation: Invocation
    ) -> BaselineSettings {
        var settings = BaselineSettings(profile)
        settings.reading = invocation[reading] == .oneWay ? .oneWay : .roundTrip
        if let bytes = invocation[datagram] { settings.datagramBytes = bytes }
        settings.seed = invocation[seed] ?? 1
        return settings
    }
}
