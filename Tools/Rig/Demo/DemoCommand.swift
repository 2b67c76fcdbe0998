import CommandLine
import ControlProtocol
import Reports
import WatchProtoCore

/// `rig demo`: the main job.
struct DemoCommand {
    let importFile = CommandOption<String>(
        "import", value: "file",
        help: "The medication list: FHIR JSON or NDJSON, or the plain list. Without it, the list "
            + "that comes with the package.")
    let network = NetworkOptions()
    let rate = CommandOption<Rate>(
        "rate", value: "rate", in: Rate(perSecond: 0.001)...Rate(perSecond: 20_000),
        help: "How often each kind of record is sent, for example 20/s. Without it 300/s, and 20/s "
            + "on a link with network conditions.")
    let duration = CommandOption<Duration>(
        "duration", value: "time", in: .milliseconds(100)...(.seconds(3600)),
        help: "How long the load lasts, for example 4s or 1min. Without it 4 s, and 60 s on a link "
            + "with network conditions.")
    let seed = SharedOptions.seed(default: 42)
    let placement = CommandOption<Placement>(
        "cpu", value: "placement", default: .apart,
        help: "Pin the simulators: apart (a CPU each), same (both on one) or any (unpinned).")
    let store = CommandOption<Int>(
        "store", value: "n", default: StoreCommand.fullCount, in: StoreCommand.counts,
        help: "Medications in the measured store, each with ten dose events.")
    let simulators = SharedOptions.simulators
    let timeout = CommandOption<Duration>(
        "timeout", value: "time", in: .milliseconds(10)...(.seconds(3600)),
        help: "How long a simulator may take to get ready, or for one step. Without it 10 s, and "
            + "30 s on a link with network conditions.")
    let unsealed = CommandFlag(
        "unsealed",
        help: "For development: the simulators do not pair, and nothing on their link is encrypted "
            + "or authenticated. The report says so.")
    let all = CommandFlag(
        "all", help: "Print every row, the percentiles and all notes, not the headline rows alone.")
    let output = OutputOptions()

    /// The CPUs on which the two simulators run. Latency between processes depends on them more
    /// than on anything else.
    enum Placement: String, ArgumentChoice {
        case apart, same, any

        /// The CPU of each side, of those that this process may use; nil where it is not pinned.
        ///
        /// If there is one alone, both are on that.
        var cpus: (phone: Int, watch: Int)? {
            let usable = Files.usableProcessors
            return switch self {
            case .apart: (usable[0], usable[1 % usable.count])
            case .same: (usable[0], usable[0])
            case .any: nil
            }
        }

        /// The facts that the reader must know of it, where the machine does not have what it asks
        /// for.
        var note: String? {
            guard self == .apart, Files.usableProcessors.count < 2 else { return nil }
            return "this process may use ONE processor alone: both ends share it, and no ratio to "
                + "a peer with a CPU for each end is evaluated"
        }
    }

    var verb: Verb {
        var verb = Verb(
            "demo", overview: "Syncs a medication list between two real processes and measures it.")
        verb.discussion = [
            "Starts PhoneSim and WatchSim on a Unix socket, or on a link with network conditions "
                + "between them, pairs them, imports a medication list "
                + "and syncs it, sends changes, complication updates and messages one way and "
                + "dose events the other under an open-loop load, cuts the link and brings it "
                + "back, and reports every target. Both keep journals in a temporary directory; "
                + "TMPDIR says "
                + "where."
        ]
        verb.add(importFile)
        verb.add(rate)
        verb.add(duration)
        network.add(to: &verb)
        verb.add(seed)
        verb.add(placement)
        verb.add(store)
        verb.add(AlertOption.file)
        verb.add(simulators)
        verb.add(timeout)
        verb.add(unsealed)
        verb.add(all)
        output.add(to: &verb)
        verb.examples = [
            CommandExample("rig demo", "the built-in list, about ten seconds"),
            CommandExample("rig demo --all", "every row, the percentiles and all notes"),
            CommandExample("rig demo --profile ble", "the same over Bluetooth, in 80 s"),
            CommandExample("rig demo --import bundle.json", "your own FHIR bundle"),
            CommandExample("rig demo --rate 20/s --duration 1min", "a gentler, longer load"),
            CommandExample("rig demo --out out/run1 --format table,junit", "only these two"),
            CommandExample("rig demo --json --quiet | jq .metrics", "for programs"),
        ]
        return verb
    }

    /// The command that asks for the same demo again; with its seed, which makes it the same.
    func repeatCommand(_ invocation: Invocation) -> String {
        invocation.commandLine(
            of: "rig", without: output.namesWithoutEffect + [all.name],
            setting: [(seed.name, "\(invocation[seed] ?? 42)")])
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let writer = output.writer(invocation)
        try writer.prepare()
        let options = try DemoOptions(self, invocation)
        let progress = try Progress("demo", invocation)
        let name = options.isOwnImport ? options.importPath : DemoOptions.builtInName
        progress.step("reading \(name)")
        let path = options.importPath
        // A pipe may never bring anything, and a large file takes its time.
        let list = try Blocking.wait { () throws(RigFailure) in
            try DemoList(path: path, name: name)
        }
        let run = DemoRun(options: options, list: list, progress: progress)
        let failure = run.perform()
        guard run.hasFindings || failure == nil else {
            failure.map(ReportWriter.complain)
            return failure?.exitCode ?? .software
        }
        var report = run.report()
        report.policy = output.policy(invocation)
        report.headline = invocation[all] ? nil : TargetTable.headline
        report.isComplete = failure == nil
        return writer.write(report, failure: failure)
    }
}
