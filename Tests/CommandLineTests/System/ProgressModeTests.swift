import CommandLine
import Testing

@Suite struct ProgressModeTests {
    @Test(arguments: [
        (true, [:], ProgressMode.bar), (false, [:], .lines), (true, ["CI": "true"], .lines),
        (true, ["CI": ""], .bar), (true, ["TERM": "dumb"], .lines),
        (true, ["NO_COLOR": "1"], .bar), (false, ["TERM": "xterm"], .lines),
    ])
    func auto_goes_by_terminal_and_environment(
        isTerminal: Bool, variables: [String: String], mode: ProgressMode
    ) {
        let auto = ProgressMode.auto.resolved(isTerminal: isTerminal) { variables[$0] }
        #expect(auto == mode)
        // A mode that was asked for counts anywhere.
        for asked in [ProgressMode.bar, .lines, .none] {
            #expect(asked.resolved(isTerminal: isTerminal) { variables[$0] } == asked)
        }
    }

    @Test func a_bar_shows_the_share() {
        #expect(ProgressMode.bar(0, of: 60) == "[--------------------]")
        #expect(ProgressMode.bar(27, of: 60) == "[#########-----------]")
        #expect(ProgressMode.bar(60, of: 60) == "[####################]")
        #expect(ProgressMode.bar(70, of: 60) == "[####################]")
        #expect(ProgressMode.bar(0, of: 0) == "[####################]")
    }
}
