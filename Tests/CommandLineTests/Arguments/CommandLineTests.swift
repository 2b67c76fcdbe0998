import CommandLine
import ControlProtocol
import Testing

/// A program like `rig`, small enough to spell its texts out.
private struct Sample {
    let rtt = CommandOption<Duration>(
        "rtt", value: "time",
        help: "Round-trip time, half in each direction, for example 60ms or 1.5s.")
    let seed = CommandOption<UInt64>(
        "seed", value: "n", default: 42, help: "Every random choice follows from it.")
    let profile = CommandOption<String>("profile", value: "profile", help: "A link profile.")
    let json = CommandFlag("json", help: "Print JSON.")
    let base = CommandArgument<String>("base", help: "The run to compare with.")
    let new = CommandArgument<String>("new", optional: true, help: "The run to evaluate.")
    var program = Verb("rig", overview: "Runs the phone and the watch and measures them.")

    init() {
        var bench = Verb("bench", overview: "Measures one link.")
        bench.add(profile)
        bench.add(rtt)
        bench.add(seed)
        bench.add(json)
        bench.examples = [CommandExample("rig bench --rtt 60ms", "one link with 60 ms")]
        var compare = Verb("compare", overview: "Compares two runs.")
        compare.add(base)
        compare.add(new)
        program.verbs = [bench, compare]
        program.version = "0.1.0"
    }

    func run(_ line: String) throws -> Invocation {
        let result = try program.parse(line.split(separator: " ").map(String.init))
        guard case .run(let invocation) = result else { throw Unexpected() }
        return invocation
    }

    func printed(_ line: String) throws -> String {
        let result = try program.parse(line.split(separator: " ").map(String.init))
        guard case .print(let text) = result else { throw Unexpected() }
        return text
    }

    func error(_ line: String) -> String {
        do {
            _ = try program.parse(line.split(separator: " ").map(String.init))
            return "(no error)"
        } catch {
            return error.description
        }
    }
}

private struct Unexpected: Error {}

@Suite struct CommandLineTests {
    private let sample = Sample()

