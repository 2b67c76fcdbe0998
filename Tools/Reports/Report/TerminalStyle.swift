import CommandLine

/// Whether words are coloured. Colour is never the only sign.
package enum TerminalStyle: Hashable, Sendable {
    /// Text alone.
    case plain
    /// ANSI colours.
    case coloured

    /// The choices of `--color`.
    package enum Choice: String, ArgumentChoice {
        /// By terminal and environment; in any case; in no case.
        case auto, always, never
    }

    /// The style for a stream.
    ///
    /// - Parameters:
    ///   - choice: what the user asked for.
    ///   - isTerminal: whether the stream is a terminal.
    ///   - environment: looks a variable up; `NO_COLOR`, `TERM=dumb` and `CI` turn colour off.
    package init(
        _ choice: Choice, isTerminal: Bool, environment: (_ name: String) -> String?
    ) {
        switch choice {
        case .always: self = .coloured
        case .never: self = .plain
        case .auto:
            let isOff = [environment("NO_COLOR"), environment("CI")].contains {
                $0?.isEmpty == false
            }
            self = isTerminal && !isOff && environment("TERM") != "dumb" ? .coloured : .plain
        }
    }

    func painted(_ status: Status) -> String {
        guard self == .coloured else { return status.rawValue }
        let code =
            switch status {
            case .pass: "32"
            case .warn, .few: "33"
            case .fail, .noData: "31"
            case .known, .notBuilt: "2"
            }
        return "\u{1B}[\(code)m\(status.rawValue)\u{1B}[0m"
    }
}
