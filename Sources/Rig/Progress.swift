import Glibc
import RigKit

/// Says on stderr what the run is doing: one line that is overwritten on a terminal, a line per step
/// elsewhere.
struct Progress {
    let isOn: Bool
    private let isTerminal = isatty(2) == 1

    init(isOn: Bool) { self.isOn = isOn }

    /// Announces a step.
    func step(_ text: String) {
        guard isOn else { return }
        put(isTerminal ? "\r\u{1B}[Kdemo: \(text) " : "demo: \(text)\n")
    }

    /// Clears the line before the report.
    func finish() {
        if isOn, isTerminal { put("\r\u{1B}[K") }
    }

    private func put(_ text: String) {
        try? Descriptor.write(Array(text.utf8), to: 2, subject: "stderr")
    }
}
