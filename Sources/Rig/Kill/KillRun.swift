import ControlKit
import RigKit
import WatchProto

/// PhoneSim and WatchSim with journals, ended at random moments under load and started again.
///
/// A command that was answered is a promise: the simulators answer when their file holds it. One
/// that was under way when its simulator ended may have been kept or not.
final class KillRun {
    /// What was promised, and what may have been kept besides.
    struct Tally {
        var promised: UInt64 = 0
        var uncertain: UInt64 = 0
    }

    /// A command whose reply is still out.
    struct Asked {
        var id: Int64
        var isDose: Bool
        var count: UInt64
    }

    let directory: String
    private let kills: Int
    private let programs: String
    private let isSealed: Bool
    private let plantsLoss: Bool
    private let progress: Progress
    let supervisor = Supervisor()
    var random: SeededGenerator
    var asked: [(phone: Bool, command: Asked)] = []
    private(set) var phone: Simulator?
    private(set) var watch: Simulator?
    var doses = Tally()
    var changes = Tally()
    /// The newest revision that was promised, by medication.
    var revisions: [String: UInt64] = [:]
    /// Why a simulator refused its load, by its name.
    var refusals: [String: String] = [:]
    /// Doses that the phone was given although it had them.
    var repeats = 0
    var killed = (phone: 0, watch: 0)
    private var checks = 0
    private var seconds = 0.0
    static let timeout = Duration.seconds(30)

    /// - Throws: exit code 66 when the simulators are not there, 73 when there is no room.
    init(
        kills: Int, seed: UInt64, programs: String, directory: String?, isSealed: Bool,
        plantsLoss: Bool, progress: Progress
    ) throws(RigFailure) {
        self.isSealed = isSealed
        self.plantsLoss = plantsLoss
        self.kills = kills
        self.programs = programs
        self.progress = progress
        random = SeededGenerator(seed: seed)
        for name in ["PhoneSim", "WatchSim"] where !Files.isExecutable("\(programs)/\(name)") {
            throw RigFailure(
                .missingInput, "No simulator at \(programs)/\(name).",
                details: ["Try: build the whole package (swift build), or give --simulators."])
        }
        do throws(SystemError) {
            self.directory = try Files.makeTemporaryDirectory("rig-kill", in: directory)
            if isSealed {
                let key = (0..<32).map { _ in UInt8.random(in: 0...255) }
                try Files.write(key, to: "\(self.directory)/key", mode: 0o600)
            }
        } catch {
            throw RigFailure(
                .cannotWrite, "Cannot prepare a directory for the journals: \(error).")
        }
    }

    /// What was done, in one line.
    var summary: String {
        "\(killed.phone) times PhoneSim and \(killed.watch) times WatchSim ended under load, "
            + "\(checks) checks: \(doses.promised) doses promised (and \(doses.uncertain) under "
            + "way when their simulator ended), \(changes.promised) changes promised (and "
            + "\(changes.uncertain)), \(Decimals.fixed(seconds, decimals: 1)) s"
    }

    /// Runs it; leaves no process, and files only when there are findings.
    ///
    /// - Returns: what was lost or came twice.
    /// - Throws: what kept it from its end.
    func perform() throws(RigFailure) -> [String] {
        Interrupts.setTemporaryDirectory(directory)
        defer { Interrupts.setTemporaryDirectory(nil) }
        do throws(RigFailure) {
            let findings = try campaign()
            stop()
            if findings.isEmpty { Files.removeDirectory(directory) }
            return findings
        } catch {
            stop()
            guard error.exitCode != .interrupted else {
                Files.removeDirectory(directory)
                throw error
            }
            throw RigFailure(
                error.exitCode, error.message,
                details: error.details + ["The files are kept in \(directory)."])
        }
    }

    private func stop() {
        phone?.quit()
        watch?.quit()
        progress.finish()
    }

    private func campaign() throws(RigFailure) -> [String] {
        let begin = MonotonicClock.nowNanoseconds
        try start(isPhone: false)
        try start(isPhone: true)
        try fill()
        var findings = try check()
        while killed.phone + killed.watch < kills, findings.isEmpty {
            try round()
            let done = killed.phone + killed.watch
            progress.count(UInt64(min(done, kills)), of: UInt64(kills), "kills", failing: 0)
            if done / 25 > checks - 1 || done >= kills { findings = try check() }
        }
        seconds = Double(MonotonicClock.nowNanoseconds - begin) / 1e9
        return findings
    }

    // MARK: The simulators

    func start(isPhone: Bool) throws(RigFailure) {
        let name = isPhone ? "PhoneSim" : "WatchSim"
        if plantsLoss, isPhone, killed.phone == 1 {
            for ending in ["", "-wal", "-lock"] {
                Files.remove("\(directory)/\(name).journal\(ending)")
            }
        }
        var arguments = [
            "--link", "unix:\(directory)/link", "--control", "stdio",
            "--journal", "\(directory)/\(name).journal",
        ]
        if isSealed { arguments += ["--journal-key", "\(directory)/key"] }
        let simulator = try Simulator(
            name, executable: "\(programs)/\(name)", arguments: arguments,
            supervisor: supervisor)
        if isPhone { phone = simulator } else { watch = simulator }
        try simulator.awaitReady(timeout: Self.timeout)
        guard simulator.ready?["durable"]?.bool == true else {
            throw RigFailure(.software, "\(name) does not say that it is durable.")
        }
    }

    /// Gives the phone a list and the watch its copy.
    private func fill() throws(RigFailure) {
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
    }

    func both() throws(RigFailure) -> (phone: Simulator, watch: Simulator) {
        guard let phone, let watch else { throw RigFailure(.software, "Nothing runs yet.") }
        return (phone, watch)
    }

    /// Waits until neither side has anything under way.
    func rest() throws(RigFailure) {
        let (phone, watch) = try both()
        let limit = MonotonicClock.nowNanoseconds + UInt64(Self.timeout.nanosecondsClamped)
        while true {
            var left: UInt64 = 0
            for simulator in [phone, watch] {
                left += try simulator.call("status")["outstanding"]?.unsigned ?? 1
            }
            if left == 0 { return }
            guard MonotonicClock.nowNanoseconds < limit else {
                throw RigFailure(.timedOut, "\(left) records were still under way after 30 s.")
            }
            try supervisor.rest(.milliseconds(10))
        }
    }

    private func check() throws(RigFailure) -> [String] {
        checks += 1
        try rest()
        try noteRepeats()
        return try compare()
    }
}
