import WatchProtoCore

/// Liveness: on a healed link with both sides running, everything settles in bounded time; while a
/// direction is dead for ever, a side that waits for an answer says that it cannot reach the other.
/// And no record expires for which there was time to arrive, with nothing in its way.
struct LivenessChecker: Checker {
    static let name = "liveness"

    /// Spans in which nothing stood between the applications.
    private var spans: [(start: Instant, end: Instant)] = []

    /// So long a span is enough for every record. The records before it, on the disks and on the
    /// carrier, are through within a second; a commit on each side takes 0.4 s at most, and the
    /// largest records of all channels together take some seconds at the lowest rate.
    static let enough = Duration.seconds(5)

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .unhindered(let start):
            if spans.last?.start == start { spans.removeLast() }
            spans.append((start, ledger.now))
            return nil
        case .event(.settled(let id, .expired)), .answered(let id, .settled(.expired)):
            return prematureExpiry(id, ledger)
        case .ended(let ending):
            return unfinished(ending, ledger)
        default:
            return nil
        }
    }

    /// The message about a record that expired too early: between its acceptance and the first
    /// moment at which either clock can have shown its time, nothing was in its way for long
    /// enough. (If a clock was set, that moment is unknown. A record that has arrived was not
    /// delayed, though a disk may have forgotten its arrival.)
    private func prematureExpiry(_ id: RecordID, _ ledger: Ledger) -> String? {
        guard let facts = ledger[id], let expiry = facts.draft?.expiresAt,
            !facts.anyWentBack, !ledger.hasClockJumped.contains(true),
            let offset = ledger.wallOffsets.compactMap({ $0 }).max()
        else { return nil }
        let expiresAt = Instant(
            nanoseconds: UInt64(max(0, expiry.milliseconds - offset)) * 1_000_000)
        for span in spans.reversed() {
            let from = max(span.start, facts.acceptedAt)
            let until = min(span.end, expiresAt)
            guard from < until, from.duration(to: until) >= Self.enough else { continue }
            return
                "\(id.text) expired, though nothing was in its way for \(from.duration(to: until))"
        }
        return nil
    }

    private func unfinished(_ ending: Ending, _ ledger: Ledger) -> String? {
        // Once a device and its copy are found out, the two sides open no session any more.
        if ledger.timesExchanged != [0, 0] { return nil }
        if ending.isHealed, !ending.isDrained {
            let counts = ending.sides.map { "\($0.outstanding.count)" }.joined(separator: " and ")
            let first = ending.sides.lazy.compactMap(\.outstanding.first).first
            let awaited = ending.sides.enumerated().filter { !$0.element.awaited.isEmpty }.map {
                "; \(WorldNames.side($0.offset)) waits for "
                    + $0.element.awaited.joined(separator: " and ")
            }
            return "the link is healed, yet \(counts) records are under way"
                + (first.map { "; the first is \($0.text)" } ?? "") + awaited.joined()
        }
        guard ending.deadDirection != nil else { return nil }
        for (side, end) in ending.sides.enumerated() where end.isReachable {
            let waiting = end.outstanding.filter { waitsForLink($0, end.outstanding, ledger) }
            guard !waiting.isEmpty else { continue }
            return "\(WorldNames.side(side)) waits for \(waiting.count) records over a dead"
                + " direction and still calls the other reachable"
        }
        return nil
    }

    /// Whether a record waits for an answer over the link. A committed record waits for an
    /// application only. A record that a later committed value of its key replaces does not wait
    /// for the link either: the receipt that settles the later one settles both, and no other is on
    /// its way.
    private func waitsForLink(
        _ id: RecordID, _ outstanding: [RecordID], _ ledger: Ledger
    ) -> Bool {
        guard let facts = ledger[id], let stage = facts.stage, stage < .committed else {
            return false
        }
        guard let key = facts.draft?.key else { return true }
        return !outstanding.contains { other in
            guard let later = ledger[other], other.channel == id.channel, later.draft?.key == key,
                later.sequence > facts.sequence
            else { return false }
            return later.stage.map { $0 >= .committed } ?? false
        }
    }
}

/// No busy loop: a peer with nothing new is not woken over and over.
struct SpinChecker: Checker {
    static let name = "spin"

    /// Wakes in a row in one moment that a peer may ask for.
    static let wakesInOneMoment = 50
    /// Wakes a second that a quiet or deaf link may cost.
    static let quietWakesPerSecond = 20

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        guard case .ended(let ending) = observation else { return nil }
        for (side, end) in ending.sides.enumerated() {
            if end.wakesInOneMoment > Self.wakesInOneMoment {
                return "\(WorldNames.side(side)) asked to be woken \(end.wakesInOneMoment) times in"
                    + " one moment"
            }
            let seconds = Int(end.quietTime.components.seconds)
            // A constant shape wakes its side at each of its moments.
            let moments = ending.carrier.shape.map { shape in
                Int(end.quietTime.nanosecondsClamped / shape.interval.nanosecondsClamped) + 1
            }
            if seconds > 0, end.quietWakes > Self.quietWakesPerSecond * seconds + (moments ?? 0) {
                return "\(WorldNames.side(side)) was woken \(end.quietWakes) times in \(seconds)"
                    + " quiet seconds"
            }
        }
        return nil
    }
}
