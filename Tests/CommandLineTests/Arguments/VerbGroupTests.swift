import Testing

@testable import CommandLine

/// Verbs that stand in groups, and those that moved.
@Suite struct VerbGroupTests {
    private static var program: Verb {
        var bench = Verb("bench", overview: "Measures.")
        bench.group = "USE"
        bench.formerOptions = ["peers": "rig lab brokers"]
        var lab = Verb("lab", overview: "Breaks.")
        lab.group = "LAB"
        lab.verbs = [Verb("store", overview: "Stores."), Verb("codec", overview: "Codes.")]
        var program = Verb("rig", overview: "Runs.")
        program.verbs = [bench, lab, Verb("help", overview: "Explains.")]
        program.formerVerbs = ["store": "rig lab store"]
        return program
    }

    /// The text that a command line prints: help, or an error.
    private static func text(_ line: String) -> String {
        do {
            let result = try program.parse(line.split(separator: " ").map(String.init))
            guard case .print(let text) = result else { return "(runs)" }
            return text
        } catch {
            return error.description
        }
    }

    @Test func without_words_the_help_is_printed() {
        #expect(Self.text("").hasPrefix("OVERVIEW: Runs."))
        #expect(Self.text("") == Self.text("--help"))
        #expect(Self.text("lab") == Self.text("lab --help"))
        #expect(Self.text("help lab store") == Self.text("lab store --help"))
        #expect(Self.text("help bench store").hasPrefix("Error: Unexpected argument"))
        #expect(Self.text("--").hasPrefix("Error: A verb is needed."))
    }

    @Test func help_lists_verbs_by_group() {
        let help = Self.text("--help")
        #expect(
            help.contains(
                """
                USE:
                  bench  Measures.

                LAB:
                  lab store  Stores.
                  lab codec  Codes.

                SUBCOMMANDS:
                  help  Explains.
                """), "\(help)")
    }

    @Test func a_former_verb_or_option_names_the_present_one() {
        #expect(
            Self.text("store --medications 3") == """
                Error: 'rig store' is now 'rig lab store'.
                Usage: rig <verb> [<options>]
                  See 'rig lab store --help' for more information.
                """)
        #expect(Self.text("bench --peers").hasPrefix("Error: '--peers' is now 'rig lab brokers'."))
        #expect(Self.text("lab store --peers").hasPrefix("Error: Unknown option '--peers'."))
    }
}
