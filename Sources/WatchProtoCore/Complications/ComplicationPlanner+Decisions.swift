/// The decisions on updates, and the changes of those that waited.
extension ComplicationPlanner {
    private static let mostDecisions = 128

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

    /// The update of a place that waits has no worth any more.
    mutating func replace(_ place: UInt32) {
        guard let index = waiting.firstIndex(where: { $0.place == place }) else { return }
        let former = waiting.remove(at: index)
        if former.reason == .waiting { change(former.number, to: .merged) }
    }

    mutating func change(_ number: UInt64, to reason: ComplicationReason) {
        counts[Int(ComplicationReason.waiting.rawValue)] -= 1
        counts[Int(reason.rawValue)] += 1
        if let index = decisions.lastIndex(where: { $0.number == number }) {
            decisions[index].reason = reason
        }
    }
}
