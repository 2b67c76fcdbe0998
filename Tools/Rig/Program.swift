import CommandLine
import ControlProtocol
import Reports

/// `rig`: its verbs, and the way from a command line to one of them.
struct Program {
    static let version = "0.1.0"

    /// How this program was built: `release` or `debug`.
    #if DEBUG
        static let build = "debug"
    #else
        static let build = "release"
    #endif

    /// The notes that a report with times must have.
    ///
    /// - Parameter build: how the programs were built whose times they are.
    static func buildNotes(of build: String = build) -> [String] {
        guard build != "release" else { return [] }
        return build == "unknown"
            ? ["how PhoneSim and WatchSim were built is unknown"]
            : ["a \(build.uppercased()) build: its times are no measure of the product's"]
    }

    /// The facts about the machine that every result has, of programs that are measured.
    ///
    /// - Parameters:
    ///   - build: how they were built; without it as rig itself was.
    ///   - executable: one of them; without it rig itself.
    static func host(build: String = build, executable: String? = nil) -> JSONObject {
        var host = HostFacts.members(build: build, executable: executable ?? Files.ownExecutable)
        host["rig_build"] = .string(Self.build)
        return host
    }

    private let demo = DemoCommand()
    private let scenario = RunCommand()
    private let bench = BenchCommand()
    private let compare = CompareCommand()
    private let explore = ExploreCommand()
    private let pair = PairCommand()
    private let link = LinkCommand()
    private let profiles = ProfilesCommand()
    private let key = KeyCommand()
    private let up = UpCommand()
    private let lab = LabCommand()
    private let face = FaceCommand()
    private let doctor = DoctorCommand()
    private let completions = CompletionsCommand()
    private let manual = ManualCommand()

    /// The whole command line, for help and for tools.
    var root: Verb {
        var root = Verb(
            "rig",
            overview:
                "Runs a phone and a watch, measures the link between them, and says how fast it is."
        )
        root.discussion = [
            "Exit codes: 0 every target met, 1 an assertion failed, 2 a target missed or not "
                + "measured, 64 bad command line, 65 bad input, 66 input missing, 69 peer not "
                + "reachable, 70 bug or crash, 71 refused by the system, 73 cannot write, 75 timed "
                + "out, 76 protocol broken, 77 no permission, 130 interrupted."
        ]
        root.version = Self.version
        root.formerVerbs = LabCommand.formerVerbs
        let groups: [(title: String, verbs: [Verb])] = [
            ("USE", [demo.verb, bench.verb, scenario.verb, compare.verb, explore.verb, face.verb]),
            ("LINK", [up.verb, link.verb, pair.verb, profiles.verb, key.verb]),
            ("LAB", [lab.verb]),
            ("THIS PROGRAM", [doctor.verb, completions.verb, manual.verb]),
        ]
        for (title, verbs) in groups {
            for var verb in verbs {
                verb.group = title
                root.verbs.append(verb)
            }
        }
        var help = Verb("help", overview: "Explains a verb.")
        help.add(Self.helpVerb(of: root.verbs.map(\.name)))
        help.examples = [
            CommandExample("rig help demo", "the same as 'rig demo --help'"),
            CommandExample("rig help lab store", "the same as 'rig lab store --help'"),
        ]
        help.group = "THIS PROGRAM"
        root.verbs.append(help)
        root.examples = [
            CommandExample("rig demo", "about ten seconds: sync, load, cut, report"),
            CommandExample("rig demo --out out/run1", "the same, with its files"),
            CommandExample(
                "rig bench --profile edge --rate 20/s --duration 60s",
                "an open-loop load over a slow link"),
            CommandExample("rig up --profile 3g", "a paired, running pair to play with"),
            CommandExample("rig run gym", "a scenario, and whether it ends well"),
            CommandExample(
                "rig explore --seeds 1..10000", "simulated lifetimes; a failure is a seed"),
            CommandExample(
                "rig link --listen unix:a --connect unix:b --profile edge", "a slow link between"),
            CommandExample(
                "rig lab crash states", "the journal after a loss of power at any moment"),
            CommandExample("rig doctor", "is everything here that the rig needs?"),
            CommandExample("source <(rig completions bash)", "complete its words with the tab key"),
        ]
        root.spreadVersion()
        return root
    }

    private static func helpVerb(of names: [String]) -> CommandArgument<String> {
        CommandArgument(
            "verb", optional: true, completion: .words(names), help: "The verb to explain.")
    }

    /// Runs what `words` ask for.
    func run(_ words: [String]) -> ExitCode {
        let root = root
        do throws(UsageError) {
            switch try root.parse(words) {
            case .print(let text): return print(text)
            case .run(let invocation): return try run(invocation, root)
            }
        } catch {
            try? Descriptor.write(Array("\(error)\n".utf8), to: 2, subject: "stderr")
            return .usage
        }
    }

    private func run(
        _ invocation: Invocation, _ root: Verb
    ) throws(UsageError) -> ExitCode {
        do throws(RigFailure) {
            switch invocation.path.first {
            case "demo": return try demo.run(invocation)
            case "run": return try scenario.run(invocation)
            case "bench": return try bench.run(invocation)
            case "compare": return try compare.run(invocation)
            case "pair": return try pair.run(invocation)
            case "explore": return try explore.run(invocation)
            case "face": return try face.run(invocation)
            case "link": return try link.run(invocation)
            case "key": return try key.run(invocation)
            case "up": return try up.run(invocation)
            case "profiles": return try profiles.run(invocation)
            case "lab": return try lab.run(invocation)
            case "doctor": return try doctor.run(invocation)
            case "completions": return try completions.run(invocation, root)
            case "man": return try manual.run(invocation, root)
            default: break
            }
        } catch {
            ReportWriter.complain(error)
            if error.exitCode == .usage {
                ReportWriter.complain(
                    RigFailure(.usage, text: root.usageHint(path: invocation.path)))
            }
            return error.exitCode
        }
        // `help`, with or without a verb, is the verb's own --help.
        let words = [invocation[Self.helpVerb(of: [])]].compactMap { $0 } + ["--help"]
        guard case .print(let text) = try root.parse(words) else { return .software }
        return print(text)
    }

    private func print(_ text: String) -> ExitCode {
        do throws(SystemError) {
            try Descriptor.write(Array("\(text)\n".utf8), to: 1, subject: "stdout")
            return .done
        } catch {
            ReportWriter.complain(RigFailure(.cannotWrite, "Cannot write: \(error)."))
            return .cannotWrite
        }
    }
}
