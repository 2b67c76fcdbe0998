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

    let verb: String
    private let mode: ProgressMode
    private let pace = Pace(.seconds(10))

    /// What the option says; nothing is told with `--quiet`.
    init(_ verb: String, _ invocation: Invocation) {
        self.verb = verb
        let asked = invocation[SharedOptions.quiet] ? .none : invocation[Self.option] ?? .auto
        mode = asked.resolved(isTerminal: isatty(2) == 1, environment: Files.environment)
    }

    /// Announces a step.
    func step(_ text: String) {
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
        guard total > 0, mode == .bar || done == total || pace.isDue() else { return }
        let share = mode == .bar ? "\(ProgressMode.bar(done, of: total))  " : ""
        let more = failing.map { ", \($0) failing" } ?? ""
        step("\(share)\(done)/\(total) \(unit)\(more)")
    }

    /// Tells how far work of unknown length has come: always where the line is overwritten,
    /// elsewhere every ten seconds.
    func pace(_ text: @autoclosure () -> String) {
        guard mode == .bar || mode == .lines && pace.isDue() else { return }
        step(text())
    }

    /// Whether anybody is told.
    var isShown: Bool { mode == .bar || mode == .lines }

    /// Tells how far a load has come: always where the line is overwritten, elsewhere every ten
    /// seconds.
    func load(_ progress: LoadProgress) {
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
