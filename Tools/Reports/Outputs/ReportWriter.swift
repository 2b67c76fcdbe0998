package import CommandLine
import Glibc
import Locks

/// Puts a report where its user wants it. The terminal comes first, so that a full disk cannot take
/// the report with it.
package struct ReportWriter: Sendable {
    /// The directory for files; nil for none.
    package var directory: String?
    /// The requested forms; nil for every form that has a place.
    package var formats: OutputFormats?
    /// Whether files of an earlier run may be replaced.
    package var replaces = false
    /// Whether stdout gets the JSON; people then read on stderr.
    package var printsJSON = false
    /// Whether people read nothing.
    package var isQuiet = false
    /// The style of the terminal report.
    package var style = TerminalStyle.plain
    /// The columns of the terminal that people read on; nil where they read on none.
    package var columns: Int?
    private let place = OutputPlace()

    /// Makes a writer for the terminal alone.
    package init() {}

    /// Whether it will write the page, for which a run may keep more than its tables need.
    package var drawsPage: Bool { files.contains { $0.name == OutputFormat.html.file?.name } }

    /// Checks, before a run spends its time, that everything asked for has a place, and that the
    /// directory can be made and written. A directory that it made is removed with the writer where
    /// nothing was written into it.
    ///
    /// - Throws: exit codes 64 and 73, with what to do.
    package func prepare() throws(RigFailure) {
        if isQuiet, formats?.formats.contains(.table) == true {
            throw RigFailure(
                .usage, "--format asks for the table, and --quiet leaves it out.",
                details: ["Try: leave out one of the two."])
        }
        guard let directory else { return try checkThatTheTerminalIsEnough() }
        guard !files.isEmpty else {
            throw RigFailure(
                .usage, "--out names a directory, and '--format table' writes no file.",
                details: [
                    "Try: leave out --out, or ask for a file too, for example --format table,json."
                ])
        }
        do throws(SystemError) {
            place.add(try Files.makeDirectory(directory))
        } catch {
            throw Self.failure(error)
        }
        guard place.claim(directory) else { throw RigFailure.claimed(directory) }
        if let file = files.first(where: { origin(of: $0) == .foreign }) {
            throw RigFailure.foreignFile(at: path(file.name))
        }
        if !replaces, let file = earlierFile {
            throw RigFailure(
                .cannotWrite, "'\(directory)' holds an earlier run (\(file)).",
                details: ["Try: another directory with --out, or --force to replace that run."])
        }
        guard Files.isWritable(directory) else {
            throw RigFailure(
                .cannotWrite, "Cannot write results: the directory '\(directory)' is not writable.",
                details: ["Try: give another directory with --out."])
        }
    }

    private func checkThatTheTerminalIsEnough() throws(RigFailure) {
        let homeless = formats?.formats.filter { !$0.isForTerminal } ?? []
        guard !homeless.isEmpty else { return }
        let names = homeless.map(\.rawValue).joined(separator: ",")
        throw RigFailure(
            .usage, "--format \(names) is written to files, and there is no directory for them.",
            details: [
                "Try: add --out DIR, or ask for table and json alone, which go to the terminal."
            ])
    }

    /// The name of a file that an earlier run has left there; nil for none.
    private var earlierFile: String? {
        OutputFormats.all.formats.flatMap(\.files).first { origin(of: $0) == .ours }?.name
    }

    private func origin(of file: OutputFile) -> FileOrigin {
        Files.origin(of: path(file.name), mark: file.mark)
    }

    /// The files to be written into the directory.
    private var files: [OutputFile] {
        directory == nil ? [] : (formats ?? .all).formats.flatMap(\.files)
    }

    /// Writes terminal report and files. A file that cannot be written takes no other along; files
    /// of an older run that this one does not write are removed, so that all that stand there are
    /// of one run. The last lines of the terminal come last: they say what was written.
    ///
    /// - Parameters:
    ///   - report: what the run found.
    ///   - failure: what else went wrong in the run; its exit code then wins.
    /// - Returns: how the program ends: the failure's code, the report's, or 73 where a file or the
    ///   terminal did not take it; what went wrong is then on stderr.
    package func write(_ report: Report, failure: RigFailure? = nil) -> ExitCode {
        var report = report
        if let failure, !report.isComplete { report.earlyCode = failure.exitCode }
        var troubles: [RigFailure] = []
        let isShown = !isQuiet && (formats ?? .all).formats.contains(.table)
        let stream: Int32 = printsJSON ? 2 : 1
        if isShown {
            Self.put(
                Array(report.terminalBody(style: style, columns: columns).utf8), on: stream,
                &troubles)
        }
        let hasBody = isShown && troubles.isEmpty
        if printsJSON, let file = OutputFormat.json.file {
            Self.put(Array((file.text(report) ?? "").utf8), on: 1, &troubles)
        }
        var unwritten: [String] = []
        var kept: [String] = []
        for file in files {
            guard let text = file.text(report) else { continue }
            kept.append(file.name)
            // It may have come during the run.
            guard origin(of: file) != .foreign else {
                troubles.append(.foreignFile(at: path(file.name)))
                unwritten.append(file.name)
                continue
            }
            do throws(SystemError) {
                try Files.write(Array(text.utf8), to: path(file.name))
                // The first with its directory, which is that of the others.
                report.outputs.append(report.outputs.isEmpty ? path(file.name) : file.name)
            } catch {
                troubles.append(Self.failure(error))
                unwritten.append(file.name)
            }
        }
        removeOlder(but: kept, &troubles)
        var code: ExitCode {
            failure?.exitCode ?? (troubles.isEmpty ? report.exitCode : .cannotWrite)
        }
        // Where the body was not taken, its end has no place either.
        if hasBody {
            let end = report.terminalEnd(exitCode: code, unwritten: unwritten)
            Self.put(Array(end.utf8), on: stream, &troubles)
        }
        if let failure { Self.complain(failure) }
        for trouble in troubles { Self.complain(trouble) }
        return code
    }

    /// Removes files of an older run that this one was not asked for. Files that the rig did not
    /// make stay, whatever their names are.
    private func removeOlder(but kept: [String], _ troubles: inout [RigFailure]) {
        guard let directory else { return }
        var removed: [String] = []
        for file in OutputFormats.all.formats.flatMap(\.files) where !kept.contains(file.name) {
            guard origin(of: file) == .ours else { continue }
            Files.remove(path(file.name))
            guard Files.exists(path(file.name)) else {
                removed.append(file.name)
                continue
            }
            troubles.append(
                RigFailure(
                    .cannotWrite,
                    "Cannot remove '\(path(file.name))', which is of an older run.",
                    details: ["Try: remove it by hand, or give another directory with --out."]))
        }
        guard !removed.isEmpty, !isQuiet else { return }
        Self.warn(
            "removed from '\(directory)', being of an older run: "
                + removed.joined(separator: ", "))
    }

    private func path(_ name: String) -> String { "\(directory ?? ".")/\(name)" }

    /// Says on stderr why a run failed.
    package static func complain(_ failure: RigFailure) {
        try? Descriptor.write(Array("\(failure)\n".utf8), to: 2, subject: "stderr")
    }

    /// Says on stderr what somebody should know of a run beforehand.
    package static func warn(_ text: String) {
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
            details: [error.advice(isWriting: true, otherwise: otherwise(than: error))])
    }

    /// No other directory helps where the terminal does not take it.
    private static func otherwise(than error: SystemError) -> String {
        guard ["stdout", "stderr"].contains(error.subject) else {
            return "give another directory with --out."
        }
        let quiet = "give --quiet with --out."
        return error.number == EBADF ? "keep \(error.subject) open, or \(quiet)" : quiet
    }
}

/// The directory of a writer. Directories that it made and wrote nothing into go with it.
private final class OutputPlace: Sendable {
    private let made = Mutex<[String]>([])
    private let claim = Mutex<DirectoryClaim?>(nil)

    func add(_ paths: [String]) { made.withLock { $0 += paths } }

    /// Whether no other run has the directory.
    func claim(_ directory: String) -> Bool {
        claim.withLock { claim in
            claim = claim ?? DirectoryClaim(directory)
            return claim != nil
        }
    }

    deinit { for path in made.withLock(\.self).reversed() { Files.removeEmptyDirectory(path) } }
}
