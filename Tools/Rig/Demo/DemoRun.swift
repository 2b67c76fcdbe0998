import Bench
import CommandLine
import ControlProtocol
import NetworkEmulation
import Reports
import WatchProtoCore

/// One demo: two simulators, the steps, and the findings.
///
/// A step that fails ends the run; the measurements before it are still reported.
final class DemoRun {
    let options: DemoOptions
    let progress: Progress
    let supervisor = Supervisor()
    var phone: SimulatorProcess?
    var watch: SimulatorProcess?
    var list: DemoList
    var start: UInt64
    let startedAt = CalendarClock.now
    /// Measurements by the id of their target.
    var measured: [(id: String, measurement: Measurement)] = []
    var spans = Spans()
    var series: [LatencySeries] = []
    var detail: RunDetail?
    /// Both sides list the packets of the load, or did.
    var hasPackets = false
    /// The end of the lists, in nanoseconds of CLOCK_MONOTONIC; nil where that was too early.
    var packetsEnd: UInt64?
    var notes: [String] = []
    /// Notes of a short report, too.
    var cautions: [String] = []
    var counts = JSONObject()
    var isSealed: Bool?
    /// How the simulators were built, as they say; nil before they did.
    private(set) var simulatorBuild: String?
    /// Both simulators keep what they hold in files.
    var isDurable = false
    /// The journals are where a commit waits for no disk.
    var journalsAreInMemory = false
    /// How many medications the phone was given last.
    var importedCount: Int64 = 0
    private(set) var directoryPath = ""
    /// When the last ``drain(_:every:meanwhile:)`` asked last; nanoseconds of CLOCK_MONOTONIC.
    private(set) var quiet = UInt64.max
    /// The link with network conditions; nil without them.
    private var conditionedLink: ConditionedLink?
    var meter = DeviceHealth()
    /// The facts for alerts about the devices; known at the end of a run.
    private(set) var health = Alerts.Health()

    /// When the steps took place, in nanoseconds of CLOCK_MONOTONIC.
    struct Spans {
        var list: Range<UInt64>?
        var pushes: [Range<UInt64>] = []
        var seconds: [Range<UInt64>] = []
        var background: Range<UInt64>?
        var load: Range<UInt64>?
        var cuts: [Cut] = []
    }

    /// A cut of the link and what was changed meanwhile.
    struct Cut {
        var name: String
        var changed: Range<UInt64>
        /// When the link was given back.
        var reopened: UInt64
        var operationCount: UInt64
        /// When the watch was asked for what it holds, and answered, from then on.
        var reads: [Range<UInt64>]
        /// How often either side told how far it had come.
        var progressCount: Int
    }

    init(options: DemoOptions, list: DemoList, progress: Progress) {
        self.options = options
        self.list = list
        self.progress = progress
        start = MonotonicClock.nowNanoseconds
    }

    /// Whether there is anything to report.
    var hasFindings: Bool { !measured.isEmpty }

    /// Runs all steps and leaves no process and no file behind.
    ///
    /// - Returns: what ended the run early; nil when it came to its end.
    func perform() -> RigFailure? {
        start = MonotonicClock.nowNanoseconds
        var failure: RigFailure?
        do throws(RigFailure) {
            try startSimulators()
            try syncList()
            try pushOnIdleLink()
            try watchTheFace()
            try updateInBackground()
            try runLoad()
            try cutAndCatchUp()
            try syncInBackground()
            progress.step("reading both traces")
        } catch {
            failure = error
        }
        if hasFindings { windUp(&failure) }
        for simulator in [phone, watch] { simulator?.quit() }
        conditionedLink?.conditioner.close()
        if failure == nil { measureStarts(&failure) }
        if !directoryPath.isEmpty { Files.removeDirectory(directoryPath) }
        progress.finish()
        return failure
    }

    /// Takes the last figures from simulators that still run.
    private func windUp(_ failure: inout RigFailure?) {
        supervisor.ignoresInterrupts = failure != nil
        if failure?.exitCode == .interrupted { stopLoad() }
        health = meter.health(of: [phone, watch].compactMap(\.self))
        do throws(RigFailure) {
            try measureProcesses()
            try joinTraces(isComplete: failure == nil)
            if failure == nil {
                try measureBaseline()
                try measureSealing()
                try measureSession()
                try measureStore()
            }
        } catch {
            failure = failure ?? error
        }
    }

    /// Asks both sides to send no more, and gives what is under way a moment to arrive.
    private func stopLoad() {
        for simulator in [phone, watch] {
            _ = try? simulator?.request("load.stop", timeout: .milliseconds(500))
        }
        try? supervisor.rest(.milliseconds(100))
    }

    // MARK: The start

