internal import CPosix

/// How the progress of a run is told on stderr.
package enum ProgressMode: String, ArgumentChoice {
    /// By terminal and environment.
    case auto
    /// One line that is overwritten.
    case bar
    /// A line for each step, and one every ten seconds within it.
    case lines
    /// Not at all.
    case none

    /// The mode for a stream: never ``auto``.
    ///
    /// - Parameters:
    ///   - isTerminal: whether the stream is a terminal.
    ///   - environment: looks a variable up. With `CI` or `TERM=dumb` nothing is overwritten; a bar
    ///     has no colour that `NO_COLOR` could take away.
    package func resolved(isTerminal: Bool, environment: (_ name: String) -> String?) -> Self {
        guard self == .auto else { return self }
        let isPlain = environment("CI")?.isEmpty == false || environment("TERM") == "dumb"
        return isTerminal && !isPlain ? .bar : .lines
    }

    /// As much of `text` as one line of a terminal takes, its last column left free: a line that
    /// wraps could not be overwritten.
    package static func fitted(_ text: String, columns: Int) -> String {
        String(text.prefix(max(1, columns - 1)))
    }

    /// How many columns the terminal has that is open as `descriptor`; 80 where it does not say.
    package static func columns(of descriptor: Int32) -> Int {
        var (columns, rows): (Int32, Int32) = (0, 0)
        guard unsafe watchproto_terminal_size(descriptor, &columns, &rows) == 0, columns > 0
        else { return 80 }
        return Int(columns)
    }

    /// The columns of the terminal that is open as `descriptor`; nil if it is no terminal.
    package static func columns(ofTerminal descriptor: Int32) -> Int? {
        isatty(descriptor) == 1 ? columns(of: descriptor) : nil
    }

    /// How much of a whole is done, as `[#####---------------]`, `width` characters between the
    /// brackets.
    package static func bar(_ done: UInt64, of total: UInt64, width: Int = 20) -> String {
        let width = max(0, width)
        let share = total == 0 ? 1 : min(1, Double(done) / Double(total))
        let filled = Int(share * Double(width))
        return "[\(String(repeating: "#", count: filled))"
            + "\(String(repeating: "-", count: width - filled))]"
    }
}
