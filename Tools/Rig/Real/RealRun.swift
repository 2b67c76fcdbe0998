import Bench
import CommandLine
import ControlProtocol
import NetworkEmulation
import Simulation
import WatchProtoCore
import WatchProtoTransport

/// Two simulators over UDP through the link model, in real time, on one link.
final class RealRun {
    private let settings: BaselineSettings
    private let plan: RealPlan
    private let simulators: String
    private let progress: Progress
    private let supervisor = Supervisor()
    private var directory = ""
    private var exchanges: [RealExchange] = []

    /// A pairing crosses the same network conditions.
    private static let patience = Duration.seconds(60)

    init(
        _ settings: BaselineSettings, _ plan: RealPlan, in simulators: String, _ progress: Progress
    ) {
        self.settings = settings
        self.plan = plan
        self.simulators = simulators
        self.progress = progress
    }

    /// - Parameter advice: what to do where one is missing; nil for the usual words.
    /// - Throws: exit code 66 where a simulator is missing.
    static func checkSimulators(
        in directory: String, advice: String? = nil
    ) throws(RigFailure) {
        let usual =
            directory == DemoOptions.ownDirectory
            ? "build the whole package (swift build), or give --simulators."
            : "name the directory that holds PhoneSim and WatchSim, or leave out --simulators."
        for name in ["PhoneSim", "WatchSim"] where !Files.isExecutable("\(directory)/\(name)") {
            throw RigFailure(
                .missingInput, "No simulator at \(directory)/\(name).",
                details: ["Try: \(advice ?? usual)"])
        }
    }

    /// Measures until the plan is done or `deadline`, in nanoseconds of CLOCK_MONOTONIC, has come;
    /// an exchange that has begun is brought to its end. Leaves no process and no file.
    ///
    /// - Throws: exit code 69 where the link cannot be had, 75 where an exchange does not end, 130
    ///   when the user interrupts, 70 and 73.
    func measure(
        _ simulated: [RealCell: BaselineSamples], until deadline: UInt64
    ) throws(RigFailure) -> RealReport {
        directory = try TemporaryPlace.make("rig-real")
        defer { Files.removeDirectory(directory) }
        let near = OwnAddress.udp(
            7001, datagramBytes: settings.datagramBytes,
            sendInterval: settings.profile.sendInterval)
        let far = OwnAddress.udp(
            7002, datagramBytes: settings.datagramBytes,
            sendInterval: settings.profile.sendInterval)
        let conditions = NetworkConditions(settings.profile, reading: settings.reading)
        let conditioner: LinkConditioner
        do throws(LinkConditioner.Refusal) {
            conditioner = try LinkConditioner(
                listening: near, connecting: far, conditions: conditions, seed: settings.seed)
        } catch {
            throw RigFailure(.unreachable, "Cannot open the link: \(error).")
        }
        defer { conditioner.close() }
        let watch = try simulator("WatchSim", at: far)
        defer { watch.quit() }
        let phone = try simulator("PhoneSim", at: near)
        defer { phone.quit() }
        return try measure(RealPair(phone, watch, conditioner), simulated, until: deadline)
    }

    private func measure(
        _ pair: RealPair, _ simulated: [RealCell: BaselineSamples], until deadline: UInt64
    ) throws(RigFailure) -> RealReport {
        progress.step("\(settings.profile.name): pairing")
        for simulator in [pair.watch, pair.phone] {
            try simulator.awaitReady(timeout: .seconds(10))
        }
        try SimulatorProcess.pair(pair.watch, pair.phone, timeout: Self.patience)
        try pair.drain(supervisor, within: Self.patience) { status in status["reachable"] == true }
        let baseline =
            plan.hasTCP ? BaselineCourse(settings, plan, until: deadline) : nil
        defer { baseline?.stop() }
        try exchangeAll(pair, until: deadline)
        if let baseline, !baseline.isOver {
            progress.step("\(settings.profile.name): TCP is not done yet")
            while !baseline.isOver { try supervisor.rest(.milliseconds(20)) }
        }
        var report = RealReport(settings)
        report.rows = try pair.rows(exchanges, settings, simulated)
        report.conditioners["ours"] = pair.conditioner.counters.json
        report.notes.append(Self.lateness("UDP", pair.conditioner.counters))
        if Files.isInMemory(directory) {
            report.notes.append("the journals were IN MEMORY (TMPDIR): no commit waited for a disk")
        }
        guard let baseline else {
            report.skipped = "--no-tcp"
            return report
        }
        baseline.add(to: &report)
        return report
    }

    static func lateness(_ name: String, _ counters: ConditionerCounters) -> String {
        "\(name): " + (counters.lines.last ?? "")
    }

    private func simulator(_ name: String, at link: LinkAddress) throws(RigFailure)
        -> SimulatorProcess
    {
        try SimulatorProcess(
            name, executable: "\(simulators)/\(name)",
            arguments: [
                "--link", "\(link)", "--control", "stdio", "--seed", "\(settings.seed)",
                "--journal", "\(directory)/\(name).journal", "--trace-limit", "200000",
            ], supervisor: supervisor)
    }

    // MARK: Exchanges

    private func exchangeAll(_ pair: RealPair, until deadline: UInt64) throws(RigFailure) {
        // The two get to know their link; this is not counted.
        for cell in RealCell.own { try exchange(cell, pair) }
        exchanges = []
        for round in 0..<plan.rounds {
            progress.count(
                UInt64(round + 1), of: UInt64(plan.rounds), "rounds on \(settings.profile.name)")
            let updates = (0..<plan.updates(of: round)).flatMap { _ in
                [RealCell.complication, .complicationEarly]
            }
            let cells = [RealCell.hundredWarm, .hundredCold] + updates
            for cell in cells {
                guard MonotonicClock.nowNanoseconds < deadline else { return }
                try exchange(cell, pair)
            }
        }
    }

    private func exchange(_ cell: RealCell, _ pair: RealPair) throws(RigFailure) {
        pair.updates += 1
        if cell.isReconnection { try pair.phone.call("link.close") }
        try supervisor.rest(RealPlan.pause(pair.updates, settings))
        _ = pair.conditioner.takeOffered()
        let begin = MonotonicClock.nowNanoseconds
        if cell.isComplication {
            try pair.phone.call(
                "complication.update", ["text": .string("Lisinopril \(pair.updates)")])
        } else {
            let bytes = RecordLine.record(pair.updates, bytes: RealPlan.recordBytes)
            try pair.phone.call(
                "send",
                [
                    "kind": "user_info", "payload_b64": .string(Base64.encode(bytes)),
                    "count": .whole(RealPlan.recordsPerRound),
                ])
        }
        var opened: UInt64?
        if cell.isReconnection {
            opened = MonotonicClock.nowNanoseconds
            try pair.phone.call("link.open")
        }
        try pair.drain(supervisor, within: Self.patience) { $0["outstanding"] == 0 }
        exchanges.append(
            RealExchange(
                cell: cell, openedAt: opened, span: begin..<MonotonicClock.nowNanoseconds,
                offered: pair.conditioner.takeOffered()))
    }
}