    private func startSimulators() throws(RigFailure) {
        progress.step("starting PhoneSim and WatchSim")
        let directory = try TemporaryPlace.make("rig-demo", socket: "link.sock")
        directoryPath = directory
        journalsAreInMemory = Files.isInMemory(directory)
        if options.conditions.hasEffect {
            conditionedLink = try ConditionedLink(options.conditions, seed: options.seed)
        }
        let link = "unix:\(directory)/link.sock"
        let near = conditionedLink.map { "\($0.phone)" }
        let far = conditionedLink.map { "\($0.watch)" }
        let watch = try simulator("WatchSim", options.watchPath, link: far ?? link, place: 1)
        self.watch = watch
        let phone = try simulator("PhoneSim", options.phonePath, link: near ?? link, place: 0)
        self.phone = phone
        try watch.awaitReady(timeout: options.timeout)
        try phone.awaitReady(timeout: options.timeout)
        if let shown = watch.shownNanoseconds, shown > watch.startNanoseconds {
            found("watch.launch", Double(shown - watch.startNanoseconds))
        }
        if options.isUnsealed {
            ReportWriter.warn("the link is UNSEALED (--unsealed): for development only")
        }
        try SimulatorProcess.pair(watch, phone, timeout: options.timeout)
        simulatorBuild = SimulatorProcess.build(of: [phone, watch])
        isSealed = [phone, watch].allSatisfy { $0.ready?["sealed"]?.bool == true }
        isDurable = [phone, watch].allSatisfy { $0.ready?["durable"]?.bool == true }
        for simulator in [phone, watch] {
            try awaitActivation(of: simulator, link: near ?? link)
        }
    }

    private func simulator(
        _ name: String, _ path: String, link: String, place: Int
    ) throws(RigFailure) -> SimulatorProcess {
        var arguments = ["--link", link, "--control", "stdio", "--seed", "\(options.seed)"]
        if let cpus = options.placement.cpus {
            arguments += ["--cpu", "\(place == 0 ? cpus.phone : cpus.watch)"]
        }
        arguments += ["--trace-limit", "\(options.traceLimit)"]
        if options.isUnsealed { arguments.append("--unsealed") }
        arguments += ["--journal", "\(directoryPath)/\(name).journal"]
        return try SimulatorProcess(
            name, executable: path, arguments: arguments, supervisor: supervisor)
    }

    private func awaitActivation(of simulator: SimulatorProcess, link: String) throws(RigFailure) {
        let deadline = deadline(options.timeout)
        while MonotonicClock.nowNanoseconds < deadline {
            let status = try simulator.call("status", timeout: options.timeout)
            if status["reachable"] == true { return }
            try supervisor.rest(.milliseconds(2))
        }
        let other = simulator === phone ? "WatchSim" : "PhoneSim"
        let told = simulator.takeEvents("link.closed") + simulator.takeEvents("notice")
        if let skew = told.lazy.compactMap({ simulator.versionSkew($0, with: other) }).first {
            throw RigFailure(.unreachable, "\(simulator.name) does not speak with it: \(skew).")
        }
        throw RigFailure(
            .unreachable,
            "\(simulator.name) did not reach \(other) within \(options.timeout.meaning) "
                + "on \(link).",
            details: [
                "\(simulator.name) is running (pid \(simulator.pid)).",
                "Its status: "
                    + JSONWriter.text(
                        (try? simulator.call("status", timeout: .seconds(1))) ?? .null),
                "Try: run both by hand with --link \(link) and look at their stderr.",
            ])
    }

    func found(_ id: String, _ actual: Double?, samples: UInt64 = 1, _ remark: String? = nil) {
        measured.append((id, Measurement(actual, sampleCount: samples, remark: remark)))
    }

    /// Both simulators, once they run.
    func both() throws(RigFailure) -> (phone: SimulatorProcess, watch: SimulatorProcess) {
        guard let phone, let watch else {
            throw RigFailure(.software, "A step came before the simulators were started.")
        }
        return (phone, watch)
    }

    /// Waits until neither side has anything under way, and does `meanwhile` before each look.
    func drain(
        _ what: String, every pause: Duration = .milliseconds(5),
        meanwhile: () throws(RigFailure) -> Void = {}
    ) throws(RigFailure) {
        let deadline = deadline(options.timeout)
        let (phone, watch) = try both()
        while true {
            try meanwhile()
            var outstanding: [String] = []
            quiet = MonotonicClock.nowNanoseconds
            for simulator in [phone, watch] {
                let count = try simulator.outstanding(timeout: options.timeout)
                if count > 0 { outstanding.append("\(simulator.name) \(count)") }
            }
            if outstanding.isEmpty { return }
            guard MonotonicClock.nowNanoseconds < deadline else {
                throw RigFailure(
                    .timedOut, "\(what) was not over after \(options.timeout.meaning).",
                    details: ["Records still under way: \(outstanding.joined(separator: ", "))."])
            }
            try supervisor.rest(pause)
        }
    }
}
