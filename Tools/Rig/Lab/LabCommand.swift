import CommandLine

/// `rig lab`: measurements and fault campaigns for those who work on the product itself.
struct LabCommand {
    private let baseline = BaselineCommand()
    private let real = RealCommand()
    private let durable = DurableCommand()
    private let files = FilesCommand()
    private let pictures = PicturesCommand()
    private let store = StoreCommand()
    private let sealing = SealingCommand()
    private let launch = LaunchCommand()
    private let codec = CodecCommand()
    private let crash = CrashCommand()
    private let doses = DosesCommand()
    private let life = LifeCommand()
    private let brokers = BrokersCommand()

    /// Verbs of `rig` that moved here, and what replaced them.
    static let formerVerbs = [
        "floor": "rig lab baseline", "real": "rig lab real", "durable": "rig lab durable",
        "store": "rig lab store", "codec": "rig lab codec", "crash": "rig lab crash",
    ]

    var verb: Verb {
        var verb = Verb(
            "lab", overview: "Measures and breaks parts of the product, for those who work on it.")
        verb.verbs = [
            baseline.verb, real.verb, durable.verb, files.verb, pictures.verb, store.verb,
            sealing.verb, launch.verb, codec.verb, crash.verb, doses.verb, life.verb, brokers.verb,
        ]
        verb.examples = [
            CommandExample(
                "rig lab baseline --profile 3g --trials 1000", "latency beside the lower bound"),
            CommandExample("rig lab crash kill --kills 100", "both simulators, ended by SIGKILL"),
            CommandExample("rig lab doses --seeds 1..100000", "simulated ledgers of doses"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        switch invocation.path.dropFirst().first {
        case "baseline": return try baseline.run(invocation)
        case "real": return try real.run(invocation)
        case "durable": return try durable.run(invocation)
        case "files": return try files.run(invocation)
        case "pictures": return try pictures.run(invocation)
        case "store": return try store.run(invocation)
        case "sealing": return try sealing.run(invocation)
        case "launch": return try launch.run(invocation)
        case "codec": return try codec.run(invocation)
        case "crash": return try crash.run(invocation)
        case "doses": return try doses.run(invocation)
        case "life": return try life.run(invocation)
        default: return try brokers.run(invocation)
        }
    }
}
