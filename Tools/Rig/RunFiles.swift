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
    private let claim: DirectoryClaim?
    /// Whether an earlier run of this verb left its files, which this one replaces.
    private let replaces: Bool

    static func add(to verb: inout Verb) {
        verb.add(out)
        verb.add(force)
    }

    /// Checks, before the run spends its time, that its files have a place.
    ///
    /// - Throws: exit code 73 where they have none, another run writes there, or files stand there
    ///   that are not to be replaced.
    init(_ name: String, _ invocation: Invocation) throws(RigFailure) {
        self.name = name
        directory = invocation[Self.out]
        guard let directory else {
            (claim, replaces) = (nil, false)
            return
        }
        do throws(SystemError) {
            try Files.makeDirectory(directory)
        } catch {
            throw Self.failure(error)
        }
        claim = DirectoryClaim(directory)
        guard claim != nil else { throw RigFailure.claimed(directory) }
        let json = "\(directory)/\(name).json"
        let origin = Files.origin(of: json, mark: ".\(name)/1\"")
        guard origin != .foreign else { throw RigFailure.foreignFile(at: json) }
        replaces = origin == .ours
        if replaces, !invocation[Self.force] {
            throw RigFailure(
                .cannotWrite, "'\(directory)' holds an earlier run (\(name).json).",
                details: ["Try: another directory with --out, or --force to replace that run."])
        }
        try checkThatNobodyElseHas("\(name).txt", in: directory)
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
        for other in others { try checkThatNobodyElseHas(other.name, in: directory) }
        do throws(SystemError) {
            // The results first: by them a later run knows that the other files are of the rig.
            try Files.write(Array(pretty.utf8), to: "\(directory)/\(name).json")
            try Files.write(Array(text.utf8), to: "\(directory)/\(name).txt")
            for other in others {
                try Files.write(Array(other.text.utf8), to: "\(directory)/\(other.name)")
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// A file without results beside it is of no earlier run.
    private func checkThatNobodyElseHas(
        _ file: String, in directory: String
    ) throws(RigFailure) {
        let path = "\(directory)/\(file)"
        guard replaces || !Files.exists(path) || Files.kindUnlessRegular(path) != nil else {
            throw RigFailure.foreignFile(at: path)
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
