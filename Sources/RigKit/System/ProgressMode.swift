public import ControlKit

/// How the progress of a run is told on stderr.
public enum ProgressMode: String, ArgumentChoice {
    /// By terminal and environment.
    case auto
    /// One line that is overwritten.
    case bar
    /// A line for each step, and one every ten seconds within it.
    case lines
    /// Not at all.
    case none

    /// What it means for a stream: never ``auto``.
    ///
    /// - Parameters:
    ///   - isTerminal: whether the stream is a terminal.
    ///   - environment: looks a variable up. With `CI` or `TERM=dumb` nothing is overwritten; a bar
    ///     has no colour that `NO_COLOR` could take away.
    public func resolved(isTerminal: Bool, environment: (_ name: String) -> String?) -> Self {
        guard self == .auto else { return self }
        let isPlain = environment("CI")?.isEmpty == false || environment("TERM") == "dumb"
        return isTerminal && !isPlain ? .bar : .lines
    }

    /// How much of a whole is done, as `[#####---------------]`.
    public static func bar(_ done: UInt64, of total: UInt64) -> String {
        let width = 20
        let share = total == 0 ? 1 : min(1, Double(done) / Double(total))
        let filled = Int(share * Double(width))
        return "[\(String(repeating: "#", count: filled))"
            + "\(String(repeating: "-", count: width - filled))]"
    }
}
