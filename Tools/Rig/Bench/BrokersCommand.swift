import CommandLine
import Reports

/// `rig lab brokers`: round trips of the product beside a raw socket and installed brokers.
struct BrokersCommand {
    let rounds = SharedOptions.rounds(default: 10, "The median counts.")
    let placement = CommandOption<DemoCommand.Placement>(
        "cpu", value: "placement",
        help: "Pin both ends: apart (a CPU each), same (both on one) or any (unpinned). Without "
            + "it, apart and then same.")
    let simulators = SharedOptions.simulators
    let output = OutputOptions()

    var verb: Verb {
        var verb = Verb(
            "brokers",
            overview: "Measures round trips beside a raw Unix socket and installed brokers.")
        verb.discussion = [
            "Bounces messages of 64 bytes in a closed loop, in turns: the product sealed (as it is, "
                + "and with a driver that always sleeps at once), a raw Unix socket, and ZeroMQ, "
                + "mosquitto, NATS, Redis and gRPC where they are installed. A missing one is "
                + "skipped and named with its package. Durable records stand beside a loop that "
                + "synchronizes a file on both sides at once.",
            "Each broker that acknowledges is then ended by SIGKILL with the settings it was measured "
                + "with, and the messages that it kept are counted. So are those of PhoneSim and "
                + "WatchSim.",
        ]
        verb.add(rounds)
        verb.add(placement)
        verb.add(simulators)
        output.add(to: &verb)
        verb.examples = [
            CommandExample("rig lab brokers --out out/brokers", "all that is installed")
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let writer = output.writer(invocation)
        try writer.prepare()
        let placements: [DemoCommand.Placement] =
            invocation[placement].map { [$0] } ?? [.apart, .same]
        let run = PeersRun(
            turns: invocation[rounds] ?? 10, placements: placements,
            programs: invocation[simulators] ?? DemoOptions.ownDirectory,
            progress: try Progress("brokers", invocation),
            repeatCommand: invocation.commandLine(
                of: "rig", without: output.namesWithoutEffect))
        let failure = run.perform()
        guard run.hasFindings || failure == nil else {
            failure.map(ReportWriter.complain)
            return failure?.exitCode ?? .software
        }
        var report = run.report()
        report.policy = output.policy(invocation)
        report.isComplete = failure == nil
        return writer.write(report, failure: failure)
    }
}
