import Bench
import CommandLine
import ControlProtocol
import NetworkEmulation
import Reports
import Simulation
import WatchProtoTransport

/// `rig up`: a paired, running pair to play with, and the link between them.
struct UpCommand {
    let network = NetworkOptions()
    let seed = SharedOptions.seed(default: 42)
    let directory = CommandOption<String>(
        "directory", value: "dir",
        help: "Keep both journals here, and go on from them. Without it they end with the run.")
    let simulators = SharedOptions.simulators

    static let timeout = Duration.seconds(30)

    var verb: Verb {
        var verb = Verb("up", overview: "Starts a paired PhoneSim and WatchSim to play with.")
        verb.discussion = [
            "Starts both and the network emulator between them, pairs them, and brings the "
                + "built-in "
                + "medication list to the watch. Then it takes commands, a line each, and prints "
                + "replies and events: 'phone COMMAND', 'watch COMMAND' or 'link COMMAND', with "
                + "fields as NAME=VALUE, or the whole command as JSON. 'help' shows examples. "
                + "Ctrl-C, Ctrl-D or 'quit' ends all of it, with exit code 0."
        ]
        network.add(to: &verb)
        verb.add(seed)
        verb.add(directory)
        verb.add(simulators)
        verb.add(SharedOptions.quiet)
        verb.examples = [
            CommandExample("rig up --profile 3g", "a slow link"),
            CommandExample("rig up --directory couple", "the same pair again next time"),
            CommandExample("rig up <commands.txt", "for scripts: ends with its input"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let conditions = try network.conditions(invocation)
        let programs = invocation[simulators] ?? DemoOptions.ownDirectory
        try RealRun.checkSimulators(in: programs)
        let list = try DemoOptions.givenBuiltInList()
        let scratch = try TemporaryPlace.make("rig-up")
        defer { Files.removeDirectory(scratch) }
        let files = invocation[directory] ?? scratch
        do throws(SystemError) {
            try Files.makeDirectory(files)
        } catch {
            throw RigFailure(
                .cannotWrite, "Cannot make the directory '\(files)': \(error).",
                details: [error.advice(isWriting: true, otherwise: "name another --directory.")])
        }
        let seed = invocation[seed] ?? 42
        let conditionedLink = try ConditionedLink(conditions, seed: seed)
        let supervisor = Supervisor()
        var started: [SimulatorProcess] = []
        defer {
            for simulator in started { simulator.quit() }
            conditionedLink.conditioner.close()
        }
        for (name, link) in [
            ("WatchSim", conditionedLink.watch), ("PhoneSim", conditionedLink.phone),
        ] {
            let simulator = try SimulatorProcess(
                name, executable: "\(programs)/\(name)",
                arguments: [
                    "--link", "\(link)", "--control", "stdio", "--seed", "\(seed)",
                    "--journal", "\(files)/\(name).journal",
                ], supervisor: supervisor)
            started.append(simulator)
            try simulator.awaitReady(timeout: Self.timeout)
        }
        let session = UpSession(
            watch: started[0], phone: started[1], conditionedLink.conditioner, supervisor,
            isQuiet: invocation[SharedOptions.quiet])
        do throws(RigFailure) {
            try session.prepare(list: list)
            try session.perform()
        } catch {
            // Ctrl-C is how a session ends.
            guard error.exitCode == .interrupted else { throw error }
        }
        return .done
    }
}
