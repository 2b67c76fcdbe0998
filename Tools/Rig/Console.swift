import CommandLine
import ControlProtocol

/// The options that mean the same in every verb that takes them.
enum SharedOptions {
    static let json = CommandFlag(
        "json", help: "Print the results as JSON on stdout; the table goes to stderr.")
    static let quiet = CommandFlag(
        "quiet", help: "Print neither the results for people nor progress; --json still prints.")

    static let simulators = CommandOption<String>(
        "simulators", value: "dir",
        help: "Where PhoneSim and WatchSim are. Without it, beside rig itself.")

    static func seed(default seed: UInt64?) -> CommandOption<UInt64> {
        CommandOption(
            "seed", value: "n", default: seed, help: "Every random choice follows from it.")
    }

    static func rounds(
        default count: Int? = nil, in range: ClosedRange<Int> = 1...1000, _ note: String
    ) -> CommandOption<Int> {
        CommandOption(
            "rounds", value: "n", default: count, in: range,
            help: "How often the measurement is repeated. \(note)")
    }
}

/// Prints for a verb that writes no files of a report: `--json` and `--quiet` decide.
struct Console {
    let printsJSON: Bool
    let isQuiet: Bool

    init(_ invocation: Invocation) {
        printsJSON = invocation[SharedOptions.json]
        isQuiet = invocation[SharedOptions.quiet]
    }

    /// The columns of the terminal on which ``show(_:)`` prints; nil for no terminal.
    var columns: Int? { ProgressMode.columns(ofTerminal: printsJSON ? 2 : 1) }

    /// Prints results for people: on stdout, with `--json` on stderr, with `--quiet` not at all.
    func show(_ text: String) throws(RigFailure) {
        guard !isQuiet else { return }
        try Self.print(text, on: printsJSON ? 2 : 1)
    }

    /// Prints results for programs, where they were asked for.
    func give(_ value: @autoclosure () -> JSONValue) throws(RigFailure) {
        guard printsJSON else { return }
        try Self.print(JSONWriter.text(value(), layout: .pretty) + "\n")
    }

    static func print(_ text: String, on stream: Int32 = 1) throws(RigFailure) {
        do throws(SystemError) {
            let subject = stream == 1 ? "stdout" : "stderr"
            try Descriptor.write(Array(text.utf8), to: stream, subject: subject)
        } catch {
            throw RigFailure(.cannotWrite, "Cannot write: \(error).")
        }
    }
}
