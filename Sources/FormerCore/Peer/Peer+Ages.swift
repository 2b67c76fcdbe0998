/// The alarm over the oldest record that the counterpart has not committed.
///
/// Its states are a table in the article *State machines*; a test holds it against this code.
extension Peer {
    /// Raises the alarm, ends it, or sets the timer for it. (Of a peer whose journal failed nothing
    /// more is told.)
    mutating func judgeAges() {
        guard let limit = configuration.overdueAge, !isJournalFailed else {
            timers[.overdue] = nil
            return
        }
        let limitNanoseconds = limit.nanosecondsClamped
        let oldest = outbox.oldestWaiting()
        let age = oldest.map { Int64(clamping: now.nanoseconds) - $0.since }
        guard let oldest, let age, age >= limitNanoseconds else {
            if isOverdue { events.append(.overdueEnded) }
            isOverdue = false
            timers[.overdue] = age.map {
                now.advanced(by: .nanoseconds(limitNanoseconds - $0))
            }
            return
        }
        timers[.overdue] = nil
        guard !isOverdue else { return }
        isOverdue = true
        events.append(.overdue(oldest.id, age: .nanoseconds(age)))
    }
}
