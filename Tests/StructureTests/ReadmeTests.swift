import Foundation
import Testing

/// What the README says of the scripts is what they do.
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
        let sentence = try #require(readme.firstMatch(of: #/What they install is (.*?)\. /#)).output
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
