import WatchProtoCore

/// When nothing stands between the two applications, so that whatever one accepts reaches the other
/// in time.
extension World {
    /// Looks whether nothing hindered since the last look, and tells the checkers since when.
    func lookAtFairness() {
        let former = fairLookAt
        fairLookAt = now
        guard isFair(since: former) else {
            fairness = nil
            return
        }
        let marks = nodes.map(FairnessMark.init)
        if marks != fairness { (fairness, fairSince) = (marks, now) }
        show(.unhindered(since: fairSince), side: 0)
    }

    /// Whether both processes run, a session is open on both sides, disks and carrier keep up (the
    /// kernel of a stream takes its time after an outage), timers go off, and the conditions are
    /// fair.
    private func isFair(since: Instant) -> Bool {
        guard isHealed || (scenario.timerLateness < .seconds(1) && areConditionsFair) else {
            return false
        }
        for node in nodes {
            guard let process = node.process, node.pausedUntil == nil, !node.isJournalClosed,
                node.disk.failures == 0, node.disk.backlog(at: now) < .seconds(1),
                node.lastArrivalAt < now.advanced(by: .seconds(1)),
                process.peer.activationState == .activated
            else { return false }
        }
        return !directions.contains { direction in
            direction.options.outages.contains { $0.start <= now && since < $0.end }
        }
    }

    /// Whether the carrier loses nothing, holds nothing up and reorders nothing on purpose.
    private var areConditionsFair: Bool {
        scenario.deadDirection == nil
            && linkConditions.allSatisfy { conditions in
                conditions.loss == 0 && conditions.clogging == 0 && conditions.stalling == 0
                    && conditions.corruption == 0 && conditions.truncation == 0
            }
    }
}

/// One side's process, carrier and session, as far as one of them can be told from the next.
struct FairnessMark: Hashable, Sendable {
    var life: Int
    var link: Int?
    var activations: Int
    var awakeSince: Instant
    /// In fair conditions to a full queue: the packets of one channel hinder the others, until
    /// packets are paced.
    var lostPackets: Int

    init(_ node: Node) {
        life = node.life
        link = node.link.generation
        activations = node.activations
        awakeSince = node.awakeSince
        lostPackets = node.wire.lostPackets
    }
}
