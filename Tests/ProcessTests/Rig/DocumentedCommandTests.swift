import CommandLine
import ControlProtocol
import Foundation
import Testing

/// The commands in the documents and the help can be typed as they stand.
@Suite(.timeLimit(.minutes(5))) struct DocumentedCommandTests {
    static let all = DocumentedCommand.documented + DocumentedCommand.examples.commands

    @Test func every_documented_command_is_one() {
        let files = Set(Self.all.map { $0.place.prefix { $0 != ":" } })
        #expect(DocumentedCommand.documented.count > 60 && files.contains("README.md"))
        for command in Self.all {
            let complaint = command.complaint
            #expect(complaint == nil, "\(command)")
        }
    }

    @Test(arguments: [
        ("rig demo --rat 20/s", "Unknown option '--rat'. Did you mean '--rate'?"),
        ("rig demo --rate 20", "The value '20' is invalid for '--rate': a unit is needed (/s)."),
        ("./run exploer --seeds 1..10", "Unknown verb 'exploer'. Did you mean 'explore'?"),
        ("./run --impotr a.json  # yours", "Unknown option '--impotr'. Did you mean '--import'?"),
        ("WatchSim --lnik unix:a", "Unknown option '--lnik'. Did you mean '--link'?"),
        ("python3 Examples/python/gone.py", "there is no Examples/python/gone.py"),
        ("Examples/python/gone.py out/run1", "there is no Examples/python/gone.py"),
        (
            "Examples/python/watchproto/_link.py",
            "Examples/python/watchproto/_link.py cannot be executed"
        ),
        ("make all && rig demo --rat 20/s", "Unknown option '--rat'. Did you mean '--rate'?"),
    ])
    func a_planted_wrong_line_is_found(line: String, complaint: String) {
        for text in ["```text\n\(line)\n```", "    \(line)"] {
            let found = DocumentedCommand.all(in: text, named: "planted.md")
            #expect(found.map(\.complaint) == [complaint], "\(text)")
        }
        let inline = DocumentedCommand.all(in: "Say `rig link --profle 3g`.", named: "planted.md")
        #expect(
            inline.map(\.complaint) == ["Unknown option '--profle'. Did you mean '--profile'?"])
    }

    /// The commands that are not run here, by their beginnings, each with the reason. With
    /// `WATCHPROTO_DOCUMENTED=1` in the environment `DocumentedRunTests` run those of them that end
    /// by themselves, as they stand, for about an hour.
    static let notRun: [(start: String, reason: String)] = [
        ("rig demo", "ten seconds; DocumentedRunTests run shorter ones"),
        ("rig run --all", "minutes; RigRunTests run it in virtual time"),
        ("rig run gym --clock", "bounds in real time; RigRunTests run others without them"),
        ("rig run mine.json", "a file of one's own; RigRunTests write one"),
        ("rig bench", "ten seconds and more; DocumentedRunTests run shorter ones"),
        ("rig compare", "reads what rig bench writes; DocumentedRunTests do"),
        ("rig explore --seeds", "minutes; RigCommandLineTests run shorter ones"),
        ("rig explore --mutant all", "minutes; RigCommandLineTests plant one at a time"),
        ("rig explore --merge", "reads what other commands write; RigCommandLineTests do"),
        ("rig lab doses --seeds 1..100000", "minutes; DoseSimulationTests run fewer"),
        ("rig lab life --seeds 1..100", "minutes; LifeTests run fewer"),
        ("rig lab crash states --states", "minutes; RigCrashTests run shorter ones"),
        ("rig lab crash states --merge", "reads what other commands write; RigCrashTests do"),
        ("rig lab crash faults --runs", "minutes; RigCrashTests run shorter ones"),
        ("rig lab crash kill", "a minute; RigCrashTests run fewer kills"),
        ("rig lab crash disk", "a minute; RigCrashTests run fewer faults"),
        ("rig lab baseline", "minutes; RigBaselineTests run fewer trials"),
        ("rig lab real", "minutes; RigRealTests run fewer rounds"),
        ("rig lab durable", "a minute; RigCrashTests run a shorter one"),
        ("rig lab files", "half a minute; RigCrashTests run a shorter one"),
        ("rig lab pictures", "half a minute; RigCrashTests run a shorter one"),
        ("rig lab launch", "ten seconds; RigLaunchTests run it"),
        ("rig lab store", "half a minute; RigDemoTests run a smaller one"),
        ("rig lab codec", "many seconds; CodecBenchTests measure less"),
        ("rig lab brokers", "minutes; RigBenchTests run one turn"),
        ("rig link --listen udp", "takes ports that others may have; RigLinkTests find free ones"),
        ("WatchSim --link udp", "takes a port that others may have; UDPTests find free ones"),
        ("PhoneSim --link udp", "takes a port that others may have; UDPTests find free ones"),
        ("rig key", "makes a file once; RigUpTests make one"),
        ("rig up", "runs until its input ends; RigUpTests type to it"),
        ("rig pair couple --ask", "asks whoever sits there; RigPairTests answer"),
        ("./test", "it is what runs this"),
        ("python3", "PythonExampleTests run them"),
        ("Examples/", "they read what other commands write; RigOutputTests and RigPageTests do"),
    ]

    /// The others, each once.
    private static let run: [String] = {
        let texts = all.filter(\.isWhole).map { quoted($0.words) }
        return Set(texts).filter { text in !isLeftOut(text) }.sorted()
    }()

    static func isLeftOut(_ text: String) -> Bool {
        let first = [
            "rig lab crash states", "rig lab crash states --family fold --seed 7",
            "rig lab crash faults",
        ]
        // A campaign, and the same of one family; with --at it is one place.
        if first.contains(text) { return true }
        return notRun.contains { text == $0.start || text.hasPrefix($0.start + " ") }
            || notRun.contains { $0.start.hasSuffix("udp") && text.hasPrefix($0.start + ":") }
            || notRun.contains { $0.start.hasSuffix("/") && text.hasPrefix($0.start) }
    }

    static func quoted(_ words: [String]) -> String {
        words.map { word in
            let isPlain = !word.contains { " ;'\"*?".contains($0) }
            return isPlain ? word : "'\(word)'"
        }.joined(separator: " ")
    }

    private static let files = ErrorTranscript(
        """
        % printf '{"format":"watchproto.link/1","profile":"3g","loss":"3%%"}' >car.json
        % head -c 32 /dev/urandom >watch.key; chmod 600 watch.key
        % printf '{"format":"watchproto.medications/1","medications":[{"name":"A"}]}' >list.json
        % printf '{"resourceType":"Bundle","type":"collection","entry":[]}' >doses.json
        """)

    /// The commands that end at once end well.
    @Test(arguments: run) func a_short_one_works(text: String) throws {
        let entry = ErrorTranscript.Entry(command: "HOME=$PWD \(text)", text: "", exitCode: 0)
        let found = try Self.files.run(entry)
        // A missing thing is the reader's business.
        let codes: [Int32] = text.hasPrefix("rig doctor") ? [0, 1] : [0]
        #expect(codes.contains(found.exitCode), "\(text)\n\(found.text)")
    }

    @Test func what_is_left_out_is_documented() {
        let texts = Self.all.map { Self.quoted($0.words) }
        for (start, _) in Self.notRun {
            #expect(texts.contains { $0.hasPrefix(start) }, "\(start)")
        }
        #expect(Self.run.count >= 15, "\(Self.run)")
    }

    // MARK: The help

    @Test func every_verb_has_an_example() {
        #expect(DocumentedCommand.examples.lacking == [])
    }

    @Test(arguments: ["rig", "PhoneSim", "WatchSim"])
    func everything_is_explained(program: String) throws {
        let description = try ErrorTranscript("").run(
            ErrorTranscript.Entry(
                command: "\(program) --experimental-dump-help >&2", text: "", exitCode: 0))
        let root = try JSONParser.parse(description.text).value
        #expect(root["schema"] == "rig.help/1" && root["version"] == "0.1.0")
        let complaints = JSONSchema(published: "rig.help-1").complaints(about: root)
        #expect(complaints == [])
        func walk(_ verb: JSONValue) {
            let name = verb["commandName"]?.string ?? "?"
            #expect(verb["abstract"]?.string?.hasSuffix(".") == true, "\(name)")
            for argument in verb["arguments"]?.array ?? [] {
                let label = "\(name) \(argument["valueName"]?.string ?? "?")"
                let help = argument["abstract"]?.string ?? ""
                #expect(help.hasSuffix("."), "\(label): \(help)")
            }
            for below in verb["subcommands"]?.array ?? [] { walk(below) }
        }
        walk(root["command"] ?? .null)
    }
}
