import Articles
import Foundation
import Testing

/// Every numbered rule of the articles is cited by a test, a vector or the peer written from the
/// text.
@Suite("Rules of the articles are cited")
struct RuleCitationTests {
    @Test("Each rule is cited, and each citation names a rule")
    func citations() throws {
        let defined = try Self.defined()
        let cited = try Self.cited()
        #expect(defined.count > 150)
        #expect(defined.subtracting(cited).sorted() == [])
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
        var all: [String] = []
        for module in ["WatchProtoCore", "WatchProto"] {
            let folder = FixtureFiles.root.appendingPathComponent(
                "Sources/\(module)/\(module).docc")
            for file in try files(in: folder, named: [".md"]) {
                all += rules(defining: try String(contentsOf: file, encoding: .utf8))
            }
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
        "Tests/WatchProtoCoreTests", "Tests/WatchProtoRecordsTests", "Tests/WireTests",
        "Tests/WatchProtoSecurityTests", "Tests/WatchProtoTests", "Fixtures/wire",
    ]

    private static func files(in folder: URL, named ends: [String]) throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { path in ends.contains { path.hasSuffix($0) } }
            .map { folder.appendingPathComponent($0) }
    }

    private static func rules(defining text: String) -> [String] {
        text.matches(of: /(?m)^- \*\*((?:C|D|I|L|OC|LR|W|F|M|P|S|Q)-[0-9]+)\b/).map {
            String($0.output.1)
        }
    }

    private static func rules(citedIn text: String) -> Set<String> {
        Set(text.matches(of: /\b(?:C|D|I|L|OC|LR|W|F|M|P|S)-[0-9]+\b/).map { String($0.output) })
    }
}
