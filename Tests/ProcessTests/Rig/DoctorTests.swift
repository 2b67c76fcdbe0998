import CommandLine
import ControlProtocol
import Testing

/// What `rig doctor` finds where something is missing.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DoctorTests {
    private static func bash(_ line: String) throws -> (text: String, exitCode: Int32) {
        let entry = ErrorTranscript.Entry(command: line, text: "", exitCode: 0)
        let found = try ErrorTranscript("").run(entry)
        return (found.text, found.exitCode)
    }

    private static let rig = #"bin=$(dirname "$(command -v rig)");"#

    @Test func what_is_missing_is_named_with_its_fix() throws {
        let line = #"PATH= TMPDIR=/nowhere "$bin/rig" doctor >&2"#
        let (text, exitCode) = try Self.bash("\(Self.rig) \(line)")
        #expect(exitCode == 1)
        for line in [
            "MISSING  swift            fix: install Swift 6.2 or later from https://www.swift.org/install",
            "MISSING  temporary files  fix: set TMPDIR to a writable directory",
            "OK       socket paths     35 of 107 bytes",
            "OK       terminal         none on stdout: no colour, progress in lines",
            "OPTIONAL python3          for Examples/python; fix: apt-get install python3",
            "OPTIONAL tshark           for looking into captures; fix: apt-get install tshark",
            "OPTIONAL chromium         for tests of the HTML report; "
                + "fix: apt-get install chromium-headless-shell",
        ] {
            #expect(Self.words(text).contains(Self.words(line)), "\(line)\n\(text)")
        }
    }

    @Test func a_long_path_leaves_no_room_for_a_socket() throws {
        let (text, _) = try Self.bash(
            """
            long=$PWD/$(printf %100s | tr ' ' x); mkdir "$long"; TMPDIR=$long rig doctor >&2; \
            rmdir "$long"
            """)
        let line =
            "MISSING  socket paths     fix: set TMPDIR to a directory whose path has at most 80 bytes, not 1"
        #expect(Self.words(text).contains(Self.words(line)), "\(text)")
    }

    @Test(arguments: [
        ("stty cols 100 rows 30", "C.UTF-8", "OK       terminal         100x30, UTF-8, colour"),
        (
            "stty cols 60 rows 20", "C.UTF-8",
            "OPTIONAL terminal         for tables that fit and characters that show; fix: make it 80x24 at least, it is 60x20"
        ),
        (
            "stty cols 100 rows 30", "C",
            "OPTIONAL terminal         for tables that fit and characters that show; fix: set LANG to a locale of UTF-8, such as C.UTF-8"
        ),
    ])
    func a_terminal_is_looked_at(size: String, locale: String, line: String) throws {
        let (text, _) = try Self.bash(
            "CI= NO_COLOR= TERM=xterm LC_ALL=\(locale) script -qec '\(size); rig doctor' /dev/null >&2"
        )
        #expect(Self.words(text).contains(Self.words(line)), "\(text)")
    }

    /// A narrow terminal breaks the line, and the columns follow the longest name.
    private static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test func programs_read_the_same() throws {
        let line = #"PATH= TMPDIR=/nowhere "$bin/rig" doctor --json --quiet >&2"#
        let (text, exitCode) = try Self.bash("\(Self.rig) \(line)")
        let json = try JSONParser.parse(text).value
        #expect(exitCode == 1 && json["ok"] == false)
        let checks = json["checks"]?.array ?? []
        let temporary = checks.first { $0["name"] == "temporary files" }
        #expect(
            temporary == [
                "name": "temporary files", "status": "MISSING", "ok": false, "found": .null,
                "fix": "set TMPDIR to a writable directory", "needed_by": .null,
            ])
        let tshark = checks.first { $0["name"] == "tshark" }
        #expect(tshark?["status"] == "OPTIONAL" && tshark?["needed_by"] == "looking into captures")
    }
}

/// The ways in which progress is told.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ProgressTests {
    private let rig: RigProgram

    init() throws { rig = try RigProgram() }

    @Test func the_option_says_how() throws {
        func told(_ how: [String]) throws -> String {
            try rig.run(["explore", "--unsealed", "--seeds", "1..3"] + how).stderr
        }
        let line = "explore: 3/3 seeds, 0 failing\n"
        #expect(try told([]) == line)
        #expect(try told(["--progress", "lines"]) == line)
        #expect(try told(["--progress", "none"]) == "")
        #expect(try told(["--quiet", "--progress", "bar"]) == "")
        #expect(
            try told(["--progress", "bar"])
                == "\r\u{1B}[Kexplore: [####################]  3/3 seeds, 0 failing \r\u{1B}[K")
    }

    @Test func a_terminal_has_a_bar_unless_the_environment_says_otherwise() throws {
        func told(_ environment: String) throws -> Bool {
            let line = "rig explore --unsealed --seeds 1..3"
            let entry = ErrorTranscript.Entry(
                command: "CI= TERM=xterm; \(environment); script -qec '\(line)' /dev/null >&2",
                text: "", exitCode: 0)
            return try ErrorTranscript("").run(entry).text.contains("\u{1B}[K")
        }
        #expect(try told("export TERM"))
        #expect(try told("export NO_COLOR=1"))
        #expect(try !told("export CI=1"))
        #expect(try !told("export TERM=dumb"))
    }
}
