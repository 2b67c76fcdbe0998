import Bench
import CommandLine
import ControlProtocol
import WatchProtoCore

/// `rig pair`: two simulators become a pair, and their files stay.
struct PairCommand {
    /// Which of the two shows the code.
    enum DisplayingSide: String, ArgumentChoice {
        case phone, watch
    }

    let directory = CommandArgument<String>(
        "directory", help: "Where the journals of both are, or are made.")
    let displaying = CommandOption<DisplayingSide>(
        "shows", value: "device", default: .watch, help: "Which one shows the code.")
    let asks = CommandFlag(
        "ask", help: "Ask for the code, and for both confirmations, on standard input.")
    let key = CommandOption<String>(
        "journal-key", value: "file",
        help: "Seal both journals, the keys in them included, with the key in this file.")
    let codeLife = CommandOption<Duration>(
        "code-life", value: "time", default: .seconds(120),
        in: .milliseconds(100)...(.seconds(120)),
        help: "How long a code is good for: 120s, or less.")
    let simulators = SharedOptions.simulators

    let force = CommandFlag(
        "force", help: "Pair anew two that are a pair already; the watch is emptied.")

    static let timeout = Duration.seconds(10)

    var verb: Verb {
        var verb = Verb(
            "pair", overview: "Pairs a PhoneSim with a WatchSim, and keeps their files.")
        verb.discussion = [
            "Starts both on the journals PhoneSim.journal and WatchSim.journal of a directory, "
                + "shows a code of six digits on one and gives it to the other. Both confirm, both "
                + "keep keys, and from then on find each other by them: start them on these "
                + "journals. Where one is paired already, --force is needed: it pairs them anew, "
                + "and the watch is empty until the phone's next 'sync'. That is what to do where "
                + "one was copied ('link.closed' says 'cloned' or 'pair_anew').",
            "With --ask the code is typed, and each side's confirmation given, by whoever sits "
                + "there. A wrong code is burnt and a new one shown; the third ends pairing. A "
                + "code that became too old meanwhile is replaced, and the new one shown at once.",
        ]
        verb.add(directory)
        verb.add(displaying)
        verb.add(asks)
        verb.add(key)
        verb.add(codeLife)
        verb.add(simulators)
        verb.add(force)
        verb.examples = [
            CommandExample("rig pair couple", "two files that know each other"),
            CommandExample("rig pair couple --ask", "type the code yourself"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let place = invocation[directory] ?? "."
        guard Files.isDirectory(place) || !Files.exists(place) else {
            throw RigFailure(
                .missingInput, "'\(place)' is a file, not a directory for both journals.",
                details: ["Try: name a directory; the journals in it are made."])
        }
        let programs = invocation[simulators] ?? DemoOptions.ownDirectory
        try RealRun.checkSimulators(in: programs)
        var made: [String] = []
        // A pairing that left no journal leaves no directory.
        defer { for path in made.reversed() { Files.removeEmptyDirectory(path) } }
        if !Files.exists(place) {
            do throws(SystemError) {
                made = try Files.makeDirectory(place)
            } catch {
                throw RigFailure(
                    .cannotWrite, "Cannot make the directory '\(place)': \(error).",
                    details: [
                        error.advice(
                            isWriting: true,
                            otherwise: "name one below a directory that is yours.")
                    ])
            }
        }
        let life = invocation[codeLife] ?? .seconds(120)
        let supervisor = Supervisor()
        let scratch = try TemporaryPlace.make("rig-pair", socket: "link")
        defer { Files.removeDirectory(scratch) }
        var started: [SimulatorProcess] = []
        defer { for simulator in started { simulator.quit() } }
        func start(_ name: String) throws(RigFailure) -> SimulatorProcess {
            var arguments = [
                "--link", "unix:\(scratch)/link", "--journal", "\(place)/\(name).journal",
                "--code-life", "\(life.nanosecondsClamped / 1_000_000)ms",
            ]
            if let key = invocation[key] { arguments += ["--journal-key", key] }
            let simulator = try SimulatorProcess(
                name, executable: "\(programs)/\(name)", arguments: arguments,
                supervisor: supervisor)
            started.append(simulator)
            // One after the other: an error that both have is told of the first.
            try simulator.awaitReady(timeout: Self.timeout)
            guard invocation[force] || simulator.ready?["paired"]?.bool != true else {
                throw RigFailure(
                    .cannotWrite, "\(name) is paired already, as its journal in '\(place)' says.",
                    details: [
                        "Pairing anew empties the watch.",
                        "Try: --force to pair anew, or another directory.",
                    ])
            }
            return simulator
        }
        let names =
            invocation[displaying] == .phone ? ["PhoneSim", "WatchSim"] : ["WatchSim", "PhoneSim"]
        let first = try start(names[0])
        // The first pairs before the second starts: a session of the pairing before would deliver
        // records that the new pairing is to take over.
        let reply = try first.call("pair.show", PairSession.fields(asks: invocation[asks]))
        let session = PairSession(
            displaying: first, reply: reply, entering: try start(names[1]), asks: invocation[asks],
            supervisor: supervisor)
        let done = try session.perform()
        let pairing = done["pairing"]?.string ?? ""
        try Console.print(
            "paired: \(pairing), the keys are in \(place)/PhoneSim.journal and "
                + "\(place)/WatchSim.journal\n")
        return .done
    }
}
