package import CommandLine
import ControlProtocol

/// A form in which a run's findings can be had.
///
/// A further form is a case here with its file.
package enum OutputFormat: String, ArgumentChoice {
    /// The report for people, on the terminal.
    case table
    /// `results.json`, for programs.
    case json
    /// `junit.xml`, for what shows test results.
    case junit
    /// `latency.hlog`, for the tools of HdrHistogram.
    case hlog
    /// `metrics.prom`, for Prometheus.
    case prom
    /// `report.md`, for a pull request.
    case markdown
    /// `report.html`, to look at: one page that needs nothing but itself.
    case html

    /// The file that holds it; nil for what is no file.
    var file: OutputFile? {
        switch self {
        case .table: nil
        case .json:
            OutputFile("results.json", mark: "\"\(Report.schema)\"") {
                JSONWriter.text($0.json, layout: .pretty) + "\n"
            }
        case .junit: OutputFile("junit.xml", mark: "<testsuites name=\"rig ", JUnitReport.text)
        case .hlog: OutputFile("latency.hlog", mark: "\n#[rig ", HistogramLog.text)
        case .prom: OutputFile("metrics.prom", mark: "watchproto_run_", PrometheusReport.text)
        case .markdown: OutputFile("report.md", mark: "# rig ", MarkdownReport.text)
        case .html: OutputFile("report.html", mark: "<title>rig ", HTMLReport.text)
        }
    }

    /// All that it brings: the file, and what stands beside it.
    var files: [OutputFile] {
        let beside =
            self == .html
            ? OutputFile("packets.csv", mark: PacketTable.head, PacketTable.text) : nil
        return [file, beside].compactMap { $0 }
    }

    /// Whether it can be had without a directory, on the terminal.
    var isForTerminal: Bool { self == .table || self == .json }
}

/// A file of a run.
struct OutputFile {
    /// Its name in the directory.
    let name: String
    /// A text near the begin of every such file, and of no file of another program.
    let mark: String
    /// Its text; nil where the run has nothing for it.
    let text: (Report) -> String?

    init(_ name: String, mark: String, _ text: @escaping (Report) -> String?) {
        self.name = name
        self.mark = mark
        self.text = text
    }
}

/// Some forms of output, as one option names them: `table,json`.
package struct OutputFormats: ArgumentValue, Hashable {
    /// The forms, each once, in the order of ``OutputFormat``.
    package let formats: [OutputFormat]

    /// Every form there is.
    package static let all = OutputFormats(OutputFormat.allCases)

    /// Makes the list of `formats`, in whatever order and however often they are named.
    package init(_ formats: some Collection<OutputFormat>) {
        self.formats = OutputFormat.allCases.filter(formats.contains)
    }

    /// Reads names with commas between. Throws for one that is none, with the nearest, and for one
    /// that stands there twice; the user is at fault.
    package init(argument: String) throws(ArgumentFault) {
        var formats: [OutputFormat] = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let format = OutputFormat(rawValue: String(name)) else {
                let names = OutputFormat.allCases.map(\.rawValue)
                let hint = Spelling.nearest(to: String(name), among: names)
                throw ArgumentFault(
                    "'\(name)' is none of \(names.joined(separator: ", "))"
                        + (hint.map { "; did you mean '\($0)'?" } ?? ""))
            }
            guard !formats.contains(format) else {
                throw ArgumentFault("'\(name)' stands there twice")
            }
            formats.append(format)
        }
        self.init(formats)
    }

    /// The names of their files.
    package var fileNames: [String] { formats.compactMap { $0.file?.name } }

    /// The names with commas between.
    package var argumentText: String { formats.map(\.rawValue).joined(separator: ",") }
}
