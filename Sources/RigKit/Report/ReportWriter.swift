import ControlKit

/// Puts a report where its user wants it. The terminal comes first, so that a full disk cannot take
/// the report with it.
public struct ReportWriter: Sendable {
    /// The directory for files; nil for none.
    public var directory: String?
    /// Whether stdout gets the JSON; people then read on stderr.
    public var printsJSON = false
    /// Whether people read nothing.
    public var isQuiet = false
    /// The style of the terminal report.
    public var style = TerminalStyle.plain

    /// Makes a writer for the terminal alone.
    public init() {}

    /// Checks, before a run spends its time, that the directory can be made and written.
    ///
    /// - Throws: exit code 73, with what to do.
    public func prepare() throws(RigFailure) {
        guard let directory else { return }
        do throws(SystemError) {
            try Files.makeDirectory(directory)
        } catch {
            throw Self.failure(error)
        }
        guard Files.isWritable(directory) else {
            throw RigFailure(
                .cannotWrite, "Cannot write results: the directory '\(directory)' is not writable.",
                details: ["Try: give another directory with --out."])
        }
    }

    /// Writes terminal report and files.
    ///
    /// - Parameters:
    ///   - report: what the run found.
    ///   - failure: what else went wrong in the run; its exit code then wins.
    /// - Returns: how the program ends: the failure's code, the report's, or 73 where a file or the
    ///   terminal did not take it; what went wrong is then on stderr.
    public func write(_ report: Report, failure: RigFailure? = nil) -> ExitCode {
        var report = report
        let code = failure?.exitCode ?? report.exitCode
        let file = directory.map { "\($0)/results.json" }
        if let file { report.outputs.append(file) }
        let text = Array(report.terminalText(style: style, exitCode: code).utf8)
        let json = JSONWriter.bytes(report.json, layout: .pretty) + [UInt8(ascii: "\n")]
        var troubles: [RigFailure] = []
        if !isQuiet { Self.put(text, on: printsJSON ? 2 : 1, &troubles) }
        if printsJSON { Self.put(json, on: 1, &troubles) }
        if let file {
            do throws(SystemError) {
                try Files.write(json, to: file)
            } catch {
                troubles.append(Self.failure(error))
            }
        }
        if let failure { Self.complain(failure) }
        for trouble in troubles { Self.complain(trouble) }
        return troubles.isEmpty || failure != nil ? code : .cannotWrite
    }

    /// Says on stderr why a run failed.
    public static func complain(_ failure: RigFailure) {
        try? Descriptor.write(Array("\(failure)\n".utf8), to: 2, subject: "stderr")
    }

    /// Says on stderr what somebody should know of a run beforehand.
    public static func warn(_ text: String) {
        try? Descriptor.write(Array("rig: \(text)\n".utf8), to: 2, subject: "stderr")
    }

    private static func put(_ bytes: [UInt8], on stream: Int32, _ troubles: inout [RigFailure]) {
        do throws(SystemError) {
            try Descriptor.write(bytes, to: stream, subject: stream == 1 ? "stdout" : "stderr")
        } catch {
            troubles.append(failure(error))
        }
    }

    private static func failure(_ error: SystemError) -> RigFailure {
        RigFailure(
            .cannotWrite, "Cannot write results: \(error).",
            details: ["Try: free space there, or give another directory with --out."])
    }
}
