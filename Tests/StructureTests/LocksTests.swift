import Testing

/// The thread sanitizer sees every lock.
@Suite struct LocksTests {
    /// Files that import the standard library's locks, where `Locks` is to stand.
    static func strays(_ files: [SourceFile]) -> [String] {
        files.filter { $0.words.contains("Synchronization") && $0.path != Self.place }.map(\.path)
    }

    private static let place = "Sources/Locks/Mutex.swift"

    @Test func every_file_imports_locks_that_the_sanitizer_sees() {
        let files = SourceTree.ours + SourceTree.files(below: "Tests")
        #expect(Self.strays(files).filter { !$0.hasSuffix("LocksTests.swift") } == [])
    }

    @Test func a_file_that_imports_the_others_is_found() {
        let file = SourceFile(
            path: "Sources/A/B.swift", folders: ["A"], code: "import Synchronization",
            lineCount: 1)
        #expect(Self.strays([file]) == ["Sources/A/B.swift"])
    }
}
