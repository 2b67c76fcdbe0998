import CommandLine
import Glibc
import Reports

/// The options of every verb that reports: where the report goes and how it looks.
struct OutputOptions {
    let out = CommandOption<String>(
        "out", value: "dir",
        help: "Write the run's files into this directory, made if missing: "
            + OutputFormats.all.fileNames.joined(separator: ", ")
            + "; of a demo and a bench packets.csv as well.")
    let format = CommandOption<OutputFormats>(
        "format", value: "list",
        completion: .words(OutputFormats.all.formats.map(\.rawValue)),
        help:
            "The formats, commas between: \(OutputFormats.all.argumentText). By default all of "
            + "them, and without --out the table alone. Without --out, json goes to stdout, and "
            + "none but table and json can be had.")
    let force = CommandFlag(
        "force", help: "Replace the files of an earlier run in the directory of --out.")
    let json = SharedOptions.json
    let quiet = SharedOptions.quiet
    let color = CommandOption<TerminalStyle.Choice>(
        "color", value: "when", default: .auto,
        help: "Colour status words: auto, always or never.")
    let warnFails = CommandFlag("warn-fails", help: "End with exit code 2 for WARN as well.")
    let fewFails = CommandFlag("few-fails", help: "End with exit code 2 for TOO FEW as well.")

    func add(to verb: inout Verb) {
        verb.add(out)
        verb.add(format)
        verb.add(force)
        verb.add(json)
        verb.add(quiet)
        Progress.add(to: &verb)
        verb.add(color)
        verb.add(warnFails)
        verb.add(fewFails)
    }

    /// The names of all of them: where a report goes is no part of what is measured.
    var names: [String] { namesWithoutEffect + [warnFails.name, fewFails.name] }

    /// The options that decide neither the measurement nor its evaluation: the command that repeats
    /// a run leaves them out.
    var namesWithoutEffect: [String] {
        [
            out.name, force.name, Progress.option.name, Progress.metrics.name,
            format.name, json.name, quiet.name,
            color.name,
        ]
    }

    func writer(_ invocation: Invocation) -> ReportWriter {
        var writer = ReportWriter()
        writer.directory = invocation[out]
        writer.replaces = invocation[force]
        writer.formats = invocation[format]
        // Asked for and without a directory, it has no other place.
        writer.printsJSON =
            invocation[json]
            || writer.directory == nil && writer.formats?.formats.contains(.json) == true
        writer.isQuiet = invocation[quiet]
        let stream: Int32 = writer.printsJSON ? 2 : 1
        let isTerminal = isatty(stream) == 1
        writer.style = TerminalStyle(
            invocation[color] ?? .auto, isTerminal: isTerminal, environment: Files.environment)
        writer.columns = ProgressMode.columns(ofTerminal: stream)
        return writer
    }

    /// Writes a complete report, with its policy and the command that repeats it.
    func write(
        _ report: inout Report, _ invocation: Invocation, with writer: ReportWriter
    ) -> ExitCode {
        report.policy = policy(invocation)
        report.repeatCommand = invocation.commandLine(of: "rig", without: namesWithoutEffect)
        return writer.write(report, failure: nil)
    }

    func policy(_ invocation: Invocation) -> GatePolicy {
        GatePolicy(warnFails: invocation[warnFails], fewFails: invocation[fewFails])
    }
}
