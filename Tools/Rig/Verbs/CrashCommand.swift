import CommandLine

/// `rig lab crash`: the journal's real file and the simulators, brought to grief.
struct CrashCommand {
    let seed = SharedOptions.seed(default: 1)
    let processes = CrashProcessOptions()
    private let journal = JournalCrashCommand()

    var verb: Verb {
        var verb = Verb("crash", overview: "Crashes the journal and looks at what is left.")
        verb.verbs = journal.verbs + [killVerb, diskVerb]
        verb.examples = [
            CommandExample(
                "rig lab crash states", "power lost at every call of the journal's disk"),
            CommandExample("rig lab crash kill --kills 100", "both simulators, ended by SIGKILL"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        switch invocation.path.last {
        case "kill": return try processes(.kills, invocation)
        case "disk": return try processes(.disk, invocation)
        default: return try journal.run(invocation)
        }
    }
}
