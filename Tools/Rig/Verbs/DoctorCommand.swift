import CommandLine
import ControlProtocol
import Reports

/// `rig doctor`: is everything here that the package needs, and if not, what to do.
struct DoctorCommand {

    var verb: Verb {
        var verb = Verb(
            "doctor",
            overview: "Checks what rig needs: each line is OK, MISSING or OPTIONAL with its fix.")
        verb.discussion = [
            "OPTIONAL is what is not as it should be, and what most verbs do without: the line "
                + "says which needs it. Ends with exit code 0 when nothing is MISSING, 1 "
                + "otherwise."
        ]
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        verb.examples = [
            CommandExample("rig doctor", "a line for each check"),
            CommandExample("rig doctor --json | jq '.checks[] | select(.ok | not)'", "the faults"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let checks = DoctorCheck.all
        let isWell = checks.allSatisfy { $0.status != .missing }
        let console = Console(invocation)
        try console.show(TextTable(checks.map(\.cells)).text(console.columns))
        try console.give(["ok": .bool(isWell), "checks": .array(checks.map(\.json))])
        return isWell ? .done : .assertionFailed
    }
}

/// One thing that is there as it should be, or is not.
struct DoctorCheck {
    enum Status: String {
        case well = "OK"
        case missing = "MISSING"
        case optional = "OPTIONAL"
    }

    var name: String
    /// A description of the thing found; nil where it is missing or wrong.
    var found: String?
    /// The advice where it is missing.
    var fix: String
    /// The verbs that need it, where most verbs do without.
    var neededBy: String?

    var status: Status { found != nil ? .well : neededBy == nil ? .missing : .optional }

    /// A row for people.
    var cells: [String] {
        let words = found ?? (neededBy.map { "for \($0); " } ?? "") + "fix: \(fix)"
        return ["\(status.rawValue.padded(8)) \(name)", words]
    }

    var json: JSONValue {
        [
            "name": .string(name), "status": .string(status.rawValue), "ok": .bool(found != nil),
            "found": found.map { .string($0) } ?? .null,
            "fix": found == nil ? .string(fix) : .null,
            "needed_by": neededBy.map { .string($0) } ?? .null,
        ]
    }
}
