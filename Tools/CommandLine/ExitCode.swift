/// How a program of this package ends; 64 and above as in BSD's sysexits.
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// Done; every target met.
    case done = 0
    /// An assertion of a scenario failed, a search found a failing seed, or a planted mistake was
    /// not noticed.
    case assertionFailed = 1
    /// A target was missed, or nothing was measured for it.
    case targetMissed = 2
    /// Bad command line.
    case usage = 64
    /// Bad content of an input file.
    case badInput = 65
    /// An input file or a simulator is missing.
    case missingInput = 66
    /// The peer could not be reached, or the two did not pair.
    case unreachable = 69
    /// A bug in the rig, or a simulator crashed.
    case software = 70
    /// The system refused a call that a simulator needs.
    case system = 71
    /// Output could not be written.
    case cannotWrite = 73
    /// Timed out.
    case timedOut = 75
    /// The peer broke the protocol.
    case protocolBroken = 76
    /// A key or passphrase does not open a journal, or others may read its file.
    case noPermission = 77
    /// Interrupted; some verbs write the measurements so far.
    case interrupted = 130

    /// The code's meaning, as the README's table has it.
    package var meaning: String {
        switch self {
        case .done: "done; every target met"
        case .assertionFailed:
            "an assertion failed, a seed was found that fails, or a planted mistake was not noticed"
        case .targetMissed: "a target missed, or nothing measured for it"
        case .usage: "bad command line"
        case .badInput: "bad content of an input file"
        case .missingInput: "input file, or a simulator, missing"
        case .unreachable: "peer not reachable, the two did not pair, or it never got ready"
        case .software: "bug in the rig, or a simulator crashed (named, with its last words)"
        case .system: "the system refused a call that a simulator needs"
        case .cannotWrite: "cannot write output"
        case .timedOut: "timed out"
        case .protocolBroken:
            "peer broke the protocol, such as a line on its control channel that is no message"
        case .noPermission:
            "a key or passphrase does not open a journal, or others may read its file"
        case .interrupted:
            "interrupted; demo, bench, run and lab brokers write what they had measured"
        }
    }
}

/// Why a run ended early, in words for its user.
package struct RigFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// How the program ends.
    package var exitCode: ExitCode
    /// The failure and its place.
    package var message: String
    /// The observation, and what to do about it; a line each.
    package var details: [String]
    private var isWholeText = false

    /// Makes the failure.
    package init(_ exitCode: ExitCode, _ message: String, details: [String] = []) {
        self.exitCode = exitCode
        self.message = message
        self.details = details
    }

    /// Makes the failure from a text that already says it all, such as the faults of a file.
    package init(_ exitCode: ExitCode, text: String) {
        self.init(exitCode, text)
        isWholeText = true
    }

    /// The text for stderr, without a line feed at its end.
    package var description: String {
        if isWholeText { return message }
        return (["Error: \(message)"] + details.map { "  \($0)" }).joined(separator: "\n")
    }
}
