import CommandLine
import Glibc
import Reports

/// Says on stderr what the run is doing, in the way that ``ProgressMode`` names.
struct Progress: Sendable {
    /// Of every verb that takes more than a second.
    static let option = CommandOption<ProgressMode>(
        "progress", value: "how", default: .auto,
        help: "How progress is told on stderr: bar (one line, overwritten), lines (one for each "
            + "step, and one every 10 s), none, or auto: a bar on a terminal, else lines.")

    static let metrics = CommandOption<MetricsAddress>(
        "metrics", value: "address",
        help: "Give the run's figures at http://ADDRESS/metrics while it goes on, for Prometheus: "
            + "127.0.0.1 and a port, 0 for any that is free. stderr says where.")

    let verb: String
    private let mode: ProgressMode
    private let pace = Pace(.seconds(10))
    private let live: LiveMetrics?
    private let server: MetricsServer?

    /// Adds its options to a verb.
    static func add(to verb: inout Verb) {
        verb.add(option)
        verb.add(metrics)
    }

    /// Makes the progress that the options ask for. With `--quiet`, it prints nothing.
    ///
    /// - Throws: exit code 69 where the port of `--metrics` cannot be had.
    init(_ verb: String, _ invocation: Invocation) throws(RigFailure) {
        self.verb = verb
        if let address = invocation[Self.metrics] {
            let live = LiveMetrics(verb: verb)
            let server = try MetricsServer(address) { live.text(ProcessFigures.ofChildren) }
            (self.live, self.server) = (live, server)
            ReportWriter.warn("metrics at http://\(MetricsAddress.host):\(server.port)/metrics")
        } else {
            (live, server) = (nil, nil)
        }
        let asked = invocation[SharedOptions.quiet] ? .none : invocation[Self.option] ?? .auto
        mode = asked.resolved(isTerminal: isatty(2) == 1, environment: Files.environment)
    }

    /// Announces a step.
    func step(_ text: String) {
        live?.step(text)
        show(text)
    }

    private func show(_ text: String) {
        switch mode {
        case .bar: overwrite("\(verb): \(text) ")
        case .lines: put("\(verb): \(text)\n")
        case .auto, .none: break
        }
    }

    /// Tells how far a long count has come: always where the line is overwritten, elsewhere every
    /// ten seconds and at its end.
    func count(
        _ done: UInt64, of total: UInt64, _ unit: String = "seeds", failing: Int? = nil
    ) {
        live?.count(done, of: total, unit, failing: failing)
        guard total > 0, mode == .bar || done == total || pace.isDue() else { return }
        let share = mode == .bar ? "\(ProgressMode.bar(done, of: total))  " : ""
        let more = failing.map { ", \($0) failing" } ?? ""
        show("\(share)\(done)/\(total) \(unit)\(more)")
    }

    /// Tells how far work of unknown length has come: always where the line is overwritten,
    /// elsewhere every ten seconds.
    func pace(_ text: @autoclosure () -> String) {
        guard mode == .bar || mode == .lines && pace.isDue() else { return }
        show(text())
    }

    /// Whether anybody is told, on stderr or by metrics.
    var isShown: Bool { mode == .bar || mode == .lines || live != nil }

    /// Tells how far a load has come: always where the line is overwritten, elsewhere every ten
    /// seconds.
    func load(_ progress: LoadProgress) {
        live?.load(progress)
        switch mode {
        case .bar:
            let columns = ProgressMode.columns(of: 2) - verb.count - 2
            overwrite("\(verb) \(progress.bar(columns: columns))")
        case .lines: if pace.isDue() { put("\(verb) \(progress.line)\n") }
        case .auto, .none: break
        }
    }

    /// Clears the line before the report.
    func finish() {
        if mode == .bar { put("\r\u{1B}[K") }
    }

    private func overwrite(_ text: String) {
        put("\r\u{1B}[K" + ProgressMode.fitted(text, columns: ProgressMode.columns(of: 2)))
    }

    private func put(_ text: String) {
        try? Descriptor.write(Array(text.utf8), to: 2, subject: "stderr")
    }
}
