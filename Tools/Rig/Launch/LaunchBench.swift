import Bench
import CommandLine
import ControlProtocol
import Reports

/// Cold starts of WatchSim, from its own store, on each class of devices.
struct LaunchBench {
    /// How often the watch is started on each class.
    static let count = 10

    private(set) var measured: [(id: String, measurement: Measurement)] = []
    private(set) var series: [LatencySeries] = []
    private let start = MonotonicClock.nowNanoseconds
    let executable: String
    let arguments: [String]
    let journal: String
    let timeout: Duration
    let isWarm: Bool

    /// The ids of its rows.
    static func measures(_ target: Target) -> Bool { target.id.hasPrefix("start.") }

    /// - Parameters:
    ///   - executable: WatchSim.
    ///   - arguments: its link and the rest; without a processor.
    ///   - journal: the file of its journal, which holds a pairing and a list.
    ///   - timeout: how long a start may take.
    ///   - isWarm: whether the system keeps the program and its journal in memory.
    init(
        executable: String, arguments: [String], journal: String, timeout: Duration,
        isWarm: Bool = false
    ) {
        self.isWarm = isWarm
        self.executable = executable
        self.arguments =
            arguments + [
                "--journal", journal, "--cpu", "\(Files.usableProcessors.last ?? 0)",
            ]
        self.journal = journal
        self.timeout = timeout
    }

    /// The conditions of the rows, as a note.
    static func note(isWarm: Bool = false) -> String {
        "\(isWarm ? "warm" : "cold") starts: WatchSim on one processor, held to a share of it by SIGSTOP and SIGCONT; "
            + DeviceClass.allCases.map(\.meaning).joined(separator: ", ")
            + (isWarm
                ? "" : "; before each the system was asked to forget the program and its journal")
    }

    /// Starts the watch on every class.
    mutating func run(_ progress: Progress) throws(RigFailure) {
        for device in DeviceClass.allCases {
            progress.step("starting the watch \(Self.count) times, class \(device.rawValue)")
            var first = LatencySeries("start \(device.rawValue): first face")
            var dose = LatencySeries("start \(device.rawValue): a dose durable")
            var interactive = LatencySeries("start \(device.rawValue): interactive")
            var memory: [UInt64] = []
            for _ in 0..<Self.count {
                let one = try launch(device)
                let at = one.begin - min(start, one.begin)
                first.record(one.first, message: "start", atNanoseconds: at)
                dose.record(one.dose, message: "start", atNanoseconds: at)
                interactive.record(one.interactive, message: "start", atNanoseconds: at)
                one.memory.map { memory.append($0) }
            }
            let id = "start.\(device.rawValue)"
            for (part, filled) in [
                ("first", first), ("dose", dose), ("interactive", interactive),
            ] {
                series.append(filled)
                let target = TargetTable.target("\(id).\(part)")
                if let found = target?.measurement(of: filled) {
                    measured.append(("\(id).\(part)", found))
                }
            }
            let peak = memory.max().map { Double($0) }
            let count = UInt64(memory.count)
            measured.append(("\(id).memory", Measurement(peak, sampleCount: count)))
        }
    }

    private struct Launch {
        var begin: UInt64
        /// Until the first face was shown from the store, in nanoseconds.
        var first: UInt64
        /// Until a dose was recorded and durable.
        var dose: UInt64
        /// Until a question was answered that needs the store and the session.
        var interactive: UInt64
        /// The largest resident set by then, in bytes.
        var memory: UInt64?
    }

    private func launch(_ device: DeviceClass) throws(RigFailure) -> Launch {
        if !isWarm {
            for path in [executable, journal, journal + "-wal"] { Files.forgetContent(of: path) }
        }
        let supervisor = Supervisor()
        let watch = try SimulatorProcess(
            "WatchSim", executable: executable, arguments: arguments, supervisor: supervisor)
        let quota = try ProcessorQuota(pid: watch.pid, share: device.processorShare)
        defer {
            quota.stop()
            // As a system ends an app that it wants the memory of.
            try? watch.kill()
        }
        // Both wait in the pipe, and are answered as soon as the program can.
        let act = try watch.send("dose.record", ["index": 0])
        let question = try watch.send("status")
        try watch.awaitReady(timeout: timeout)
        _ = try watch.reply(to: act, command: "dose.record", timeout: timeout)
        let durable = MonotonicClock.nowNanoseconds
        _ = try watch.reply(to: question, command: "status", timeout: timeout)
        let answered = MonotonicClock.nowNanoseconds
        let begin = watch.startNanoseconds
        let shown = watch.ready?["face_ns"]?.unsigned ?? answered
        return Launch(
            begin: begin, first: shown - min(begin, shown), dose: durable - begin,
            interactive: answered - begin, memory: watch.peakMemoryBytes)
    }
}
