import Glibc
import RigKit

/// Says on stderr what the run is doing: one line that is overwritten on a terminal, a line per
/// step elsewhere.
struct Progress: Sendable {
    let verb: String
    let isOn: Bool
    private let isTerminal = isatty(2) == 1
    private let pace = Pace(.seconds(10))

    init(_ verb: String, isOn: Bool) {
        self.verb = verb
        self.isOn = isOn
    }

    /// Announces a step.
    func step(_ text: String) {
        guard isOn else { return }
        put(isTerminal ? "\r\u{1B}[K\(verb): \(text) " : "\(verb): \(text)\n")
    }

    /// Tells how far a long count has come: always on a terminal, elsewhere every ten seconds and
    /// at its end.
    func count(_ done: UInt64, of total: UInt64, _ unit: String = "seeds", failing: Int) {
        guard isOn, total > 0 else { return }
        guard isTerminal || done == total || pace.isDue() else { return }
        step("\(done)/\(total) \(unit), \(failing) failing")
    }

    /// Tells how far work of unknown length has come: always on a terminal, elsewhere every ten
    /// seconds.
    func pace(_ text: @autoclosure () -> String) {
        guard isOn, isTerminal || pace.isDue() else { return }
        step(text())
    }

    /// Clears the line before the report.
    func finish() {
        if isOn, isTerminal { put("\r\u{1B}[K") }
    }

    private func put(_ text: String) {
        try? Descriptor.write(Array(text.utf8), to: 2, subject: "stderr")
    }
}
