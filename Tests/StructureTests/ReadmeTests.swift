import Foundation
import Testing

/// The README describes the scripts as they are.
@Suite struct ReadmeTests {
    /// The packages that a script adds to `debian_packages`, in its order.
    private static func packages(in script: String) throws -> [String] {
        let text = try text(of: script)
        let lists = text.matches(of: #/(?m)^debian_packages\+?=\(([^)]*)\)/#)
        return lists.flatMap { $0.output.1.split(separator: " ").map(String.init) }
    }

    private static func text(of path: String) throws -> String {
        try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
    }

    @Test func it_names_exactly_the_packages_that_are_installed() throws {
        let readme = try Self.text(of: "README.md").replacing("\n", with: " ")
        let sentence = try #require(readme.firstMatch(of: #/They install (.*?)\. /#)).output
            .1
        let parts = sentence.split(separator: "`./test` also")
        try #require(parts.count == 2)
        let named = parts.map { part in part.matches(of: #/`([^`]*)`/#).map { String($0.output.1) }
        }
        let ofBoth = try Self.packages(in: "scripts/prepare.bash")
        #expect(!ofBoth.isEmpty)
        #expect(named[0] == ofBoth)
        #expect(named[1] == (try Self.packages(in: "test")))
        #expect(try Self.packages(in: "run") == [])
    }
}

/// The code of the README and of the library's articles is code that runs.
@Suite struct ReadmeCodeTests {
    static func text(_ path: String) throws -> String {
        try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
    }

    /// The lines of the blocks in one language, without their indentation.
    static func lines(of language: String, in text: String) -> [String] {
        text.matches(of: try! Regex("(?ms)^```\(language)\n(.*?)^```")).flatMap { match in
            trimmed(String(text[match.range])).filter { !$0.hasPrefix("```") }
        }
    }

    static func trimmed(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }

    @Test(arguments: [
        (
            "Sources/WatchProto/WatchProto.docc/carrying-it-over-other-links.md", "swift",
            ["Tests/WatchProtoTests/ArticleTests.swift"]
        ),
        (
            "Tools/WatchProtoTesting/WatchProtoTesting.docc/WatchProtoTesting.md", "swift",
            ["Tests/WatchProtoTestingTests/ArticleTests.swift"]
        ),
        (
            "Tools/WatchProtoTesting/WatchProtoTesting.docc/testing-against-the-platforms.md",
            "swift", ["Tests/WatchProtoTestingTests/Platforms/PlatformArticleTests.swift"]
        ),
        (
            "README.md", "swift",
            [
                "Examples/companion/Sources/phone/Phone.swift",
                "Examples/companion/Sources/watch/Watch.swift",
            ]
        ),
        ("README.md", "python", ["Examples/python/tests/test_devices.py"]),
    ])
    func every_line_stands_in_an_example_that_is_run(
        _ page: String, _ language: String, _ examples: [String]
    ) throws {
        let shown = Self.lines(of: language, in: try Self.text(page))
        let run = Set(try examples.flatMap { Self.trimmed(try Self.text($0)) })
        #expect(shown.count >= 5)
        #expect(shown.filter { !run.contains($0) } == [])
    }

    @Test func it_is_short() throws {
        #expect(
            try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
                .count <= 151)
    }

    /// Each row of the comparison with the platforms names a test that there is.
    @Test func every_test_of_the_comparison_exists() throws {
        let page =
            "Tools/WatchProtoTesting/WatchProtoTesting.docc/testing-against-the-platforms.md"
        let rows = try Self.text(page).components(separatedBy: "### Feature by feature")[1]
            .split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
        let tests = SourceTree.files(below: "Tests").map(\.code)
        #expect(rows.count >= 15)
        for row in rows {
            let names = row.matches(of: #/`(\w+)`/#).map { String($0.output.1) }
            #expect(!names.isEmpty, "\(row)")
            for name in names {
                #expect(tests.contains { $0.contains("func \(name)(") }, "\(name)")
            }
        }
    }

    @Test func every_link_leads_somewhere() throws {
        for page in ["README.md", "CONTRIBUTING.md", "SECURITY.md"] {
            let text = try Self.text(page)
            let links = text.matches(of: #/\]\((?!http)([^)#]+)\)/#).map { String($0.output.1) }
            #expect(!links.isEmpty)
            for link in links {
                let path = SourceTree.root.appending(path: link).path
                #expect(FileManager.default.fileExists(atPath: path), "\(page): \(link)")
            }
        }
    }
}
