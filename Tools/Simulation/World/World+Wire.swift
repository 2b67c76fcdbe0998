import WatchProtoCore

/// Counts what crosses the wire.
extension World {
    /// A packet later than the carrier's delay by more than this may be taken for lost: it is the
    /// longest time that an acknowledgement waits for company, and every time-out allows for it.
    private static var lateness: Duration { .milliseconds(20) }

    /// Counts what the link took.
    func tally(_ offer: LinkOffer, of node: Node) {
        let bytes = offer.takenBytes
        node.wire.take(bytes)
        let isDamaged = !offer.fate.marks.isDisjoint(with: [.corrupted, .truncated])
        guard offer.fate.lossCause == nil, !isDamaged else { return node.wire.lose(bytes) }
        guard let first = offer.arrivals.first else { return }
        let delay = directions[node.side].options.delay
        let isLate = now.duration(to: first.at) > delay + Self.lateness
        if isLate || nodes[1 - node.side].pausedUntil != nil { return node.wire.delay(bytes) }
        guard scenario.carrier.kind.isLossy else { return }
        let sent = SentPacket(number: node.wire.packets, bytes: bytes, arrivesAt: first.at)
        if sent.arrivesAt < node.latestInTransit { overtake(by: sent, of: node) }
        node.latestInTransit = max(node.latestInTransit, sent.arrivesAt)
        node.inTransit.append(sent)
        guard node.inTransit.count >= node.inTransitBound else { return }
        let now = now
        node.inTransit.removeAll { $0.arrivesAt <= now }
        node.inTransitBound = max(64, 2 * node.inTransit.count)
    }

    /// A packet that arrives after one sent three later is taken for lost as well (RFC 9002,
    /// 6.1.1): a jitter of a few milliseconds is enough for that.
    private func overtake(by sent: SentPacket, of node: Node) {
        let now = now
        node.inTransit.removeAll { earlier in
            let isOvertaken =
                earlier.number + 3 <= sent.number && earlier.arrivesAt > sent.arrivesAt
            if isOvertaken { node.wire.delay(earlier.bytes) }
            return isOvertaken || earlier.arrivesAt <= now
        }
    }

}

/// A packet on its way.
struct SentPacket {
    /// Counts what its side gave to the carrier.
    var number: Int
    var bytes: Int
    var arrivesAt: Instant
}
