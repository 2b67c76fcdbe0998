import Bench
import CommandLine
import ControlProtocol
import WatchProtoCore

/// PhoneSim and WatchSim with journals, brought to grief under load and started again: ended by
/// SIGKILL at random moments, or their disk fails.
///
/// A command that was answered is a promise: the simulators answer when their file holds it. One
/// that was refused for the disk, or was under way when its simulator ended, may have been kept or
/// not, but by both sides alike.
final class CrashRun {
    /// The troubles of the simulators.
    enum Trouble { case kills, disk }

    /// Doses by identity. A dose that was asked for and not promised may have been kept or not.
    struct Doses {
        var asked: Set<String> = []
        var promised: Set<String> = []
        /// Of the promised ones, those that a side did not hold when it was last looked at.
        var missing: Set<String> = []
    }

    /// A command whose reply is still out.
    struct Asked {
        var isPhone: Bool
        var id: Int64
        /// The doses it is to record; none for changes.
        var doses: [String]
        /// How many doses or changes.
        var count: UInt64
    }

    /// The damage done on purpose, to check that it is found.
    enum Plant {
        /// A dose counts as acknowledged that no device kept.
        case loss
        /// A medication of the phone becomes stronger.
        case change
        /// A dose that was acknowledged is queued on the watch once more.
        case twice
        /// A change that the watch was given is queued on the phone once more, a revision lower.
        case older
    }

    /// The options of the run.
    struct Options {
        var trouble = Trouble.kills
        /// Kills, or faults.
        var count = 50
        var seed: UInt64 = 1
        /// The directory of the simulators.
        var programs: String
        var directory: String?
        /// The journals are sealed at rest.
        var isSealed = false
        /// The link is not.
        var isUnsealed = false
        var plant: Plant?
    }

    let options: Options
    let directory: String
    private let progress: Progress
    let supervisor = Supervisor()
    var random: SeededGenerator
    var asked: [Asked] = []
    var phone: SimulatorProcess?
    var watch: SimulatorProcess?
    var doses = Doses()
    var changes = (promised: UInt64(0), uncertain: UInt64(0))
    /// The texts of the medications on both sides right after the import, by key.
    var texts: (phone: [String: String], watch: [String: String]) = ([:], [:])
    var hasPlanted = false
    /// The newest revision that was promised, by medication.
    var revisions: [String: UInt64] = [:]
    /// Why a simulator refused its load, by its name.
    var refusals: [String: String] = [:]
    /// Doses that the phone was given although it had them. One whose second arrival a kill undid
    /// arrives once more.
    var repeats: Set<String> = []
    /// The newest revision that this process of the watch was given, by medication; and the
    /// medications of which it was given an older one after that.
    var given: [String: UInt64] = [:]
    var older: Set<String> = []
    /// How often a side was brought to grief.
    var struck = (phone: 0, watch: 0)
    /// How many kills met commands without an answer, and how many a process not ready yet.
    var met = (work: 0, start: 0)
    var disk = DiskTroubles()
    private var checks = 0
    private var seconds = 0.0
    static let timeout = Duration.seconds(30)

    /// - Throws: exit code 66 when the simulators are not there, 73 when there is no room.
    init(_ options: Options, progress: Progress) throws(RigFailure) {
        self.options = options
        self.progress = progress
        random = SeededGenerator(seed: options.seed)
        try RealRun.checkSimulators(in: options.programs)
        try TemporaryPlace.check(
            options.directory ?? Files.temporaryBase,
            named: options.directory == nil ? "TMPDIR" : "--directory", "rig-crash", "link")
        do throws(SystemError) {
            directory = try Files.makeTemporaryDirectory("rig-crash", in: options.directory)
            if options.isSealed {
                let key = (0..<32).map { _ in UInt8.random(in: 0...255) }
                try Files.write(key, to: "\(directory)/key", mode: 0o600)
            }
            for name in ["PhoneSim", "WatchSim"] {
                try Files.makeDirectory("\(directory)/\(name)")
            }
        } catch {
            throw RigFailure(
                .cannotWrite, "Cannot prepare a directory for the journals: \(error).")
        }
        if options.trouble == .disk { disk.mount(below: directory) }
    }

    /// The actions, in a few lines.
    var summary: String {
        let action = options.trouble == .kills ? "ended under load" : "given a disk that fails"
        let end = options.trouble == .kills ? "their simulator ended" : "it happened"
        var text =
            (options.isUnsealed ? "the link is UNSEALED (--unsealed), for development only\n" : "")
            + "\(struck.phone) times PhoneSim and \(struck.watch) times WatchSim \(action), "
            + "\(checks) checks: \(doses.promised.count) doses promised (and "
            + "\(doses.asked.count - doses.promised.count) under way when \(end)), "
            + "\(changes.promised) changes promised (and \(changes.uncertain)), "
            + "\(Decimals.fixed(seconds, decimals: 1)) s"
        switch options.trouble {
        case .kills:
            text +=
                "\n\(met.work) kills met commands under way, \(met.start) a process that was "
                + "starting"
        case .disk: text += "\n\(disk.summary)"
        }
        return text
    }

    /// Runs it; leaves no process, and files only when there are findings.
    ///
    /// - Returns: what was lost or came twice, or how a simulator did not bear its trouble.
    /// - Throws: what kept it from its end.
    func perform() throws(RigFailure) -> [String] {
        do throws(RigFailure) {
            let findings = try campaign()
            stop(isClean: findings.isEmpty)
            return findings
        } catch {
            stop(isClean: error.exitCode == .interrupted)
            guard error.exitCode != .interrupted else { throw error }
            throw RigFailure(
                error.exitCode, error.message,
                details: error.details + ["The files are kept in \(directory)."])
        }
    }

    private func stop(isClean: Bool) {
        phone?.quit()
        watch?.quit()
        progress.finish()
        disk.unmount(keepingFiles: !isClean)
        if isClean { Files.removeDirectory(directory) }
    }

    private func campaign() throws(RigFailure) -> [String] {
        let begin = MonotonicClock.nowNanoseconds
        try start(isPhone: false)
        try start(isPhone: true)
        let (phone, watch) = try both()
        try SimulatorProcess.pair(watch, phone, timeout: Self.timeout)
        try fill()
        var findings = try check()
        if let plant = options.plant, plant == .older || plant == .twice {
            try plantAtRest(isPhone: plant == .older)
        }
        let unit = options.trouble == .kills ? "kills" : "faults"
        while struck.phone + struck.watch < options.count, findings.isEmpty {
            switch options.trouble {
            case .kills: try killRound()
            case .disk: try diskRound()
            }
            let done = struck.phone + struck.watch
            let isDue = done / 25 > checks - 1 || done >= options.count
            if isDue || !disk.findings.isEmpty { findings = try check() }
            progress.count(
                UInt64(min(done, options.count)), of: UInt64(options.count), unit,
                failing: findings.count)
        }
        seconds = Double(MonotonicClock.nowNanoseconds - begin) / 1e9
        return findings
    }

    private func check() throws(RigFailure) -> [String] {
        checks += 1
        try rest()
        try noteRepeats()
        return try disk.findings + compare()
    }
}