    /// The command that repeats a run: what was given, in order, as a shell reads it back.
    @Test func a_command_line_can_be_said_again() throws {
        let invocation = try Sample().run("bench --seed=7 --json --profile edge --rtt 60ms")
        #expect(
            invocation.commandLine(of: "rig")
                == "rig bench --seed 7 --profile edge --rtt 60ms --json")
        #expect(
            invocation.commandLine(of: "rig", without: ["json", "rtt"])
                == "rig bench --seed 7 --profile edge")
        #expect(
            try Sample().run("compare a new").commandLine(of: "rig") == "rig compare a new")
        let words = ["bench", "--profile", "a 'b'"]
        guard case .run(let odd) = try Sample().program.parse(words) else {
            Issue.record("it does not run")
            return
        }
        #expect(odd.commandLine(of: "rig") == #"rig bench --profile 'a '\''b'\'''"#)
    }

    /// The command line names values that were drawn or narrowed, and other arguments.
    @Test func a_command_line_can_be_said_with_what_it_left_open() throws {
        let invocation = try Sample().run("bench --profile edge --json")
        #expect(
            invocation.commandLine(of: "rig", setting: [("seed", "9"), ("profile", "3g")])
                == "rig bench --profile 3g --seed 9 --json")
        let other = try Sample().run("compare a b")
        #expect(
            other.commandLine(of: "rig", arguments: ["$(gone).json"])
                == "rig compare '$(gone).json'")
    }

    /// A value or a word that begins with a dash is no option of its own.
    @Test(arguments: [["bench", "--profile=-x", "--json"], ["compare", "--", "-a", "b"]])
    func what_begins_with_a_dash_can_be_said_again(words: [String]) throws {
        guard case .run(let first) = try Sample().program.parse(words) else {
            Issue.record("it does not run")
            return
        }
        let command = first.commandLine(of: "rig")
        #expect(command == "rig " + words.joined(separator: " "))
        #expect(try Sample().run(String(command.dropFirst(4))).commandLine(of: "rig") == command)
    }

    @Test func values_are_typed() throws {
        let run = try sample.run("bench --json --rtt=1.5s")
        #expect(run.path == ["bench"])
        #expect(run[sample.rtt] == .milliseconds(1500))
        #expect(run[sample.seed] == 42)
        #expect(!run.isGiven(sample.seed))
        #expect(run[sample.json])
        #expect(run[sample.profile] == nil)
    }

    @Test func a_value_given_twice_is_refused() {
        let error = sample.error("bench --rtt 60ms --json --rtt=1.5s")
        #expect(error.hasPrefix("Error: '--rtt' is given twice: '60ms' and '1.5s'.\nHelp:  --rtt"))
    }

    @Test func an_option_may_be_required() throws {
        var program = Verb("sim", overview: "Runs one side.")
        program.add(CommandOption<String>("link", value: "address", required: true, help: "Where."))
        program.add(CommandFlag("quiet", help: "Say nothing."))
        program.version = "0.1.0"
        let error = #expect(throws: UsageError.self) { try program.parse(["--quiet"]) }
        #expect(
            error?.description.contains("Missing option '--link <address>'.\nHelp:  --link") == true
        )
        #expect(error?.usage == "sim --link <address> [--quiet]")
        for word in ["--help", "--version"] {
            guard case .print = try program.parse([word]) else { throw Unexpected() }
        }
    }

    @Test func each_verb_tells_the_version_of_the_program() throws {
        #expect(sample.error("bench --version").hasPrefix("Error: Unknown option '--version'."))
        var spread = Sample()
        spread.program.spreadVersion()
        #expect(try spread.printed("bench --version") == "rig 0.1.0")
        #expect(try spread.printed("compare --version") == "rig 0.1.0")
        #expect(try spread.printed("bench --help").contains("\n  --version "))
        #expect(spread.error("bench --version x").hasPrefix("Error: Unexpected argument 'x'."))
    }

    @Test func what_stands_beside_the_version_is_not_passed_over() throws {
        #expect(sample.error("--version extra").hasPrefix("Error: Unexpected argument 'extra'."))
        #expect(sample.error("--version --jsn").hasPrefix("Error: Unknown option '--jsn'."))
        // Help is what a faulty line needs.
        #expect(try sample.printed("bench --help extra").hasPrefix("OVERVIEW: Measures one link."))
    }

    @Test func arguments_stand_by_place_and_after_two_dashes() throws {
        let run = try sample.run("compare one -- --two")
        #expect(run[sample.base] == "one")
        #expect(run[sample.new] == "--two")
        #expect(try sample.run("compare one")[sample.new] == nil)
    }

    @Test func a_value_without_a_unit_is_refused() {
        #expect(
            sample.error("bench --rtt 30") == """
                Error: The value '30' is invalid for '--rtt': a unit is needed (ns, us, ms, \
                s, min or h).
                Help:  --rtt <time>  Round-trip time, half in each direction, for example \
                60ms or 1.5s.
                Usage: rig bench [--profile <profile>] [--rtt <time>] [--seed <n>] ...
                  See 'rig bench --help' for more information.
                """)
    }

    @Test func an_unknown_flag_is_guessed() {
        #expect(
            sample.error("bench --sede 7") == """
                Error: Unknown option '--sede'. Did you mean '--seed'?
                Help:  --seed <n>  Every random choice follows from it.
                Usage: rig bench [--profile <profile>] [--rtt <time>] [--seed <n>] ...
                  See 'rig bench --help' for more information.
                """)
    }

    @Test func an_unknown_verb_is_guessed() {
        #expect(
            sample.error("benhc") == """
                Error: Unknown verb 'benhc'. Did you mean 'bench'?
                Usage: rig <verb> [<options>]
                  See 'rig --help' for more information.
                """)
        #expect(
            sample.error("xyzzy").hasPrefix(
                "Error: Unknown verb 'xyzzy'.\nHelp:  Verbs: bench, compare.\nUsage:"))
    }

    @Test func all_faults_come_at_once() {
        #expect(
            sample.error("bench --seed x --json=1 --rtt stray extra") == """
                Error: The value 'x' is invalid for '--seed': a whole number is needed, 0 to \
                18446744073709551615.
                Help:  --seed <n>  Every random choice follows from it.
                Error: The flag '--json' takes no value.
                Help:  --json  Print JSON.
                Error: The value 'stray' is invalid for '--rtt': a number with a unit is needed \
                (ns, us, ms, s, min or h).
                Help:  --rtt <time>  Round-trip time, half in each direction, for example \
                60ms or 1.5s.
                Error: Unexpected argument 'extra'.
                Usage: rig bench [--profile <profile>] [--rtt <time>] [--seed <n>] ...
                  See 'rig bench --help' for more information.
                """)
    }

    @Test(arguments: [
        ("bench --rtt", "Error: Missing value for '--rtt <time>'."),
        ("bench --rtt --json", "Error: Missing value for '--rtt <time>'."),
        ("compare", "Error: Missing argument '<base>'."), ("--", "Error: A verb is needed."),
        ("bench -x", "Error: Unknown option '-x'."),
        ("bench --seed -1", "Error: The value '-1' is invalid for '--seed': it must be 0 to"),
        ("bench --seed 99999999999999999999", "Error: The value '99999999999999999999' is invalid"),
    ])
    func what_is_missing_is_named(line: String, start: String) {
        #expect(sample.error(line).hasPrefix(start))
    }

    @Test func help_has_its_sections() throws {
        #expect(
            try sample.printed("bench --help") == """
                OVERVIEW: Measures one link.

                USAGE: rig bench [--profile <profile>] [--rtt <time>] [--seed <n>] [--json]

                OPTIONS:
                  --profile <profile>  A link profile.
                  --rtt <time>         Round-trip time, half in each direction, for example 60ms
                                       or 1.5s.
                  --seed <n>           Every random choice follows from it. (default: 42)
                  --json               Print JSON.
                  -h, --help           Show this help.

                EXAMPLES:
                  rig bench --rtt 60ms  one link with 60 ms
                """)
        let top = try sample.printed("-h")
        #expect(
            top.hasPrefix(
                "OVERVIEW: Runs the phone and the watch and measures them.\n\nUSAGE: rig <verb>"))
        #expect(
            top.contains(
                "SUBCOMMANDS:\n  bench    Measures one link.\n  compare  Compares two runs."))
        #expect(top.hasSuffix("See 'rig <verb> --help' for detailed help."))
        #expect(try sample.printed("--version") == "rig 0.1.0")
    }

    /// The command that the help names works as it stands, at every depth.
    @Test func the_command_that_help_names_works() throws {
        var outer = Verb("crash", overview: "Crashes something.")
        outer.verbs = [Verb("kill", overview: "Ends a process."), Verb("disk", overview: "Fails.")]
        var program = Verb("rig", overview: "Runs.")
        program.verbs = [outer]
        for words in [["--help"], ["crash", "--help"]] {
            guard case .print(let text) = try program.parse(words) else { throw Unexpected() }
            let match = try #require(text.firstMatch(of: #/See 'rig ([^']*)' for/#))
            let verb = words.count == 1 ? "crash" : "kill"
            let words = match.output.1.split(separator: " ").map(String.init)
            let named = words.map { $0 == "<verb>" ? verb : $0 }
            guard case .print(let detailed) = try program.parse(named) else {
                throw Unexpected()
            }
            #expect(detailed.hasPrefix("OVERVIEW: "))
        }
    }

    @Test func help_fits_eighty_columns() throws {
        for line in ["-h", "bench -h", "compare -h"] {
            for row in try sample.printed(line).split(separator: "\n") { #expect(row.count <= 80) }
        }
    }

    @Test func tools_read_the_description() throws {
        let text = try sample.printed("bench --experimental-dump-help")
        let root = try JSONParser.parse(text).value
        #expect(root["serializationVersion"] == 0)
        let verbs = root["command"]?["subcommands"]?.array ?? []
        #expect(verbs.compactMap { $0["commandName"]?.string } == ["bench", "compare"])
        let seed = verbs.first?["arguments"]?.array?.first { $0["valueName"] == "n" }
        #expect(seed?["kind"] == "option")
        #expect(seed?["defaultValue"] == "42")
        #expect(seed?["preferredName"]?["name"] == "seed")
    }

    private enum Fruit: String, ArgumentChoice { case apple, pear, plum }

    /// A program with an option of each sort of value.
    private static var basket: Verb {
        var basket = Verb("basket", overview: "Holds fruit.")
        basket.add(CommandOption<Fruit>("fruit", value: "name", help: "Which."))
        basket.add(CommandOption<Int>("count", value: "n", in: 1...9, help: "How many."))
        basket.add(
            CommandOption<Duration>(
                "wait", value: "time", in: .milliseconds(100)...(.seconds(2)), help: "How long."))
        basket.add(CommandOption<String>("out", value: "dir", help: "Where to."))
        basket.add(CommandArgument<String>("file", optional: true, help: "What."))
        return basket
    }

    @Test(arguments: [
        ("--count", "0", "it must be 1 to 9."), ("--count", "-3", "it must be 1 to 9."),
        ("--count", "1x", "a whole number is needed, 1 to 9."),
        ("--count", "5e21", "a whole number is needed, 1 to 9."),
        ("--count", "99999999999999999999", "it must be 1 to 9."), ("--count", "9", nil),
        ("--wait", "3s", "it must be 100ms to 2s."), ("--wait", "99ms", "it must be 100ms to 2s."),
        ("--wait", "100ms", nil), ("--fruit", "plum", nil),
        ("--fruit", "kiwi", "it must be apple, pear or plum."),
        ("--fruit", "pea", "it must be apple, pear or plum; did you mean 'pear'?"),
    ])
    func a_value_out_of_bounds_is_refused(option: String, value: String, reason: String?) {
        do throws(UsageError) {
            _ = try Self.basket.parse([option, value])
            #expect(reason == nil)
        } catch {
            #expect(
                error.faults.map(\.message) == [
                    "The value '\(value)' is invalid for '\(option)': \(reason ?? "")"
                ])
        }
    }

    @Test func a_missing_value_is_one_fault_not_two() throws {
        var program = Verb("sim", overview: "Runs one side.")
        program.add(CommandOption<String>("link", value: "address", required: true, help: "Where."))
        let error = #expect(throws: UsageError.self) { try program.parse(["--link"]) }
        #expect(error?.faults.map(\.message) == ["Missing value for '--link <address>'."])
    }

    @Test func tools_learn_what_may_be_typed() throws {
        let arguments = Self.basket.toolDescription["command"]?["arguments"]?.array ?? []
        func kind(_ name: String) -> JSONValue? {
            arguments.first { argument in
                argument["preferredName"]?["name"]?.string == name
                    || argument["valueName"]?.string == name
            }?["completionKind"]
        }
        #expect(kind("fruit") == ["list": ["values": ["apple", "pear", "plum"]]])
        #expect(kind("out") == ["directory": [:]])
        #expect(kind("file") == ["file": ["extensions": []]])
        #expect(kind("count") == nil)
    }

    @Test func a_word_that_begins_another_is_meant_for_it() {
        #expect(Spelling.nearest(to: "4g", among: ["5g", "4g-good", "4g-average"]) == "4g-good")
        #expect(Spelling.nearest(to: "4", among: ["5g", "4g-good"]) == nil)
        #expect(Spelling.nearest(to: "--im", among: ["--json", "--import"]) == "--import")
    }

    /// Repaired, the name would be that of another file.
    @Test func a_word_that_is_no_text_is_refused() throws {
        let good = [Array("demo".utf8), Array("ü".utf8), []]
        #expect(try GivenArguments.text(of: good) == ["demo", "ü", ""])
        let failure = #expect(throws: RigFailure.self) {
            try GivenArguments.text(of: good + [[0x61, 0xFF, 0x62]])
        }
        #expect(
            failure?.description == """
                Error: Argument 4 is not UTF-8: 'a\u{FFFD}b'.
                  Try: give the file another name, or a link with one.
                """)
        #expect(failure?.exitCode == .usage)
    }

    @Test func ranges_of_seeds() throws {
        let fault = #expect(throws: ArgumentFault.self) { try SeedRange(argument: "x") }
        #expect(fault == ArgumentFault("a whole number, or two with '..' between, is needed"))
        #expect(try SeedRange(argument: "1..10000").seeds == 1...10000)
        #expect(try SeedRange(argument: "7").seeds == 7...7)
        for text in ["", "1..", "..5", "a..b", "5..1", "1...5"] {
            #expect(throws: ArgumentFault.self) { try SeedRange(argument: text) }
        }
    }

    @Test func spelling_counts_swaps_as_one_step() {
        #expect(Spelling.distance("seed", "sede") == 1)
        #expect(Spelling.distance("kitten", "sitting") == 3)
        #expect(Spelling.distance("", "abc") == 3)
        #expect(Spelling.nearest(to: "profiel", among: ["seed", "profile"]) == "profile")
        #expect(Spelling.nearest(to: "zzz", among: ["seed", "profile"]) == nil)
    }
}
