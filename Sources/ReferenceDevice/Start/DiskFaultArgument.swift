internal import CommandLine
internal import FaultInjection

/// A fault of the journal's disk as a value of a command line: `io:sync:40`,
/// `full:any:200:forever`.
struct DiskFaultArgument: ArgumentValue, Hashable, Sendable {
    /// The fault.
    var fault: DiskFault
    /// The same, in the words it was given in.
    var argumentText: String

    private static let kinds: [(name: String, kinds: Set<DiskCall.Kind>)] = [
        ("any", DiskFault.allChanges), ("create", [.create]),
        ("write", [.write]), ("truncate", [.truncate]), ("sync", [.sync]), ("delete", [.delete]),
        ("read", [.read]),
    ]

    init(argument: String) throws(ArgumentFault) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4 else {
            throw ArgumentFault(
                "it must be failure:call:n or failure:call:n:forever, as in io:sync:40")
        }
        let failure: DiskFault.Failure
        switch parts[0] {
        case "io": failure = .inputOutput
        case "full": failure = .full
        default: throw ArgumentFault("the failure '\(parts[0])' must be io or full")
        }
        guard let kinds = Self.kinds.first(where: { $0.name == parts[1] })?.kinds else {
            let names = Self.kinds.map(\.name).joined(separator: ", ")
            throw ArgumentFault("the call '\(parts[1])' must be one of \(names)")
        }
        guard let number = Int(parts[2]), (1...1_000_000_000).contains(number) else {
            throw ArgumentFault("the number '\(parts[2])' must be 1 to 1000000000")
        }
        guard parts.count == 3 || parts[3] == "forever" else {
            throw ArgumentFault("what follows the number must be 'forever', not '\(parts[3])'")
        }
        fault = DiskFault(
            after: number - 1, kinds: kinds, failure: failure, isForever: parts.count == 4)
        argumentText = argument
    }
}
