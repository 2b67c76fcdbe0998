import CommandLine
import ReferenceDevice
import WatchProtoCore

/// `rig man`: manual pages of rig and of both simulators.
struct ManualCommand {
    let directory = CommandArgument<String>(
        "directory", optional: true,
        help: "Write all pages here, made if missing; without it, rig(1) goes to stdout.")

    var verb: Verb {
        var verb = Verb("man", overview: "Writes manual pages: rig, each verb, both simulators.")
        verb.discussion = [
            "They are made of the same declarations as the help. A directory named man1 below one "
                + "of MANPATH makes 'man rig-demo' find them."
        ]
        verb.add(directory)
        verb.examples = [
            CommandExample("rig man | man -l -", "read one at once"),
            CommandExample("rig man ~/.local/share/man/man1", "where 'man rig' finds them"),
        ]
        return verb
    }

    func run(_ invocation: Invocation, _ root: Verb) throws(RigFailure) -> ExitCode {
        let codes = ExitCode.allCases.map { (code: $0.rawValue, meaning: $0.meaning) }
        let simulators = DeviceRole.allCases.map(SimulatorOptions.program(of:))
        let pages = root.manualPages(
            exitCodes: codes, seeAlso: simulators.map { "\($0.name)(1)" })
        guard let directory = invocation[directory] else {
            try Console.print(pages[0].text)
            return .done
        }
        let all =
            pages + simulators.flatMap { $0.manualPages(exitCodes: [], seeAlso: ["rig(1)"]) }
        guard !root.verbs.contains(where: { $0.name == directory }) else {
            throw RigFailure(
                .usage, "'\(directory)' is a verb; 'rig man' takes the directory for all pages.",
                details: [
                    "Try: rig help \(directory), or rig man ./\(directory) for such a directory."
                ])
        }
        do throws(SystemError) {
            try Files.makeDirectory(directory)
        } catch {
            throw Self.failure(error)
        }
        for page in all {
            let path = "\(directory)/\(page.fileName)"
            guard Files.origin(of: path, mark: page.mark) != .foreign else {
                throw RigFailure.foreignFile(at: path)
            }
        }
        do throws(SystemError) {
            for page in all {
                try Files.write(Array(page.text.utf8), to: "\(directory)/\(page.fileName)")
            }
        } catch {
            throw Self.failure(error)
        }
        try Console.print("\(all.count) pages in \(directory)\n")
        return .done
    }

    private static func failure(_ error: SystemError) -> RigFailure {
        RigFailure(
            .cannotWrite, "Cannot write the manual pages: \(error).",
            details: [error.advice(isWriting: true, otherwise: "name another directory.")])
    }
}
