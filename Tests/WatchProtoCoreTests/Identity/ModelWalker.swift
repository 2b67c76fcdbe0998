import Foundation

/// Builds and runs the walker of the models, `Models/walk.c`, which prints random walks.
struct ModelWalker {
    private static let models = {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder.appending(path: "Models")
    }()

    private static let compiler = ["/usr/bin/cc", "/usr/local/bin/cc"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Whether there are models and a C compiler.
    static var isAvailable: Bool {
        compiler != nil
            && FileManager.default.fileExists(atPath: models.appending(path: "walk.c").path)
    }

    /// The reason that the tests give where the walks are left out.
    static let comment = "needs Models/ and a C compiler"

    /// The failures of the walker, and of its making.
    enum Failure: Error {
        case compiler(String)
        case walker(status: Int32)
    }

    private let folder: URL
    private let program: URL

    /// Compiles a model with these flags, as the walker or as the search.
    init(_ model: String, _ flags: String, _ source: String = "walk.c") throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "model-walk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        program = folder.appending(path: "walk")
        let arguments =
            ["-O1", "-w", "-DMODEL=\"\(model).h\""] + flags.split(separator: " ").map(String.init)
            + [Self.models.appending(path: source).path, "-o", program.path]
        let made = try Self.run(URL(filePath: Self.compiler ?? "cc"), arguments)
        guard made.status == 0 else { throw Failure.compiler(made.output) }
    }

    /// The lines of walks from these seeds, of at most `steps` steps each, without the summary.
    func lines(seeds: ClosedRange<Int>, steps: Int) throws -> [Substring] {
        try lines(["\(seeds.lowerBound)", "\(seeds.count)", "\(steps)"]).dropLast()
    }

    /// The lines of the walk along a history.
    func lines(along history: [Substring]) throws -> [Substring] {
        try lines(["path"] + history.map(String.init))
    }

    /// The shortest paths to every `number`th state of an exhaustive search.
    static func paths(_ model: String, _ flags: String, every number: Int) throws -> [[Substring]] {
        let search = try ModelWalker(model, flags, "bfs.c")
        defer { search.remove() }
        return try search.lines(["1", "50000000", "\(number)"])
            .filter { $0.hasPrefix("  path:") }
            .map { $0.dropFirst("  path:".count).split(separator: " ") }
    }

    private func lines(_ arguments: [String]) throws -> [Substring] {
        let walked = try Self.run(program, arguments)
        guard walked.status == 0 else { throw Failure.walker(status: walked.status) }
        return walked.output.split(separator: "\n")
    }

    /// Removes the program.
    func remove() { try? FileManager.default.removeItem(at: folder) }

    private static func run(
        _ program: URL, _ arguments: [String]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
