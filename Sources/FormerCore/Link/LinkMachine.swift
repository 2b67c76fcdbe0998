/// Whether there is a link, and what to do about it.
///
/// The table is in the article *State machines*; a test holds it against this code. What is not in
/// the table changes nothing.
public struct LinkMachine: Sendable {
    /// How far the link has come.
    public enum State: String, Sendable, CaseIterable {
        /// No link is wanted.
        case idle
        /// A link is wanted; the next attempt is due later.
        case waiting
        /// The host was asked for a carrier.
        case opening
        /// The carrier is open; the session is not.
        case greeting
        /// The session is open.
        case active
    }

    /// What the machine is told.
    public enum Input: String, Sendable, CaseIterable {
        /// The application wants a link, or the host knows that one can be had.
        case activate
        /// The application wants none.
        case deactivate
        /// The wait before the next attempt is over.
        case reopenDue
        /// The host opened the carrier, or accepted one.
        case carrierUp
        /// The carrier ended, or could not be opened.
        case carrierDown
        /// The session is open.
        case established
        /// This side closes the link, for a reason of its own.
        case close
    }

    /// Where the machine stands; `idle` until it is told otherwise.
    public private(set) var state: State = .idle

    /// Makes a machine that wants no link.
    public init() {}

    /// Moves by one input and says whether anything changed.
    @discardableResult
    public mutating func receive(_ input: Input) -> Bool {
        let next: State? =
            switch (state, input) {
            case (.idle, .activate), (.waiting, .activate), (.waiting, .reopenDue): .opening
            case (.waiting, .deactivate), (.opening, .deactivate), (.greeting, .deactivate),
                (.active, .deactivate):
                .idle
            case (.waiting, .carrierUp), (.opening, .carrierUp): .greeting
            case (.opening, .carrierDown), (.greeting, .carrierDown), (.active, .carrierDown),
                (.greeting, .close), (.active, .close):
                .waiting
            case (.greeting, .established): .active
            default: nil
            }
        guard let next else { return false }
        state = next
        return true
    }
}

/// How long to wait before a link is opened again: at once after a session, then `first`, doubling
/// up to `longest`, each shortened by up to a quarter at random so that two sides do not march in
/// step. After an opening that failed nothing is at once: it would fail again.
public struct ReopenBackoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var failures = 0

    /// Starts with `first` after a failure and never waits longer than `longest`.
    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// A session was open: start over.
    public mutating func succeeded() { failures = 0 }

    /// A carrier could not be opened.
    public mutating func openingFailed() { failures = max(failures, 1) }

    /// The wait before the next attempt.
    public mutating func nextWait(using generator: inout SeededGenerator) -> Duration {
        defer { failures += 1 }
        guard failures > 0 else { return .zero }
        let full = min(first * (1 << min(failures - 1, 16)), longest)
        return full - full / 4 * generator.unitInterval()
    }
}
