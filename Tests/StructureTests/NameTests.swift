import Testing

/// One name for one thing, over all targets.
@Suite struct NameTests {
    /// The types that a file declares outside of any other.
    static func types(_ code: String) -> [String] {
        code.matches(
            of: #/(?m)^(?:[@a-z][\w()]* )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/#
        ).map { String($0.output.1) }
    }

    /// The names that more than one target declares, with those targets.
    static func shared(_ files: [SourceFile]) -> [String: Set<String>] {
        var targets: [String: Set<String>] = [:]
        for file in files {
            let target = String(file.path.split(separator: "/")[1])
            for name in types(file.code) { targets[name, default: []].insert(target) }
        }
        return targets.filter { $0.value.count > 1 }
    }

    @Test func no_two_targets_declare_a_type_of_one_name() {
        let files = SourceTree.ours
        #expect(files.flatMap { Self.types($0.code) }.count > 500)
        #expect(Self.shared(files) == [:])
    }

    @Test func a_planted_pair_is_found() {
        func file(_ path: String, _ code: String) -> SourceFile {
            SourceFile(path: path, folders: [], code: code, lineCount: 1)
        }
        let planted = [
            file("Sources/A/One.swift", "package final class Link {}\n    struct Inner {}"),
            file("Tools/B/Two.swift", "@MainActor enum Link {}\nstruct Inner {}"),
        ]
        #expect(Self.shared(planted) == ["Link": ["A", "B"]])
    }
}
