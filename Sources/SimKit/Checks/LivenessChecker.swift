import WatchProto

/// Liveness: on a healed link with both sides running, everything settles in bounded time; while a
/// direction is dead for ever, a side that waits for an answer says that it cannot reach the other.
struct LivenessChecker: Checker {
    static let name = "liveness"

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        guard case .ended(let ending) = sight else { return nil }
        if ending.isHealed, !ending.isDrained {
            let counts = ending.sides.map { "\($0.outstanding.count)" }.joined(separator: " and ")
            let first = ending.sides.lazy.compactMap(\.outstanding.first).first
            return "the link is healed, yet \(counts) records are under way"
                + (first.map { "; the first is \($0)" } ?? "")
        }
        guard ending.deadDirection != nil else { return nil }
        for (side, end) in ending.sides.enumerated() where end.isReachable {
            // What is committed waits for an application only: no answer is owed by the link.
            let waiting = end.outstanding.filter { id in
                ledger[id]?.stage.map { $0 < .committed } ?? false
            }
            guard !waiting.isEmpty else { continue }
            return "\(WorldNames.side(side)) waits for \(waiting.count) records over a dead"
                + " direction and still calls the other reachable"
        }
        return nil
    }
}

/// No busy loop: a peer with nothing new is not woken over and over.
struct SpinChecker: Checker {
    static let name = "spin"

    /// Wakes in a row in one moment that a peer may ask for.
    static let wakesInOneMoment = 50
    /// Wakes a second that a quiet or deaf link may cost.
    static let quietWakesPerSecond = 20

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        guard case .ended(let ending) = sight else { return nil }
        for (side, end) in ending.sides.enumerated() {
            if end.wakesInOneMoment > Self.wakesInOneMoment {
                return "\(WorldNames.side(side)) asked to be woken \(end.wakesInOneMoment) times in"
                    + " one moment"
            }
            let seconds = Int(end.quietTime.components.seconds)
            if seconds > 0, end.quietWakes > Self.quietWakesPerSecond * seconds {
                return "\(WorldNames.side(side)) was woken \(end.quietWakes) times in \(seconds)"
                    + " quiet seconds"
            }
        }
        return nil
    }
}
