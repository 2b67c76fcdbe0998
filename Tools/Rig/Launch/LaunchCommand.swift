import Bench
import CommandLine
import ControlProtocol
import Reports
import WatchProtoCore

/// `rig lab launch`: the rows of the report about cold starts, alone.
struct LaunchCommand {
    let simulators = SharedOptions.simulators
    let importFile = CommandOption<String>(
        "import", value: "file",
        help: "The medication list: FHIR JSON or NDJSON, or the plain list. Without it, the list "
            + "that comes with the package.")
    let warm = CommandFlag(
        "warm",
        help: "Leave the program and its journal in the memory of the system between the starts.")
    let output = OutputOptions()

    private static let timeout = Duration.seconds(30)

    var verb: Verb {
        var verb = Verb("launch", overview: "Starts the watch ten times on each class of devices.")
        verb.discussion = [
            "Pairs PhoneSim and WatchSim, brings the list to the watch and ends both. Then "
                + "WatchSim is started ten times on each class, and measured until its first face "
                + "from its store, until it answers, and in its memory by then.",
            "A class is a share of one processor of this machine, by SIGSTOP and SIGCONT every 10 "
                + "ms, and a memory that a launch must not exceed: "
                + DeviceClass.allCases.map(\.meaning).joined(separator: ", ") + ".",
        ]
        verb.add(simulators)
        verb.add(importFile)
        verb.add(warm)
        output.add(to: &verb)
        verb.examples = [
            CommandExample("rig lab launch", "thirty starts, and a table"),
            CommandExample(
                "rig lab launch --import big.json --warm", "a list of your own, from memory"),
            CommandExample("rig lab launch --json --quiet", "for programs"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let writer = output.writer(invocation)
        try writer.prepare()
        let programs = invocation[simulators] ?? DemoOptions.ownDirectory
        try RealRun.checkSimulators(in: programs)
        let path = try DemoOptions.list(invocation[importFile])
        let name = invocation[importFile] ?? DemoOptions.builtInName
        let progress = try Progress("launch", invocation)
        progress.step("reading \(name)")
        let list = try Blocking.wait { () throws(RigFailure) in
            try DemoList(path: path, name: name)
        }
        let (begin, startedAt) = (MonotonicClock.nowNanoseconds, CalendarClock.now)
        let directory = try TemporaryPlace.make("rig-launch", socket: "link")
        defer { Files.removeDirectory(directory) }
        let link = ["--link", "unix:\(directory)/link", "--control", "stdio", "--seed", "42"]
        progress.step("pairing, and bringing the list to the watch")
        let file = "\(directory)/list.json"
        do throws(SystemError) {
            try Files.write(list.text(first: list.medications.count), to: file)
        } catch {
            throw RigFailure(.cannotWrite, "Cannot write the list for PhoneSim: \(error).")
        }
        let build = try Self.prepare(programs, directory, link, file)
        var bench = LaunchBench(
            executable: "\(programs)/WatchSim", arguments: link,
            journal: "\(directory)/WatchSim.journal", timeout: Self.timeout,
            isWarm: invocation[warm])
        try bench.run(progress)
        progress.finish()
        var report = Report(
            verb: "lab launch", link: "no link", seed: 42, version: Program.version)
        report.startedAt = startedAt
        report.durationNanoseconds = MonotonicClock.nowNanoseconds - begin
        report.addRows(
            for: TargetTable.all.filter(LaunchBench.measures), measured: bench.measured,
            notDurable: false)
        report.latencies = bench.series
        report.latencyOrigin = "the start of the process"
        report.notes = [LaunchBench.note(isWarm: invocation[warm])] + Program.buildNotes(of: build)
        report.host = Program.host(build: build, executable: "\(programs)/WatchSim")
        return output.write(&report, invocation, with: writer)
    }

    /// Leaves a watch's journal with a pairing and a list in `directory`.
    ///
    /// - Returns: how the simulators were built.
    private static func prepare(
        _ programs: String, _ directory: String, _ link: [String], _ list: String
    ) throws(RigFailure) -> String {
        let supervisor = Supervisor()
        var started: [SimulatorProcess] = []
        defer { for simulator in started { simulator.quit() } }
        for name in ["WatchSim", "PhoneSim"] {
            started.append(
                try SimulatorProcess(
                    name, executable: "\(programs)/\(name)",
                    arguments: link + ["--journal", "\(directory)/\(name).journal"],
                    supervisor: supervisor))
        }
        for simulator in started { try simulator.awaitReady(timeout: timeout) }
        let (watch, phone) = (started[0], started[1])
        try SimulatorProcess.pair(watch, phone, timeout: timeout)
        try phone.call("import", ["path": .string(list)], timeout: timeout)
        try phone.call("sync", timeout: timeout)
        let deadline = MonotonicClock.nowNanoseconds + UInt64(timeout.nanosecondsClamped)
        while try phone.call("status", timeout: timeout)["outstanding"]?.unsigned != 0 {
            guard MonotonicClock.nowNanoseconds < deadline else {
                throw RigFailure(.timedOut, "The list did not reach the watch.")
            }
            try supervisor.rest(.milliseconds(20))
        }
        return SimulatorProcess.build(of: started)
    }
}
