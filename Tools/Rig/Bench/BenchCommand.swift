import CommandLine
import ControlProtocol
import Reports
import WatchProtoCore

/// `rig bench`: a load that does not wait for answers, and what became of each record.
struct BenchCommand {
    let conditions = NetworkOptions()
    let rate = CommandOption<Rate>(
        "rate", value: "rate", in: LoadMix.rates,
        help:
            "How often each kind of record is sent that has no rate of its own, for example 20/s, "
            + "which is also what counts without it on a link with network conditions; on one "
            + "without it is "
            + "120/s.")
    let mix = CommandOption<LoadMix>(
        "mix", value: "kinds", default: .standard,
        completion: .words(LoadKind.allCases.map(\.rawValue)),
        help: "The records to send: \(LoadKind.names); with a rate of its own, for example "
            + "sync=20/s,complication=1/s,dose.")
    let arrivals = CommandOption<Arrivals>(
        "arrivals", value: "how", default: .constant,
        help: "How the records of a kind lie in time: constant (equally far apart) or poisson "
            + "(independent of each other).")
    let duration = CommandOption<Duration>(
        "duration", value: "time", in: .milliseconds(100)...(.seconds(86_400)),
        help: "How long a round of the load lasts, for example 60s. Without it as long as 1200 "
            + "records of the kind that is sent least take in all rounds, so that its p99 can be "
            + "evaluated; 10 s at least and 60 s at most.")
    let warmUp = CommandOption<Duration>(
        "warm-up", value: "time", default: .seconds(1),
        help: "How long the load is sent before that in each round, unmeasured.")
    let rounds = SharedOptions.rounds("Without it once, and 6 times with --against.")
    let against = CommandOption<String>(
        "against", value: "dir",
        help: "Another build: its PhoneSim and WatchSim in this directory have the same rounds in "
            + "turn, and each round's median stands beside the other's. A row for each kind fails "
            + "where this build is slower beyond noise.")
    let seed = SharedOptions.seed(default: 42)
    let placement = CommandOption<DemoCommand.Placement>(
        "cpu", value: "placement", default: .apart,
        help: "Pin the simulators: apart (a CPU each), same (both on one) or any (unpinned).")
    let datagram = CommandOption<Int>(
        "datagram", value: "bytes", in: 244...65_502,
        help:
            "The largest datagram on a link with network conditions; without it 1200, and 244 "
            + "over Bluetooth "
            + "Low Energy.")
    let targets = CommandOption<String>(
        "targets", value: "file",
        help: "Evaluate by the thresholds of this file of JSON, in place of the product's targets. "
            + "One with too few samples (TOO FEW) then fails as well, as with --few-fails.")
    let fewPasses = CommandFlag(
        "few-passes",
        help: "With --targets: a threshold with too few samples (TOO FEW) does not fail the run.")
    let simulators = SharedOptions.simulators
    let timeout = CommandOption<Duration>(
        "timeout", value: "time", default: .seconds(30), in: .milliseconds(100)...(.seconds(3600)),
        help: "How long pairing may take, and how long what was sent may be under way at the end.")
    let unsealed = CommandFlag(
        "unsealed",
        help: "For development: the simulators do not pair, and nothing on their link is encrypted "
            + "or authenticated. The report says so.")
    let output = OutputOptions()

    /// An example of a file of `--targets`.
    private static let targetsExample =
        #"{"format": "\#(Thresholds.format)", "targets": {"sync p99": {"target": "500ms", "#
        + #""max": "1s"}, "delivery": {"target": "100%"}}}."#

    enum Arrivals: String, ArgumentChoice {
        case constant, poisson
    }

    var verb: Verb {
        var verb = Verb(
            "bench", overview: "Sends an open-loop load over a link and measures every record.")
        verb.discussion = [
            "PhoneSim and WatchSim, paired and with journals (TMPDIR says where), speak over a "
                + "Unix "
                + "socket, or over UDP through the link model where the link has network "
                + "conditions. Records "
                + "are sent when they are due, whether or not earlier ones arrived; latency counts "
                + "from the moment a record was due, so that no stall hides behind a sender that "
                + "waits (coordinated omission). Service time, from the moment it was taken, "
                + "stands beside it.",
            "Syncs count until both journals hold them, complications and messages until they are "
                + "seen; a value that a newer one replaced counts as seen with it. A percentile "
                + "is told from 10/(1-p) samples on. Beside the run a thread that wakes every "
                + "millisecond tells by how much this machine wakes late: the scheduling delay.",
            "A file of --targets is JSON: \(Self.targetsExample) A measure is a kind of the "
                + "load and "
                + "one of p50, p90, p95, p99, p99.9 and max, or delivery: the share delivered "
                + "exactly once. The kinds are called "
                + "\(LoadKind.allCases.map(\.series).joined(separator: ", ")). target is the goal; max, "
                + "which may be left out, is the hard limit: between the two is WARN, beyond it "
                + "FAIL. FAIL, NODATA and TOO FEW end with exit code 2: a gate of one's own is "
                + "not passed "
                + "by measuring too little, unless --few-passes says so. Times need a unit, "
                + "shares a %.",
            "Ctrl-C ends the load, lets arrive what is under way, reports what was measured and "
                + "ends "
                + "with exit code 130; a second one ends at once.",
            NetworkOptions.keys,
        ]
        verb.formerOptions = ["peers": "rig lab brokers"]
        conditions.add(to: &verb)
        verb.add(rate)
        verb.add(mix)
        verb.add(arrivals)
        verb.add(duration)
        verb.add(warmUp)
        verb.add(rounds)
        verb.add(against)
        verb.add(seed)
        verb.add(placement)
        verb.add(datagram)
        verb.add(targets)
        verb.add(fewPasses)
        verb.add(AlertOption.file)
        verb.add(simulators)
        verb.add(timeout)
        verb.add(unsealed)
        output.add(to: &verb)
        verb.examples = [
            CommandExample(
                "rig bench --profile edge --rate 20/s --duration 60s --out out/run1",
                "a minute over a slow link, with results.json"),
            CommandExample(
                "rig bench --set rtt=60ms,loss=2% --mix message=5/s,dose=1/s",
                "a link of your own, kinds and rates of your own"),
            CommandExample(
                "rig bench --against ../base/.build/release --rounds 10",
                "two builds in turn, on the machine of this minute"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let writer = output.writer(invocation)
        try writer.prepare()
        let progress = try Progress("bench", invocation)
        let options = try BenchOptions(self, invocation)
        let bench = BenchRun(options: options, progress: progress)
        let failure = bench.perform()
        guard bench.hasFindings || failure == nil else {
            failure.map(ReportWriter.complain)
            return failure?.exitCode ?? .software
        }
        var report = bench.report()
        report.policy = output.policy(invocation)
        // A gate of one's own is not passed by measuring too little.
        if options.thresholds != nil, !invocation[fewPasses] { report.policy.fewFails = true }
        report.isComplete = failure == nil
        return writer.write(report, failure: failure)
    }
}
