import Bench
import CommandLine
import ControlProtocol
import Reports

/// `rig compare`: two runs beside each other.
struct CompareCommand {
    let base = CommandArgument<String>(
        "base",
        help: "The older run: the directory of its --out, its results.json, or a directory of "
            + "several runs.")
    let new = CommandArgument<String>("new", help: "The newer run, likewise.")
    let noise = CommandOption<Percentage>(
        "noise", value: "share", default: Percentage(millionths: 50_000),
        help: "By how much a percentile must differ at least to count, for example 5%.")

    var verb: Verb {
        var verb = Verb(
            "compare", overview: "Says where a run is slower than another, beyond noise.")
        verb.discussion = [
            "Percentiles that both runs have samples for stand beside each other, each with the "
                + "least "
                + "and the most of its rounds. One differs where the rounds say so (the exact "
                + "rank-sum test, at 5 % for all figures of a comparison together), by more than "
                + "--noise, and, of two single runs, where their rounds lie wholly apart. Below "
                + "six "
                + "rounds a side, and of results that tell no rounds, both figures are shown "
                + "without "
                + "a verdict: measure with 'rig bench --rounds 10'. Targets need no rounds.",
            "Rounds of one run share its processes and the machine of that minute. So a verdict "
                + "says "
                + "that these two runs differ, not yet that the builds do: what else ran, and "
                + "when, "
                + "is in it as well. 'rig bench --against' measures two builds in turn and is the "
                + "better instrument. So is a directory of several runs of each build, taken in "
                + "turn "
                + "(out/old/1, out/new/1, out/old/2 ...): given one, each run counts as one "
                + "round, and of targets the worst run.",
            "Figures that cannot be compared are named, with reasons. Ends with exit code 2 when a "
                + "percentile is slower, a target is missed that was not, or is missed by more; "
                + "when anything that the older run measured or evaluated is missing in the "
                + "newer one "
                + "(NOT COMPARED), or has too few samples there; when a run did not come to its "
                + "end, or a directory among several newer runs has no results.json; and when no "
                + "percentile has enough samples in both: what was not compared "
                + "is not well. The last line says which. Results that no run can have written end "
                + "with 65.",
        ]
        verb.add(base)
        verb.add(new)
        verb.add(noise)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        verb.examples = [
            CommandExample("rig compare out/base out/run1", "two runs with --out"),
            CommandExample(
                "rig compare --noise 10% --json base.json new.json", "a wider band, for programs"),
            CommandExample(
                "rig compare out/old out/new", "several runs of each, out/old/1 and so on"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        guard let older = invocation[base], let newer = invocation[new] else {
            throw RigFailure(.usage, "'rig compare' needs two runs: the older and the newer one.")
        }
        let runs = (base: try RunResults(path: older), new: try RunResults(path: newer))
        if let base = runs.base.verb, let new = runs.new.verb, base != new {
            throw RigFailure(
                .badInput, "'\(older)' is of 'rig \(base)', '\(newer)' of 'rig \(new)'.",
                details: [
                    "Try: two runs of one verb; those of different verbs measure other things."
                ])
        }
        let comparison = RunComparison(
            base: runs.base, new: runs.new, tolerance: invocation[noise]?.fraction ?? 0)
        let console = Console(invocation)
        try console.show(comparison.text(console.columns))
        try console.give(comparison.json)
        for place in RunResults.notCounted(at: older) {
            ReportWriter.warn("\(Excerpt.line(place)): not counted, no results.json")
        }
        let lacking = RunResults.notCounted(at: newer)
        for place in lacking {
            ReportWriter.warn(
                "\(Excerpt.line(place)): not counted, no results.json; exit 2, since it is a newer "
                    + "run")
        }
        // A newer run that failed so badly that it wrote nothing must not be passed over.
        return lacking.isEmpty || comparison.exitCode != .done ? comparison.exitCode : .targetMissed
    }
}
