package import CommandLine
package import WatchProto
internal import WatchProtoSecurity
package import WatchProtoTransport

/// The options of a simulator's command line.
package struct SimulatorOptions: Sendable {
    /// Where commands come from.
    package enum Control: Hashable, Sendable {
        /// Standard input and output.
        case standardIO
        /// A Unix stream socket at which the simulator listens; one client at a time.
        case unix(path: String)
        /// Nowhere: a signal, or the end of the link, ends the simulator.
        case none
    }

    /// How the counterpart is reached.
    package var link: LinkAddress
    /// Where the control channel is.
    package var control: Control
    /// Whether the link is sealed. Unsealed is for development only.
    package var isSealed: Bool
    /// Whether records travel behind the first flight of a reconnection.
    package var usesEarlyData: Bool
    /// How long a code that pairs is good for.
    package var codeLife: Duration
    /// Loads without a seed of their own follow from it.
    package var seed: UInt64
    /// The CPU of the driver's thread.
    package var cpu: Int?
    /// Records a trace holds, each way.
    package var traceLimit: Int
    /// The journal, which outlives the process.
    package var journal: SimulatorJournal
    /// The age at which the oldest record not committed on the other side raises the alarm.
    package var overdueAge: Duration?
    /// The silence on an idle link after which a ping leaves; nil for none.
    package var keepAlive: Duration?
    /// The time between two packets of a constant shape; nil for none.
    package var constantShape: Duration?
    /// Records that each channel holds for the counterpart.
    package var queueLimit: Int
    /// The directory for files of the counterpart; nil for none.
    package var inbox: String?

    /// The command line of the simulator `role`, for manual pages and completions.
    package static func program(of role: DeviceRole) -> Verb { SimulatorGrammar(role).program }

    /// Reads the command line of the simulator `role`. Help and the version are printed, and a
    /// fault is explained; the process ends then.
    package static func orExit(_ role: DeviceRole, _ arguments: [String]) -> SimulatorOptions {
        let grammar = SimulatorGrammar(role)
        do throws(UsageError) {
            switch try grammar.read(arguments) {
            case .success(let options): return options
            case .failure(let text):
                print(text.text)
                SimulatorExit.done.exit()
            }
        } catch {
            StandardError.write(error.description)
            SimulatorExit.usage.exit()
        }
    }
}

/// The options that both simulators take.
struct SimulatorGrammar {
    /// Text to print instead of running.
    struct Printed: Error { var text: String }

    let link = CommandOption<LinkArgument>(
        "link", value: "address", required: true,
        help: "Where the two meet: unix:PATH, unix-seqpacket:PATH, unix-datagram:PATH, "
            + "udp:127.0.0.1:PORT[?datagram=BYTES&interval=TIME], fd:R,W, stdio or exec:COMMAND "
            + "(which starts the other side). The watch listens, the phone "
            + "connects; one with several watches meets those here of which no command says "
            + "otherwise.")
    let control = CommandOption<ControlArgument>(
        "control", value: "channel", default: ControlArgument(.standardIO),
        help: "Where commands come from: stdio, unix:PATH or none.")
    let unsealed = CommandFlag(
        "unsealed",
        help: "For development: no pairing, and nothing on the link is encrypted or authenticated. "
            + "Both sides must be started so.")
    let noEarlyData = CommandFlag(
        "no-early-data",
        help: "Neither send nor take records before a session is open. They arrive a round trip "
            + "sooner, and have no forward secrecy.")
    let codeLife = CommandOption<Duration>(
        "code-life", value: "time", default: PairingCoordinator.codeLife,
        in: .milliseconds(100)...PairingCoordinator.codeLife,
        help: "How long a code that pairs is good for: 120s, or less.")
    let seed = CommandOption<UInt64>(
        "seed", value: "n", help: "Loads without a seed of their own follow from it; else random.")
    let cpu = CommandOption<Int>(
        "cpu", value: "n", help: "Pin the driver's thread to this CPU, counted from 0.")
    let traceLimit = CommandOption<Int>(
        "trace-limit", value: "n", default: 2000, in: 0...10_000_000,
        help: "Records a trace holds, each way.")
    let journal = JournalArguments()
    let overdueAge = CommandOption<Duration>(
        "overdue-age", value: "time",
        help: "Tell when the oldest record is this old and not yet durable on the other side, "
            + "for example 30s; else never.")
    let keepAlive = CommandOption<Duration>(
        "keep-alive", value: "time", in: .seconds(10)...(.seconds(86_400)),
        help: "Ping when an idle link was silent for so long, so that a dead one is noticed, for "
            + "example 5min; each ping costs both devices a packet and a wake-up. Else never.")
    let constantShape = CommandOption<Duration>(
        "constant-shape", value: "time", in: ConstantShape.intervals,
        help: "Send one packet of 256 bytes at each such interval of a session, for example "
            + "100ms, so that nobody on the line sees whether anything is said; for both sides: "
            + "'shape.one_sided' tells that the other one has none. Records wait for the next "
            + "packet, and none travels as early data.")
    let queueLimit: QueueLimitOption
    let inbox = CommandOption<String>(
        "inbox", value: "directory",
        help: "Where files of the other device are put; 'record.arrived' has the path of each. "
            + "Else they are refused.")
    let program: Verb

