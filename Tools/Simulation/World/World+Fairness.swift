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
    /// kernel of a stream takes its time after an outage), timers go off, and the weather is fair.
    private func isFair(since: Instant) -> Bool {
        guard isHealed || (scenario.timerLateness < .seconds(1) && isWeatherFair) else {
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
    private var isWeatherFair: Bool {
        scenario.deadDirection == nil
            && weather.allSatisfy { weather in
                weather.loss == 0 && weather.clogging == 0 && weather.stalling == 0
                    && weather.corruption == 0 && weather.truncation == 0
            }
    }
}

/// One side's process, carrier and session, as far as one of them can be told from the next.
struct FairnessMark: Hashable, Sendable {
    var life: Int
    var link: Int?
    var activations: Int
    var awakeSince: Instant
    /// In fair weather to a full queue: the packets of one channel hinder the others, until packets
    /// are paced.
    var lostPackets: Int

    init<Security>(_ node: Node<Security>) {
        life = node.life
        link = node.link.generation
        activations = node.activations
        awakeSince = node.awakeSince
        lostPackets = node.wire.lostPackets
    }
}
