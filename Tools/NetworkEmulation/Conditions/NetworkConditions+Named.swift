package import CommandLine
import ControlProtocol
import Simulation

extension NetworkConditions {
    /// The network conditions of a profile by its name, or of a file: the name of a file has a
    /// slash or ends in `.json`.
    ///
    /// - Throws: exit code 64 for a name nobody knows, 66 for a file that is not there, 65 for one
    ///   that is no network conditions, with all its faults.
    package static func named(_ text: String) throws(RigFailure) -> NetworkConditions {
        guard text.contains("/") || text.hasSuffix(".json") else {
            if let profile = LinkProfile.named(text) { return NetworkConditions(profile) }
            let names = LinkProfile.all.map(\.name)
            let hint = Spelling.nearest(to: text, among: names).map { " Did you mean '\($0)'?" }
            throw RigFailure(
                .usage, "There is no profile '\(Excerpt.of(text))'.\(hint ?? "")",
                details: [
                    "Profiles: \(names.joined(separator: ", ")).",
                    "A file's name has a slash or ends in .json.",
                ])
        }
        // Reading what is no file, such as a pipe nobody writes to, would wait for ever.
        if let kind = Files.kindUnlessRegular(text) {
            throw RigFailure(
                .missingInput, "Cannot read the profile '\(text)': it is \(kind), not a file.",
                details: ["Try: 'rig profiles' lists those that need no file."])
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(text, limit: 1 << 20).withoutByteOrderMark
        } catch {
            throw RigFailure(
                .missingInput, "Cannot read the profile '\(text)': \(error.reason).",
                details: [
                    error.advice(
                        isWriting: false,
                        otherwise: "take one that needs no file: 'rig profiles' lists them.")
                ])
        }
        do throws(ConditionsFile.Refusal) {
            return try ConditionsFile.read(bytes, file: text)
        } catch {
            throw RigFailure(.badInput, text: error.description(source: bytes))
        }
    }
}
