import Bench
import CommandLine
import ControlProtocol
import Reports
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// `rig lab files`: the transfer of a file beside bare loops of the same work.
struct FilesCommand {
    /// The share of the bare loop's rate that a transfer must reach.
    private static let limit = 0.5
    /// The most that one device may need for it, in bytes.
    private static let memoryLimitBytes: UInt64 = 1 << 20
    private static let timeout = Duration.seconds(600)

    let mebibytes = CommandOption<Int>(
        "mebibytes", value: "n", default: 64, in: 1...65_536, help: "The size of the file.")
    let rounds = SharedOptions.rounds(default: 5, "The median counts.")
    let directory = CommandOption<String>(
        "directory", value: "path", default: ".",
        help: "Where the files go: the disk that the figures are about.")
    let simulators = SharedOptions.simulators
    let output = OutputOptions()

    var verb: Verb {
        var verb = Verb(
            "files",
            overview: "Measures the transfer of a file beside bare loops of the same work.")
        verb.discussion = [
            "PhoneSim sends a file to WatchSim over a Unix socket, sealed, with a "
                + "journal each. The bare loop reads, seals and sends the same file, and "
                + "opens, hashes and writes it, with fdatasync each 256 KiB as the product "
                + "has it. A second loop is sendfile, whose other side writes and "
                + "synchronizes: nothing is sealed or hashed. They take turns. The time of "
                + "the product counts from the command until WatchSim has told its client, so "
                + "it has the hash of the whole file before the first byte.",
            "Ends with exit code 2 when the rate is under \(Self.limit) of the bare loop's, or "
                + "when a device grew by more than 1 MiB; a debug build is not evaluated.",
        ]
        verb.add(mebibytes)
        verb.add(rounds)
        verb.add(directory)
        verb.add(simulators)
        output.add(to: &verb)
        verb.examples = [
            CommandExample("rig lab files", "on the disk of this directory, half a minute"),
            CommandExample("rig lab files --mebibytes 1024 --rounds 1", "a gibibyte"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let size = invocation[mebibytes] ?? 64
        let place = invocation[directory] ?? "."
        guard Files.isDirectory(place) else {
            throw RigFailure(
                .cannotWrite, "There is no directory '\(place)' for the files.",
                details: ["Try: make it first, or give another --directory."])
        }
        let programs = invocation[simulators] ?? DemoOptions.ownDirectory
        try RealRun.checkSimulators(in: programs)
        let writer = output.writer(invocation)
        try writer.prepare()
        let progress = try Progress("files", invocation)
        var report = Report(
            verb: "lab files", link: "unix socket", seed: nil, version: Program.version)
        report.startedAt = CalendarClock.now
        let begin = MonotonicClock.nowNanoseconds
        let run = try FilesRun(size, in: place, programs, timeout: Self.timeout)
        defer { run.end() }
        for round in 0..<(invocation[rounds] ?? 5) {
            progress.count(
                UInt64(round + 1), of: UInt64(invocation[rounds] ?? 5), "rounds")
            try run.take(round)
        }
        progress.finish()
        add(run, size, to: &report)
        report.durationNanoseconds = MonotonicClock.nowNanoseconds - begin
        report.notes += Program.buildNotes()
        if Files.isInMemory(place) {
            report.notes.append(
                "the directory is IN MEMORY: nothing waits for a disk there; name one on a disk "
                    + "with --directory")
        }
        report.host = Program.host()
        return output.write(&report, invocation, with: writer)
    }

    private func add(_ run: FilesRun, _ mebibytes: Int, to report: inout Report) {
        func rate(_ times: [UInt64]) -> Double {
            let nanoseconds = RoundComparison.median(of: times.map { Double($0) }) ?? 0
            return Double(mebibytes << 20) / max(1, nanoseconds) * 1e3
        }
        let count = UInt64(run.product.count)
        #if DEBUG
            let (share, memory): (Double?, Double?) = (nil, nil)
        #else
            let (share, memory): (Double?, Double?) = (Self.limit, Double(Self.memoryLimitBytes))
        #endif
        let (product, sealed) = (rate(run.product), rate(run.sealed))
        report.addRow(
            for: .expectation(
                "files.share", "file, share of the bare loop's rate", .count, .atLeast, goal: share
            ),
            Measurement(
                product / max(1, sealed), sampleCount: count,
                remark: "\(Decimals.fixed(product, decimals: 0)) MB/s beside "
                    + "\(Decimals.fixed(sealed, decimals: 0)), sendfile "
                    + "\(Decimals.fixed(rate(run.sendFile), decimals: 0))"))
        for (name, grown) in [("phone", run.grown.phone), ("watch", run.grown.watch)] {
            report.addRow(
                for: .expectation(
                    "files.memory.\(name)", "growth of the \(name) meanwhile", .bytes, .atMost,
                    goal: memory),
                Measurement(Double(grown), sampleCount: 1))
        }
        report.load = ["\(mebibytes) MiB, \(count) times"]
    }
}
