package import ControlProtocol
package import Simulation
package import WatchProtoCore

/// Blackouts at a steady rhythm, or one alone: `2s every 7s`, `2s every 7s after 1s`,
/// `2s after 5s`.
package struct Blackout: Hashable, Sendable {
    /// How long nothing passes.
    package var length: Duration
    /// From the begin of one to the begin of the next; nil for a single one.
    package var period: Duration?
    /// When the first begins, counted from when the network conditions were set.
    package var first: Duration

    /// Makes the rhythm. Without `first` it begins with the time between two of them; a single one
    /// begins at once.
    package init(_ length: Duration, every period: Duration? = nil, after first: Duration? = nil) {
        self.length = length
        self.period = period
        self.first = first ?? period.map { $0 - length } ?? .zero
    }

    /// Reads the words.
    ///
    /// - Throws: what is wrong with `text`; whoever wrote it is at fault.
    package init(quantity text: String) throws(QuantityError) {
        let words = text.split(separator: " ").map(String.init)
        guard let first = words.first, words.count.isMultiple(of: 2) == false else {
            throw Self.misread
        }
        let length = try Duration(quantity: first)
        var period: Duration?
        var start: Duration?
        for place in stride(from: 1, to: words.count, by: 2) {
            let time = try Duration(quantity: words[place + 1])
            switch words[place] {
            case "every" where period == nil: period = time
            case "after" where start == nil: start = time
            default: throw Self.misread
            }
        }
        guard length > .zero else { throw QuantityError("it must last longer than 0 s") }
        for time in [length, period, start].compactMap({ $0 }) where time > Self.longest {
            throw QuantityError("each of its times must be at most 1h, not \(time.meaning)")
        }
        if let period, period < Self.leastPeriod {
            throw QuantityError("it must come every 1ms at most, not every \(period.meaning)")
        }
        if let period, period <= length {
            throw QuantityError("it must end before the next begins: every \(period.meaning)")
        }
        self.init(length, every: period, after: start)
    }

    private static let longest: Duration = .seconds(3600)
    /// The rhythm is listed some blackouts ahead: shorter ones would be listed all the time.
    private static let leastPeriod: Duration = .milliseconds(1)

    private static let misread = QuantityError(
        "it must be a time such as '2s every 7s' or '2s after 5s'")

    /// The blackouts around `now` of network conditions that were set at `origin`: the last one
    /// before it, and those that follow.
    package func outages(from origin: Instant, around now: Instant) -> [LinkOutage] {
        let start = origin.advanced(by: first)
        guard let period else {
            return [LinkOutage(from: start, until: start.advanced(by: length))]
        }
        let passed = max(0, start.duration(to: now).nanosecondsClamped)
        let count = passed / max(1, period.nanosecondsClamped)
        let from = start.advanced(by: period * Int(max(0, count - 1)))
        return LinkOutage.cycle(
            on: period - length, off: length, from: from, count: Self.outagesAhead)
    }

    /// How many are known ahead: a queue that reaches further finds the link up.
    static let outagesAhead = 64

    /// When ``outages(from:around:)`` is to be asked again.
    func staleAt(_ now: Instant) -> Instant {
        guard let period else { return .distantFuture }
        return now.advanced(by: period * (Self.outagesAhead / 2))
    }
}

extension Blackout: CustomStringConvertible {
    /// As it was understood: `2 s every 7 s, first after 5 s`.
    package var description: String {
        let rhythm = period.map { " every \($0.meaning)" } ?? ""
        return "\(length.meaning)\(rhythm), first after \(first.meaning)"
    }
}
