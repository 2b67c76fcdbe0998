import Foundation

/// The tools that check a model, where they are installed, and one way to run a command.
enum ModelTools {
    /// The folder of the models in the package.
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Models")

    /// A C compiler. Spin needs one, too: without a compiler nothing can be checked.
    static let hasCompiler = finds("cc")
    static let hasSpin = hasCompiler && finds("spin")

    private static func finds(_ tool: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: $0 + "/" + tool)
        }
    }

    /// A command's exit code and what it wrote, standard error included.
    struct Output {
        var status: Int32
        var text: String

        /// The number in front of the word in the last line that has both.
        func count(of word: String) -> Int? {
            for line in text.split(separator: "\n").reversed() {
                let words = line.split { " ,".contains($0) }
                guard let place = words.firstIndex(of: Substring(word)), place > 0 else { continue }
                if let number = Int(words[place - 1]) { return number }
            }
            return nil
        }

        /// The invariant that a counterexample breaks.
        var finding: String? {
            text.split(separator: "\n").first { $0.hasPrefix(" !! ") }
                .map { String($0.dropFirst(4)) }
        }

        /// The steps of a counterexample, as the walker takes them.
        var path: [String]? {
            text.split(separator: "\n").first { $0.hasPrefix("  path: ") }
                .map { $0.dropFirst(8).split(separator: " ").map(String.init) }
        }
    }

    /// Runs a command in a folder. It is ended after a minute of processor time.
    static func run(_ command: [String], in folder: URL) throws -> Output {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "ulimit -t 60; exec \"$@\"", "sh"] + command
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Output(
            status: process.terminationStatus, text: String(decoding: data, as: UTF8.self))
    }

    /// Compiles a program of the models with a configuration into a folder. A walk is short: the
    /// compiler's time counts for more than the program's.
    static func compile(
        _ source: String, model: String, flags: [String], in place: URL
    ) throws -> URL {
        let program = place.appending(path: "program")
        let output = try run(
            ["cc", source == "walk.c" ? "-O0" : "-O2", "-w", "-DMODEL=\"\(model).h\""] + flags
                + [folder.appending(path: source).path, "-o", program.path], in: place)
        guard output.status == 0 else { throw CannotCompile(message: output.text) }
        return program
    }

    /// The compiler refuses a model: the model is at fault.
    struct CannotCompile: Error, CustomStringConvertible {
        var message: String
        var description: String { "the model does not compile: \(message)" }
    }

    /// Calls a body with a new folder, and removes the folder after it.
    static func inNewFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let place = FileManager.default.temporaryDirectory
            .appending(path: "models-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        return try body(place)
    }

    /// Searches a model breadth first, through at most ten million states.
    static func search(model: String, flags: [String]) throws -> Output {
        try inNewFolder { place in
            let program = try compile("bfs.c", model: model, flags: flags, in: place)
            return try run([program.path, "1", "10000000"], in: place)
        }
    }
}
