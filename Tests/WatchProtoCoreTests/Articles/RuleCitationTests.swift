import Articles
import Foundation
import Testing

/// Every numbered rule of the articles is cited by a test, a vector or the peer written from the
/// text.
@Suite("Rules of the articles are cited")
struct RuleCitationTests {
    /// Rules that nobody cites yet. The list only shrinks: a rule of it that is cited fails the
    /// test, and so does another one that is not.
    static let uncited: Set<String> = Set(
        """
        C-2 C-3 C-4 C-7 C-11 C-12 C-15 C-16 C-17 C-18 C-19 C-21 C-22 C-23 C-24 C-27 C-32 C-35
        C-44 F-4 I-1 I-3 I-4 I-5 I-6 I-10 I-11 I-12 I-13 I-14 I-15 I-16 I-17 I-18 I-19 I-20 I-21
        I-22 I-23 I-24 I-25 I-26 I-27 I-28 I-29 I-30 I-41 I-42 I-43 I-44 I-45 I-46 I-47 I-48
        I-49 I-50 I-60 I-61 I-62 I-63 I-65 I-66 I-72 I-73 I-74 I-75 I-80 I-81 I-82 L-11 L-12
        L-15 L-20 L-40 L-42 LR-1 M-5 M-16 M-19 M-20 M-23 M-26 M-27 OC-2 OC-3 OC-4 OC-5 OC-6 OC-7
        OC-8 OC-9 OC-10 OC-11 OC-12 OC-14 OC-15 OC-16 OC-17 OC-18 OC-20 OC-21 OC-22 OC-23 OC-24
        OC-26 OC-27 OC-28 OC-29 OC-31 OC-32 OC-33 OC-34 OC-35 OC-36 OC-38 OC-40 OC-41 OC-42
        OC-43 OC-44 OC-45 OC-46 OC-47 OC-48 OC-49 OC-50 S-9 S-15 S-18 S-19 W-1 W-5 W-22 W-23
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    @Test("Each rule is cited, and each citation names a rule")
    func citations() throws {
        let defined = try Self.defined()
        let cited = try Self.cited()
        #expect(defined.count > 150)
        #expect(defined.subtracting(cited).sorted() == Self.uncited.sorted())
        #expect(cited.subtracting(defined).sorted() == [])
    }

    @Test("A rule is found in its bullet, and a citation wherever it stands")
    func patterns() {
        #expect(
            Self.rules(defining: "- **Q-7** A side MUST.\n- **Q-8 Name.** It") == ["Q-7", "Q-8"])
        #expect(Self.rules(defining: "as **Q-9** says, and - Q-7") == [])
        #expect(
            Self.rules(citedIn: "(L-3), \"LR-12: x\" ROLL-4 OC-50\tW-1") == [
                "L-3", "LR-12", "OC-50", "W-1",
            ])
    }

    /// The rules that the articles define.
    static func defined() throws -> Set<String> {
        let folder = FixtureFiles.root.appendingPathComponent(
            "Sources/WatchProtoCore/WatchProtoCore.docc")
        var all: [String] = []
        for file in try files(in: folder, named: [".md"]) {
            all += rules(defining: try String(contentsOf: file, encoding: .utf8))
        }
        #expect(Set(all).count == all.count, "a number is used twice")
        return Set(all)
    }

    /// The rules that tests, vectors and the peer written from the text cite.
    static func cited() throws -> Set<String> {
        var all: Set<String> = []
        for path in citing {
            let folder = FixtureFiles.root.appendingPathComponent(path)
            for file in try files(in: folder, named: [".swift", ".tsv", ".py"])
            where file.lastPathComponent != "RuleCitationTests.swift" {
                all.formUnion(rules(citedIn: try String(contentsOf: file, encoding: .utf8)))
            }
        }
        return all
    }

    private static let citing = [
        "Tests/WatchProtoCoreTests", "Tests/WireTests", "Tests/WatchSecurityTests/New",
        "Fixtures/wire/new",
    ]

    private static func files(in folder: URL, named ends: [String]) throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { path in ends.contains { path.hasSuffix($0) } }
            .map { folder.appendingPathComponent($0) }
    }

    private static func rules(defining text: String) -> [String] {
        text.matches(of: /(?m)^- \*\*((?:C|I|L|OC|LR|W|F|M|S|Q)-[0-9]+)\b/).map {
            String($0.output.1)
        }
    }

    private static func rules(citedIn text: String) -> Set<String> {
        Set(text.matches(of: /\b(?:C|I|L|OC|LR|W|F|M|S)-[0-9]+\b/).map { String($0.output) })
    }
}
