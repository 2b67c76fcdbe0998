import Foundation
import Testing

/// `swift format` has nothing to say. It comes with the toolchain that builds the tests.
@Suite(.timeLimit(.minutes(5))) struct FormatTests {
    /// The formatter's findings in files or folders, and its exit code.
    static func lint(_ paths: [String]) throws -> (status: Int32, findings: String) {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "swift", "format", "lint", "--strict", "--recursive", "--configuration",
                SourceTree.root.appendingPathComponent(".swift-format").path,
            ] + paths
        process.currentDirectoryURL = SourceTree.root
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let data = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    @Test func sources_and_tests_are_formatted() throws {
        let (status, findings) = try Self.lint(["Sources", "Tools", "Tests", "Fuzz"])
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
