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
    private struct Asked {
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
    private let supervisor = Supervisor()
    private var random: SeededGenerator
    private var asked: [(phone: Bool, command: Asked)] = []
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
    private var killed = (phone: 0, watch: 0)
    private var checks = 0
    private var seconds = 0.0
    static let timeout = Duration.seconds(30)

    /// - Throws: exit code 66 when the simulators are not there, 73 when there is no room for files.
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

    private func start(isPhone: Bool) throws(RigFailure) {
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

    // MARK: Load and kill

    /// Some bursts of load, then the end of one side or both, then a new start.
    private func round() throws(RigFailure) {
        let (phone, watch) = try both()
        for _ in 0...random.uniform(in: 0...3) {
            let doseCount = random.uniform(in: 1...6)
            let dose = try watch.send(
                "dose.record",
                ["index": .whole(random.uniform(in: 0...100_000)), "count": .whole(doseCount)])
            asked.append((false, Asked(id: dose, isDose: true, count: doseCount)))
            let changeCount = random.uniform(in: 1...4)
            let change = try phone.send(
                "medication.change",
                ["index": .whole(random.uniform(in: 0...100_000)), "count": .whole(changeCount)])
            asked.append((true, Asked(id: change, isDose: false, count: changeCount)))
            try supervisor.rest(.microseconds(Int64(random.uniform(in: 0...6_000))))
        }
        let choice = random.uniform(in: 0...9)
        // Both at once, at times, and at times one while the other still starts.
        let victims = choice == 0 ? [true, false] : choice < 5 ? [true] : [false]
        for isPhone in victims {
            try (isPhone ? phone : watch).kill()
            if isPhone { killed.phone += 1 } else { killed.watch += 1 }
            try settleReplies(of: isPhone, mayBeMissing: true)
        }
        for isPhone in victims.reversed() { try start(isPhone: isPhone) }
        for isPhone in [true, false] where !victims.contains(isPhone) {
            try settleReplies(of: isPhone, mayBeMissing: false)
        }
        try noteRepeats()
    }

    /// A dose that the phone's store had is one that the protocol gave it twice.
    private func noteRepeats() throws(RigFailure) {
        let (phone, watch) = try both()
        repeats += phone.takeEvents().count {
            $0["event"] == "dose.arrived" && $0["new"] == false
        }
        _ = watch.takeEvents()
    }

    /// Books what was answered. A simulator that was killed leaves some commands without an answer.
    private func settleReplies(of isPhone: Bool, mayBeMissing: Bool) throws(RigFailure) {
        let (phone, watch) = try both()
        let simulator = isPhone ? phone : watch
        for entry in asked where entry.phone == isPhone {
            let reply: JSONValue?
            if mayBeMissing {
                reply = simulator.replyIfAny(to: entry.command.id)
            } else {
                reply = try simulator.reply(
                    to: entry.command.id, command: "the load", timeout: Self.timeout)
            }
            try book(entry.command, reply, simulator.name)
        }
        asked.removeAll { $0.phone == isPhone }
    }

    private func book(_ command: Asked, _ reply: JSONValue?, _ name: String) throws(RigFailure) {
        guard let reply else {
            if command.isDose {
                doses.uncertain += command.count
            } else {
                changes.uncertain += command.count
            }
            return
        }
        guard reply["ok"] == true else {
            // What it was told before would let it: it has lost that.
            let why = reply["error"]?["code"]?.string ?? JSONWriter.text(reply)
            refusals[name, default: why] = why
            return
        }
        guard !command.isDose else {
            doses.promised += command.count
            return
        }
        changes.promised += command.count
        for record in reply["records"]?.array ?? [] {
            guard let key = record["key"]?.string, let number = record["revision"]?.unsigned else {
                throw RigFailure(.software, "\(name) names no revision: \(JSONWriter.text(reply))")
            }
            revisions[key] = max(revisions[key] ?? 0, number)
        }
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
