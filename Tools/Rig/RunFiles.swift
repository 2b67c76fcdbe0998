import CommandLine
import ControlProtocol
import Reports

/// The files of a verb that measures and has no report of targets: its table and its JSON.
struct RunFiles {
    static let out = CommandOption<String>(
        "out", value: "dir",
        help: "Write the run's files into this directory, made if missing: the table as NAME.txt "
            + "and the results as NAME.json, where NAME is the verb.")
    static let force = OutputOptions().force

    private let directory: String?
    private let name: String
    private let replaces: Bool

    static func add(to verb: inout Verb) {
        verb.add(out)
        verb.add(force)
    }

    /// Checks, before the run spends its time, that its files have a place.
    ///
    /// - Throws: exit code 73 where they have none, or an earlier run stands there.
    init(_ name: String, _ invocation: Invocation) throws(RigFailure) {
        self.name = name
        directory = invocation[Self.out]
        replaces = invocation[Self.force]
        guard let directory else { return }
        do throws(SystemError) {
            try Files.makeDirectory(directory)
        } catch {
            throw Self.failure(error)
        }
        if !replaces, Files.exists("\(directory)/\(name).json") {
            throw RigFailure(
                .cannotWrite, "'\(directory)' holds an earlier run (\(name).json).",
                details: ["Try: another directory with --out, or --force to replace that run."])
        }
        guard Files.isWritable(directory) else {
            throw RigFailure(
                .cannotWrite, "Cannot write results: the directory '\(directory)' is not writable.",
                details: ["Try: give another directory with --out."])
        }
    }

    /// Writes both files and others of the run, where they were asked for.
    ///
    /// - Throws: exit code 73 where a file cannot be written.
    func write(
        _ text: String, _ json: JSONValue, _ others: [(name: String, text: String)] = []
    ) throws(RigFailure) {
        guard let directory else { return }
        let pretty = JSONWriter.text(json, layout: .pretty) + "\n"
        do throws(SystemError) {
            try Files.write(Array(text.utf8), to: "\(directory)/\(name).txt")
            try Files.write(Array(pretty.utf8), to: "\(directory)/\(name).json")
            for other in others {
                try Files.write(Array(other.text.utf8), to: "\(directory)/\(other.name)")
            }
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: SystemError) -> RigFailure {
        RigFailure(
            .cannotWrite, "Cannot write results: \(error).",
            details: [
                error.advice(isWriting: true, otherwise: "give another directory with --out.")
            ])
    }
}
