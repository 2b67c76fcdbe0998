import Foundation
import Testing

/// `swift format` has nothing to say. It comes with the toolchain that builds the tests.
@Suite(.timeLimit(.minutes(2))) struct FormatTests {
    /// What the formatter finds in files or folders, and its exit code.
    static func lint(_ paths: [String]) throws -> (status: Int32, findings: String) {
        // Not Foundation's Process: between its fork and its exec the child holds every socket of
        // this process for long, and tests beside this one look at who holds what.
        let configuration = SourceTree.root.appendingPathComponent(".swift-format").path
        let words =
            [
                "swift", "format", "lint", "--strict", "--recursive", "--configuration",
                configuration,
            ]
            + paths
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        let pipe = unsafe popen("cd '\(SourceTree.root.path)' && \(command) 2>&1 >/dev/null", "r")
        guard let pipe = unsafe pipe else { throw CocoaError(.executableLoad) }
        var findings: [UInt8] = []
        while true {
            let byte = unsafe getc(pipe)
            guard byte != EOF else { break }
            findings.append(UInt8(truncatingIfNeeded: byte))
        }
        let status = unsafe pclose(pipe)
        return (status == 0 ? 0 : 1, String(decoding: findings, as: UTF8.self))
    }

    @Test func sources_and_tests_are_formatted() throws {
        let (status, findings) = try Self.lint(["Sources", "Tests", "Fuzz"])
        #expect(status == 0, "\(findings)")
    }

    @Test func a_planted_fault_is_found() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("format-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("Planted.swift")
        try Data("let  a = 1\n".utf8).write(to: file)
        let (status, findings) = try Self.lint([file.path])
        #expect(status == 1)
        #expect(findings.contains("Spacing"), "\(findings)")
    }
}
