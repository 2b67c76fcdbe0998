import Bench
import CommandLine

/// `rig lab codec`: how fast and how small records are.
struct CodecCommand {
    let rounds = SharedOptions.rounds(default: 15, "The median counts.")

    var verb: Verb {
        var verb = Verb("codec", overview: "Measures size and speed of the record codec.")
        verb.discussion = [
            "Ends with exit code 2 when a goal of sizes, updates or times is missed; the figure is "
                + "marked. Goals are for release builds on a quiet machine; in a debug build the "
                + "times mean nothing and no goal is evaluated.",
            "An update and a new medication are what two peers in this process send, sealed and "
                + "padded. Of an update, handle, base and body are counted: all that stands in the "
                + "frame for it. Goals are for a dose that was taken, in lists of 50; a longer "
                + "instruction or name has none.",
            "A new medication leaves alone, or in a first sync of 100, over a stream and over "
                + "datagrams of 1,200 bytes.",
        ]
        verb.add(rounds)
        RunFiles.add(to: &verb)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        Progress.add(to: &verb)
        verb.examples = [
            CommandExample(
                "rig lab codec", "sizes, and the median of 15 timings of each operation"),
            CommandExample("rig lab codec --rounds 100", "steadier figures"),
            CommandExample("rig lab codec --json --quiet", "for programs"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let rounds = invocation[rounds] ?? 15
        let files = try RunFiles("codec", invocation)
        let progress = try Progress("codec", invocation)
        progress.step("timing each operation \(rounds) times")
        let report = try CodecBenchmark.run(rounds: rounds)
        progress.finish()
        let console = Console(invocation)
        try console.show(report.text(console.columns))
        try console.give(report.json)
        try files.write(report.text(), report.json)
        #if DEBUG
            try console.show(
                "a debug build: these times mean nothing, and no goal is evaluated\n")
            return .done
        #else
            return report.meetsGoals ? .done : .targetMissed
        #endif
    }
}