    init(_ role: DeviceRole) {
        let name = role == .phone ? "PhoneSim" : "WatchSim"
        var program = Verb(
            name, overview: "The \(role), as a process of its own, driven by JSON lines.")
        program.version = "0.1.0"
        program.discussion = [
            "Writes one line of JSON per event and reply to its control channel, 'ready' "
                + "first, and logs to standard error. Ends at 'quit', at the end of its input, "
                + "with its parent or by SIGTERM."
        ]
        program.add(link)
        program.add(control)
        program.add(unsealed)
        program.add(noEarlyData)
        program.add(codeLife)
        program.add(seed)
        program.add(cpu)
        program.add(traceLimit)
        journal.add(to: &program)
        program.add(overdueAge)
        program.add(keepAlive)
        program.add(constantShape)
        queueLimit = QueueLimitOption(role)
        program.add(queueLimit.records)
        program.add(inbox)
        program.examples = [
            CommandExample("\(name) --link unix:w.sock", "controlled by its standard input"),
            CommandExample(
                "\(name) --link unix:w.sock --journal \(role).journal",
                "what it holds survives the process"),
            CommandExample(
                "\(name) --link stdio --control none --unsealed",
                "the link on its standard input and output, for development"),
        ]
        self.program = program
    }

    func read(_ arguments: [String]) throws(UsageError) -> Result<SimulatorOptions, Printed> {
        let run: Invocation
        switch try program.parse(arguments) {
        case .print(let text): return .failure(Printed(text: text))
        case .run(let invocation): run = invocation
        }
        // Parsing has seen that it is there.
        guard let link = run[link]?.address else {
            throw program.usageError("Missing option '--link <address>'.", option: "link")
        }
        let control = run[control]?.control ?? .standardIO
        if control == .standardIO, link.usesStandardIO {
            throw program.usageError(
                "'--link \(link)' and '--control stdio' both claim standard input and output: "
                    + "choose '--control unix:PATH' or '--control none'.", option: "control")
        }
        if case .unix(let path) = control, link.path == path {
            throw program.usageError(
                "'--link' and '--control' name the same socket '\(path)'.", option: "control")
        }
        if let cpu = run[cpu], !(0..<ProcessFacts.processorCount).contains(cpu) {
            throw program.usageError(
                "The value '\(cpu)' is invalid for '--cpu': it must be 0 to "
                    + "\(ProcessFacts.processorCount - 1) on this machine.", option: "cpu")
        }
        return .success(
            SimulatorOptions(
                link: link, control: control, isSealed: !run[unsealed],
                usesEarlyData: !run[noEarlyData],
                codeLife: run[codeLife] ?? PairingCoordinator.codeLife,
                seed: run[seed] ?? SystemRandomness.epoch().rawValue >> 1, cpu: run[cpu],
                traceLimit: run[traceLimit] ?? 0, journal: try journal.read(run, program),
                overdueAge: run[overdueAge], keepAlive: run[keepAlive],
                constantShape: run[constantShape],
                queueLimit: try queueLimit.read(run, program), inbox: try directory(run)))
    }

    /// - Throws: where the directory does not exist.
    private func directory(_ run: Invocation) throws(UsageError) -> String? {
        guard let path = run[inbox] else { return nil }
        guard ProcessFacts.hasDirectory(of: path + "/") else {
            throw program.usageError(
                "The value '\(path)' is invalid for '--inbox': there is no such directory.",
                option: "inbox")
        }
        return path
    }
}
