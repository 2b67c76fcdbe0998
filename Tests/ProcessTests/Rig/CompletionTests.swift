import CommandLine
import Foundation
import Testing

/// What `rig completions` and `rig man` print is what shells and man take.
@Suite(.timeLimit(.minutes(2))) struct CompletionTests {
    static let halves = ["half-coding"]

    /// Runs a line of bash among the programs; gives what went to standard error.
    private static func bash(_ line: String) throws -> (text: String, exitCode: Int32) {
        let entry = ErrorTranscript.Entry(command: line, text: "", exitCode: 0)
        let found = try ErrorTranscript(
            """
            % mkdir out; printf '{}' >car.json; printf '{}' >'two words.json'
            """
        ).run(entry)
        return (found.text, found.exitCode)
    }

    /// The words that bash would offer after these, of which the last is not typed to its end.
    private static func offers(_ words: String) throws -> [String] {
        let script = """
            source <(rig completions bash) && COMP_WORDS=(\(words)) && \
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _rig && \
            { [[ ${#COMPREPLY[@]} == 0 ]] || printf '%s\\n' "${COMPREPLY[@]}" >&2; }
            """
        let (text, exitCode) = try bash(script)
        #expect(exitCode == 0, "\(text)")
        return text.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [
        ("rig de", ["demo"]),
        ("rig lab crash ''", ["states", "faults", "kill", "disk"]),
        ("rig lab crash states --fam", ["--family"]),
        ("rig lab crash states --family fo", ["fold", "forget"]),
        ("rig demo --cpu ''", ["apart", "same", "any"]),
        ("rig demo --cpu = a", ["apart", "any"]),
        ("rig demo --format table,j", ["table,json", "table,junit"]),
        ("rig bench --mix sync,message,d", ["sync,message,dose"]),
        ("rig lab baseline --profile 3g,ed", ["3g,edge"]),
        ("rig demo --cpu =", ["apart", "same", "any"]),
        ("rig demo --rate 20/s --pro", ["--profile", "--progress"]),
        ("rig demo --progress li", ["lines"]),
        ("rig demo --seed ''", []),
        ("rig demo --import c", ["car.json"]),
        ("rig demo --import two", ["two words.json"]),
        ("rig demo --out ''", ["out"]),
        ("rig pair ''", ["out"]),
        ("rig profiles 4", ["4g-good", "4g-average"]),
        ("rig profiles car", ["car.json"]),
        ("rig link --profile ed", ["edge"]),
        ("rig lab baseline --cell hundred-w", ["hundred-warm"]),
        ("rig lab life --fault k", ["keeps-timeline"]),
        ("rig explore --mutant hal", CompletionTests.halves),
        ("rig help prof", ["profiles"]),
        ("rig completions ''", ["bash", "zsh", "fish"]),
        ("rig lab codec --rounds 5 --rou", ["--rounds"]),
        ("rig nothing --x", []),
    ])
    func bash_completes(words: String, offered: [String]) throws {
        #expect(try Self.offers(words) == offered)
    }

    /// As in a clone that has nothing but `./run`.
    @Test(arguments: [
        ("./run --imp", ["--import"]), ("./run prof", ["profiles"]),
        ("./run lab crash st", ["states"]), ("./run --cpu a", ["apart", "any"]),
    ])
    func bash_completes_the_script_of_the_package(words: String, offered: [String]) throws {
        let script = """
            source <(rig completions bash) && COMP_WORDS=(\(words)) && \
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _rig_run && \
            printf '%s\\n' "${COMPREPLY[@]}" >&2 && complete -p ./run >&2
            """
        let (text, exitCode) = try Self.bash(script)
        #expect(exitCode == 0)
        let lines = offered + ["complete -F _rig_run ./run"]
        #expect(text.split(separator: "\n").map(String.init) == lines)
    }

    @Test func bash_offers_every_verb() throws {
        let help = try Self.bash("rig --help >&2").text
        let verbs = try Self.offers("rig ''")
        #expect(verbs.contains("demo") && verbs.contains("lab") && verbs.last == "help")
        for verb in verbs { #expect(help.contains("\n  \(verb) "), "\(verb)") }
    }

    private static func isInstalled(_ program: String) -> Bool {
        let found = ["/usr/bin", "/bin", "/usr/local/bin"].contains {
            Files.isExecutable("\($0)/\(program)")
        }
        if !found { print("skipped: a check of what rig writes needs \(program)") }
        return found
    }

    @Test func bash_reads_the_script_without_a_word() throws {
        #expect(try Self.bash("rig completions bash >s; bash -n s") == ("", 0))
    }

    @Test(.enabled(if: isInstalled("zsh"), "needs zsh"))
    func zsh_reads_the_script() throws {
        #expect(try Self.bash("rig completions zsh >s; zsh -n s") == ("", 0))
    }

    @Test(.enabled(if: isInstalled("fish"), "needs fish"))
    func fish_reads_the_script() throws {
        #expect(try Self.bash("rig completions fish >s; fish -n s") == ("", 0))
    }

    @Test(
        .enabled(if: isInstalled("fish"), "needs fish"),
        arguments: [
            ("rig de", ["demo"]),
            ("rig lab crash ", ["disk", "faults", "kill", "states"]),
            ("rig lab crash states --family fo", ["fold", "forget"]),
            ("rig demo --cpu=a", ["--cpu=any", "--cpu=apart"]),
            ("rig demo --format table,j", ["table,json", "table,junit"]),
            ("rig demo --format=table,js", ["--format=table,json"]),
            ("rig bench --mix sync,message,d", ["sync,message,dose"]),
            ("rig lab baseline --profile 3g,ed", ["3g,edge"]),
            ("rig demo --rate 20/s --pro", ["--profile", "--progress"]),
            ("rig demo --import c", ["car.json"]),
            ("rig profiles --up rtt=3ms 4g-g", ["4g-good"]),
            ("rig profiles 3g 4g-g", []),
            ("rig nothing ", []),
        ])
    func fish_completes(words: String, offered: [String]) throws {
        let (text, exitCode) = try Self.bash(
            "rig completions fish >s; fish --no-config -c 'source s; complete -C \"\(words)\"' >&2")
        #expect(exitCode == 0)
        let found = text.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
        #expect(found.map(String.init) == offered)
    }

    /// The scripts of other shells name what the first one does.
    @Test(arguments: ["zsh", "fish"]) func other_shells_are_told_the_same(shell: String) throws {
        let text = try Self.bash("rig completions \(shell) >&2").text
        for word in ["demo", "progress", "apart same any", "4g-average", "nonce-reset"] {
            #expect(text.contains(word), "\(word)")
        }
    }

    // MARK: Manual pages

    @Test(.enabled(if: isInstalled("groff"), "needs groff"))
    func manual_pages_have_no_fault() throws {
        let line = """
            rig man pages >list && cat list >&2 && \
            for page in pages/*.1; do groff -ww -man -Tutf8 -z "$page"; done
            """
        let (text, exitCode) = try Self.bash(line)
        #expect(text.contains(#/^\d+ pages in pages\n$/#), "\(text)")
        #expect(exitCode == 0)
    }

    @Test(.enabled(if: isInstalled("mandoc"), "needs mandoc"))
    func mandoc_has_no_complaint() throws {
        let (text, exitCode) = try Self.bash("rig man pages; mandoc -Tlint -Werror pages/*.1 >&2")
        #expect(exitCode == 0, "\(text)")
    }

    /// A newer rig replaces its own pages, and no other file.
    @Test func a_page_of_somebody_else_stays() throws {
        let (text, exitCode) = try Self.bash(
            """
            rig man pages; sed -i 's/"rig 0[.0-9]*"$/"rig 0.0.7"/' pages/rig-up.1; \
            rig man pages; head -1 pages/rig-up.1 >&2; rm pages/rig-demo.1; \
            echo mine >pages/rig.1; rig man pages; echo $? >&2; cat pages/rig.1 >&2; \
            ls pages | grep -c demo >&2
            """)
        #expect(exitCode == 1)
        #expect(
            text == """
                .TH "RIG\\-UP" 1 "" "rig 0.1.0"
                Error: 'pages/rig.1' is not a file of the rig, and stays.
                  Try: another directory, or move that file away.
                73
                mine
                0

                """, "\(text)")
    }

    @Test func there_is_a_page_for_each_verb() throws {
        let (text, _) = try Self.bash(
            "rig man pages; cd pages; ls >&2; head -4 rig-lab-crash-kill.1 >&2")
        for page in ["rig.1", "rig-demo.1", "rig-lab-crash-kill.1", "PhoneSim.1", "WatchSim.1"] {
            #expect(text.contains("\(page)\n"))
        }
        #expect(
            text.hasSuffix(
                """
                .TH "RIG\\-LAB\\-CRASH\\-KILL" 1 "" "rig 0.1.0"
                .SH NAME
                rig\\-lab\\-crash\\-kill \\- ends PhoneSim and WatchSim with \
                SIGKILL under load, and looks
                .SH SYNOPSIS

                """), "\(text)")
        let odd = try Self.bash("rig man car.json")
        #expect(odd.exitCode == 73)
        #expect(
            odd.text == """
                Error: Cannot write the manual pages: mkdir car.json: Not a directory.
                  Try: take a path that leads through directories alone, or name another \
                directory.

                """)
    }
}
