import CommandLine
import Glibc

/// `rig key`: a new key file for a journal.
struct KeyCommand {
    let file = CommandArgument<String>("file", help: "The file to make; nothing may stand there.")

    var verb: Verb {
        var verb = Verb("key", overview: "Makes a key file that seals a journal at rest.")
        verb.discussion = [
            "Writes 32 random bytes that only you may read (mode 0600). Keep a copy: without the key "
                + "that sealed it, a journal cannot be read. An existing file is never overwritten."
        ]
        verb.add(file)
        verb.examples = [
            CommandExample("rig key new.key", "for --journal-key new.key"),
            CommandExample("rig pair couple --journal-key watch.key", "two sealed journals"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let path = invocation[file] ?? ""
        var generator = SystemRandomNumberGenerator()
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        do throws(SystemError) {
            try Files.create(key, at: path, mode: 0o600)
        } catch {
            guard error.number == EEXIST else {
                throw RigFailure(
                    .cannotWrite, "Cannot make the key file: \(error).",
                    details: [error.advice(isWriting: true, otherwise: "name another file.")])
            }
            throw RigFailure(
                .cannotWrite, "'\(path)' exists; a key that seals a journal must not be lost.",
                details: ["Try: another name, or remove that file first."])
        }
        try Console.print("\(path): a new key, 32 bytes, mode 0600; keep a copy\n")
        return .done
    }
}
