import CommandLine
import Foundation

/// The answers to wrong input, as `Fixtures/errors` has them: commands of a shell, their text on
/// standard error, and their exit codes.
struct ErrorTranscript {
    struct Entry: Sendable, CustomStringConvertible {
        /// A line of bash.
        var command: String
        /// All of standard error; the directory it runs in is `DIR` there, the one of the programs
        /// `BIN`, and the number of a process `N`.
        var text: String
        var exitCode: Int32

        var description: String { command }
    }

    /// Commands that make the files the entries speak of, run before each of them.
    var setup: [String] = []
    var entries: [Entry] = []

    /// Reads a transcript: `% ` begins a line of the setup, `$ ` an entry, `exit ` ends it.
    init(_ source: String) {
        var command: String?
        var text = ""
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            if command == nil, line.hasPrefix("% ") {
                setup.append(String(line.dropFirst(2)))
            } else if command == nil, line.hasPrefix("$ ") {
                command = String(line.dropFirst(2))
                text = ""
            } else if let begun = command, line.hasPrefix("exit ") {
                let code = Int32(line.dropFirst(5)) ?? -1
                entries.append(Entry(command: begun, text: text, exitCode: code))
                command = nil
            } else if command != nil {
                text += line + "\n"
            }
        }
    }

    /// The one that stands in `Fixtures/errors` under `name`.
    init(named name: String) {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = package.appending(path: "Fixtures/errors/\(name).txt")
        self.init((try? String(contentsOf: file, encoding: .utf8)) ?? "")
    }

    /// Runs an entry's command in a directory of its own, and gives what it did as an entry.
    func run(_ entry: Entry) throws -> Entry {
        let directory = try Files.makeTemporaryDirectory("errors")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let own = Files.ownExecutable ?? ""
        let products = own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        let words = [
            "PATH=\(products):\(directory):/usr/bin:/bin", "TMPDIR=\(directory)", "CI=1",
            "timeout", "-k", "5", "60", "bash", "-c",
        ]
        _ = try Self.shell(words + [setup.joined(separator: "\n")], in: directory)
        var (text, exitCode) = try Self.shell(words + [entry.command], in: directory)
        text = text.replacing(directory, with: "DIR").replacing(products, with: "BIN")
        text = text.replacing(#/\bpid [0-9]+/#, with: "pid N")
        text = text.replacing(#/rig-demo\.[A-Za-z0-9]{6}/#, with: "rig-demo.XXXXXX")
        return Entry(command: entry.command, text: text, exitCode: exitCode)
    }

    private static func shell(
        _ words: [String], in directory: String
    ) throws -> (text: String, exitCode: Int32) {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = URL(filePath: directory)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let bytes = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
    }
}
