import CommandLine
import Reports
import WatchProtoCore

/// `rig lab sealing`: the rows of the report about keys and sealing at rest, alone.
struct SealingCommand {
    let seed = SharedOptions.seed(default: 42)
    let output = OutputOptions()

    var verb: Verb {
        var verb = Verb("sealing", overview: "Measures keys and sealing at rest.")
        verb.discussion = [
            "Seals and opens 1,000 random blobs of 1 KB three times and reports the mean rate, and "
                + "the mean and peak growth of this process meanwhile; seals them on all cores; "
                + "makes keys, reads a key file whose content the system was asked to forget, and "
                + "derives a key from a passphrase."
        ]
        verb.add(seed)
        output.add(to: &verb)
        verb.examples = [
            CommandExample("rig lab sealing", "a second, and a table"),
            CommandExample("rig lab sealing --json --quiet", "for programs"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let writer = output.writer(invocation)
        try writer.prepare()
        let seed = invocation[self.seed] ?? 42
        let progress = try Progress("sealing", invocation)
        let startedAt = CalendarClock.now
        let directory = try TemporaryPlace.make("rig-sealing")
        defer { Files.removeDirectory(directory) }
        progress.step("measuring sealing at rest")
        let bench = SealingBench(seed: seed, directory: directory)
        try bench.run()
        progress.finish()
        var report = Report(
            verb: "lab sealing", link: "no link", seed: seed, version: Program.version)
        report.startedAt = startedAt
        report.durationNanoseconds = MonotonicClock.nowNanoseconds - bench.start
        report.addRows(
            for: TargetTable.all.filter(SealingBench.measures), measured: bench.measured,
            notDurable: false)
        report.latencies = bench.series
        report.latencyOrigin = "the start of each operation"
        report.notes = bench.notes + Program.buildNotes()
        report.host = Program.host()
        return output.write(&report, invocation, with: writer)
    }
}
