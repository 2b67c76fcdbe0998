import ControlProtocol
import Testing

@Suite struct ExcerptTests {
    @Test func what_is_short_stays_and_what_is_long_is_cut_by_scalars() {
        #expect(Excerpt.of("Digoxin") == "Digoxin")
        #expect(Excerpt.of("") == "")
        #expect(Excerpt.of(String(repeating: "a", count: 40)).count == 40)
        #expect(
            Excerpt.of(String(repeating: "a", count: 41))
                == String(repeating: "a", count: 39) + "…")
        #expect(Excerpt.of("abc", limit: 0) == "…")
        // One character, however many marks it carries.
        let tower = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(tower.count == 1)
        #expect(Excerpt.of(tower).unicodeScalars.count == 40)
    }

    @Test(arguments: ["\n", "\u{1B}", "\u{85}", "\u{2028}", "\u{202E}", "\u{2066}"])
    func nothing_acts_on_the_readers_screen(scalar: String) {
        #expect(Excerpt.of("a\(scalar)b") == "a b")
        #expect(Excerpt.line("a\(scalar)b") == "a b")
    }

    @Test func a_line_stays_whole() {
        let long = String(repeating: "é\n", count: 1000)
        #expect(Excerpt.line(long) == String(repeating: "é ", count: 1000))
    }

    @Test func an_error_of_a_command_tells_no_more_than_the_beginning() {
        let long = String(repeating: "z", count: 1_000_000)
        let field = ControlError.badField("channel", expected: "a channel", found: long)
        #expect((field.details["found"]?.string?.utf8.count ?? .max) < 200)
        let unknown = ControlError.unknownCommand(long, known: ["status", "quit"])
        #expect((unknown.details["got"]?.string?.utf8.count ?? .max) < 200)
        #expect(Spelling.nearest(to: long, among: ["status"]) == nil)
    }
}
