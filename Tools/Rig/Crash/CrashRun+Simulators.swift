import Bench
import CommandLine
import ControlProtocol
import WatchProtoCore

/// The two simulators of the run.
extension CrashRun {
    static func name(_ isPhone: Bool) -> String { isPhone ? "PhoneSim" : "WatchSim" }

    func journal(_ isPhone: Bool) -> String { "\(directory)/\(Self.name(isPhone))/journal" }

    /// Starts a side on its file.
    func start(isPhone: Bool) throws(RigFailure) {
        try plant(isPhone)
        let simulator = try launch(isPhone: isPhone)
        try simulator.awaitReady(timeout: Self.timeout)
        guard simulator.ready?["durable"]?.bool == true else {
            throw RigFailure(
                .software, "\(simulator.name) does not say that it is durable.")
        }
    }

    /// Starts the process of a side, which may not get ready.
    func launch(
        isPhone: Bool, _ further: [String] = []
    ) throws(RigFailure) -> SimulatorProcess {
        let name = Self.name(isPhone)
        var arguments = [
            "--link", "unix:\(directory)/link", "--control", "stdio", "--journal",
            journal(isPhone),
        ]
        if options.isUnsealed { arguments.append("--unsealed") }
        if options.isSealed { arguments += ["--journal-key", "\(directory)/key"] }
        let simulator = try SimulatorProcess(
            name, executable: "\(options.programs)/\(name)", arguments: arguments + further,
            supervisor: supervisor)
        if isPhone { phone = simulator } else { watch = simulator }
        // Changes that the former process was given and had not committed may come again.
        if !isPhone { given = [:] }
        return simulator
    }

    /// Gives the phone a list and the watch its copy.
    func fill() throws(RigFailure) {
        guard let list = DemoOptions.builtInList(near: DemoOptions.ownDirectory) else {
            throw RigFailure(
                .missingInput, "The built-in list \(DemoOptions.builtInName) is not there.")
        }
        let (phone, watch) = try both()
        try phone.call("import", ["path": .string(list)], timeout: Self.timeout)
        let limit = MonotonicClock.nowNanoseconds + UInt64(Self.timeout.nanosecondsClamped)
        while try watch.call("status")["reachable"] != true {
            guard MonotonicClock.nowNanoseconds < limit else {
                throw RigFailure(.unreachable, "WatchSim did not reach PhoneSim.")
            }
            try supervisor.rest(.milliseconds(5))
        }
        try phone.call("sync", timeout: Self.timeout)
        try rest()
        try noteTexts()
    }

    func both() throws(RigFailure) -> (phone: SimulatorProcess, watch: SimulatorProcess) {
        guard let phone, let watch else { throw RigFailure(.software, "Nothing runs yet.") }
        return (phone, watch)
    }

    func simulator(_ isPhone: Bool) throws(RigFailure) -> SimulatorProcess {
        let (phone, watch) = try both()
        return isPhone ? phone : watch
    }

    /// The status of a side, and the end of its log.
    private static func standing(_ simulator: SimulatorProcess) -> String {
        let status = try? simulator.call("status", timeout: .seconds(1))
        let told = simulator.takeEvents().suffix(6).map { JSONWriter.text($0) }
        return "\(simulator.name): \(status.map { JSONWriter.text($0) } ?? "no status")"
            + told.map { "\n    \($0)" }.joined()
    }

    /// Waits until neither side has anything under way.
    func rest() throws(RigFailure) {
        let (phone, watch) = try both()
        let limit = MonotonicClock.nowNanoseconds + UInt64(Self.timeout.nanosecondsClamped)
        while true {
            var left: UInt64 = 0
            var digests: Set<String> = []
            for simulator in [phone, watch] {
                let status = try simulator.call("status")
                left += status["outstanding"]?.unsigned ?? 1
                if status["doses"]?["settled"] != true { left += 1 }
                digests.insert(status["doses"]?["digest"]?.string ?? simulator.name)
            }
            if left == 0, digests.count == 1 { return }
            guard MonotonicClock.nowNanoseconds < limit else {
                throw RigFailure(
                    .timedOut,
                    "After 30 s \(left) records were still under way, or the ledgers of doses differ.",
                    details: [phone, watch].map(Self.standing))
            }
            try supervisor.rest(.milliseconds(10))
        }
    }
}
