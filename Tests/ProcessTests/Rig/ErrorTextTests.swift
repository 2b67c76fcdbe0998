import CommandLine
import Testing

/// Every message about wrong input, word for word, with its exit code.
@Suite(.timeLimit(.minutes(5))) struct ErrorTextTests {
    static let rig = ErrorTranscript(named: "rig")
    static let simulators = ErrorTranscript(named: "simulators")
    static let control = ErrorTranscript(named: "control")

    @Test(arguments: rig.entries) func rig_says(entry: ErrorTranscript.Entry) throws {
        try Self.check(entry, in: Self.rig)
    }

    @Test(arguments: simulators.entries)
    func a_simulator_says(entry: ErrorTranscript.Entry) throws {
        try Self.check(entry, in: Self.simulators)
    }

    @Test(arguments: control.entries)
    func a_wrong_line_is_answered(entry: ErrorTranscript.Entry) throws {
        try Self.check(entry, in: Self.control)
    }

    private static func check(_ entry: ErrorTranscript.Entry, in all: ErrorTranscript) throws {
        let found = try all.run(entry)
        #expect(found.text == entry.text, "\(entry.command)")
        #expect(found.exitCode == entry.exitCode, "\(entry.command)")
    }

    @Test func there_are_enough_of_them() {
        #expect(Self.rig.entries.count >= 80)
        #expect(Self.simulators.entries.count >= 30)
        #expect(Self.control.entries.count >= 20)
    }

    /// Advice stands in each: a line that begins with it, the help to read, the place in the file
    /// that is marked, or the text that is expected instead.
    @Test func every_message_says_what_to_do() {
        // A message about a program's own fault, or about something too slow, names the
        // observation.
        let others: [Int32] = [70, 75, 76, 130]
        for entry in Self.rig.entries + Self.simulators.entries
        where !others.contains(entry.exitCode) {
            let ways = ["Try: ", "try: ", "See '", "^\n", "Make it first", "Choose another"]
            #expect(ways.contains(where: entry.text.contains), "\(entry.command)\n\(entry.text)")
            #expect(ExitCode(rawValue: entry.exitCode) != nil)
        }
    }

    @Test func a_planted_difference_is_found() throws {
        var entry = try #require(Self.rig.entries.first)
        entry.text += "one line more\n"
        #expect(try Self.rig.run(entry).text != entry.text)
        entry = ErrorTranscript.Entry(command: "rig profiles", text: "", exitCode: 64)
        #expect(try Self.rig.run(entry).exitCode == 0)
    }
}
