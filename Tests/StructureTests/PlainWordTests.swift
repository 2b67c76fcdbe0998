import Foundation
import Testing

/// Sources, articles and schemas use the words of the field, but for what a list still excepts.
@Suite(.serialized) struct PlainWordTests {
    private static let folder = SourceTree.root.appendingPathComponent("Fixtures/words")

    private static func text(_ name: String) -> String {
        (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
    }

    private static let words = PlainWords(table: text("private.tsv"))

    /// The texts that are read: by path, relative to the package.
    private static var paths: [String] {
        var paths = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
        for folder in ["Sources", "Tools", "Tests", "Examples", "share/schema"] {
            let base = SourceTree.root.appendingPathComponent(folder).path
            guard let walker = FileManager.default.enumerator(atPath: base) else { continue }
            for case let path as String in walker
            where [".swift", ".md", ".json", ".py"].contains(where: path.hasSuffix)
                && !path.contains(".build/") && !path.contains("PlainWord")
            {
                paths.append("\(folder)/\(path)")
            }
        }
        return paths.sorted()
    }

    /// What stands where: the path, a tab, the entry.
    private static func findings() -> Set<String> {
        var found: Set<String> = []
        for path in paths {
            let file = SourceTree.root.appendingPathComponent(path)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            let isProse = path.hasSuffix(".swift") || path.hasSuffix(".md")
            let prose =
                isProse ? PlainWords.prose(of: text, isSwift: path.hasSuffix(".swift")) : []
            for entry in words.findings(in: text, prose: prose) {
                found.insert("\(path)\t\(entry)")
            }
        }
        return found
    }

    /// How many entries may be listed that are not found any more: work on several branches meets
    /// in the list.
    private static let slack = 20

    /// The list only shrinks: reword a new finding. `WATCHPROTO_WORDS=shrink` in the environment
    /// takes out the entries that are no longer found.
    @Test func private_words_stand_only_where_the_list_excepts_them() throws {
        let lines = Self.text("exceptions.tsv").split(separator: "\n").map(String.init)
        let excepted = Set(lines.filter { !$0.hasPrefix("#") })
        let found = Self.findings()
        for finding in found.subtracting(excepted).sorted() {
            Issue.record("\(finding): see Fixtures/words/private.tsv for the word of the field")
        }
        let stale = excepted.subtracting(found)
        if ProcessInfo.processInfo.environment["WATCHPROTO_WORDS"] == "shrink" {
            let kept = lines.filter { !stale.contains($0) }.map { $0 + "\n" }.joined()
            try kept.write(
                to: Self.folder.appendingPathComponent("exceptions.tsv"), atomically: true,
                encoding: .utf8)
        } else {
            #expect(
                stale.count <= Self.slack,
                "not found any more; run with WATCHPROTO_WORDS=shrink: \(stale.sorted())")
        }
        #expect(Self.words.count > 50 && found.count > 10)
    }

    @Test(arguments: [
        ("let linkWeather = 1", ["weather"]), ("/// The weather of a link.", ["weather"]),
        ("struct ScenarioJudge {}", ["judge"]), ("it is judged", ["judge"]),
        ("case furtherPart(Int)", ["further part"]), ("a further\npart", ["further part"]),
        ("PairingDesk, MetOpenings", ["pairing desk", "met openings"]),
        ("peaceful, flooring, guestbook", []), ("the lower bound of a link", []),
        ("FLOOR_LEVEL", ["floor"]),
    ])
    func a_planted_word_is_found(text: String, entries: [String]) {
        #expect(Self.words.findings(in: text, prose: []) == Set(entries))
    }

    @Test(arguments: [
        ("/// What is lost is sent again.", true), ("// Whoever asks gets it.", true),
        ("/// Adds one. What is lost is sent again.", true), ("/// What is lost?", false),
        ("/// Lost records are retransmitted.", false), ("let a = 1 // What is lost", false),
        ("/// Whatnot is a word.", false),
    ])
    func a_planted_headless_opening_is_found(line: String, isFound: Bool) {
        let prose = PlainWords.prose(of: line, isSwift: true)
        let found = Self.words.findings(in: line, prose: prose)
        #expect(found == (isFound ? [PlainWords.headless] : []))
    }

    @Test func code_and_tables_of_an_article_are_no_prose() {
        let article =
            "What is lost is sent again.\n```\nWho asks\n```\n| What is told |\n    What ls"
        let prose = PlainWords.prose(of: article, isSwift: false)
        #expect(prose == ["What is lost is sent again."])
    }
}
