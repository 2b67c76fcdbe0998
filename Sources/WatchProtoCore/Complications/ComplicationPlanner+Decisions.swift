/// The decisions on updates, and the changes of those that waited.
extension ComplicationPlanner {
    private static let mostDecisions = 128

    /// Why an update is not even kept; nil for one that is.
    ///
    /// - Parameters:
    ///   - offer: the update.
    ///   - former: the one of its place that waits.
    func dropped(_ offer: ComplicationOffer, _ former: Waiting?) -> ComplicationReason? {
        if offer.equality == .newest { return .equal }
        if offer.equality == .waiting, !hastens(offer, former) { return .equal }
        // An older update that waits, or is under way, would undo what the watch shows by itself.
        return former == nil && !offer.isUnderWay ? offer.needless : nil
    }

    /// Whether an update leaves earlier than the equal one that waits: it alone is urgent, or a
    /// push is left again.
    private func hastens(_ offer: ComplicationOffer, _ former: Waiting?) -> Bool {
        guard let former else { return true }
        if offer.isUrgent && !former.isUrgent { return true }
        return former.reason != .waiting && left > 0 && isActive(offer.place)
    }

    @discardableResult
    mutating func record(
        _ place: UInt32, _ isUrgent: Bool, _ reason: ComplicationReason, _ clock: WallClock
    ) -> UInt64 {
        counts[Int(reason.rawValue)] += 1
        if decisions.count >= Self.mostDecisions { decisions.removeFirst() }
        decisions.append(
            ComplicationDecision(
                number: offered, place: place, time: clock.time, isUrgent: isUrgent,
                reason: reason))
        return offered
    }

    /// The session refused the newest update of a place, which was to leave: it waits again.
    package mutating func putBack(_ place: UInt32) {
        guard !waiting.contains(where: { $0.place == place }),
            let index = decisions.lastIndex(where: { $0.place == place })
        else { return }
        let decision = decisions[index]
        counts[Int(decision.reason.rawValue)] -= 1
        counts[Int(ComplicationReason.waiting.rawValue)] += 1
        decisions[index].reason = .waiting
        waiting.append(
            Waiting(
                place: place, number: decision.number, isUrgent: decision.isUrgent,
                reason: .waiting))
    }

    /// The update of a place that waits has no worth any more.
    mutating func replace(_ place: UInt32) {
        guard let index = waiting.firstIndex(where: { $0.place == place }) else { return }
        let former = waiting.remove(at: index)
        if former.reason == .waiting { change(former.number, to: .merged) }
    }

    /// No push is left for those that wait for their moment.
    mutating func demote(_ isUrgent: Bool) {
        for index in waiting.indices {
            guard waiting[index].reason == .waiting, waiting[index].isUrgent == isUrgent else {
                continue
            }
            waiting[index].reason = .demoted
            change(waiting[index].number, to: .demoted)
            reportDemoted(isUrgent)
        }
    }

    mutating func reportDemoted(_ isUrgent: Bool) {
        demoted.append(isUrgent)
        if isUrgent { missedTargets += 1 }
    }

    /// Whether each update that was demoted since the last call is urgent.
    package mutating func takeDemoted() -> [Bool] {
        defer { demoted = [] }
        return demoted
    }

    mutating func change(_ number: UInt64, to reason: ComplicationReason) {
        counts[Int(ComplicationReason.waiting.rawValue)] -= 1
        counts[Int(reason.rawValue)] += 1
        if let index = decisions.lastIndex(where: { $0.number == number }) {
            decisions[index].reason = reason
        }
    }
}

extension ComplicationOffer {
    /// Why the watch needs no such update, if it has the one before; nil if it needs it.
    var needless: ComplicationReason? {
        if change < threshold { return .belowThreshold }
        switch cause {
        case .change: return nil
        case .timeline: return .shownByTimeline
        case .watch: return .ownEvent
        }
    }
}
