/// The alarm over the oldest record that the counterpart has not committed: raised once, until no
/// record waits that long.
struct OverdueAlarm: Sendable {
    private(set) var isRaised = false
    /// When the oldest record comes to the age.
    private(set) var deadline: Instant?

    /// Evaluates the oldest record and its age; gives the event to report, if any.
    mutating func evaluate(
        _ oldest: (id: RecordID, age: Duration)?, limit: Duration?, at now: Instant
    ) -> PeerEvent? {
        deadline = nil
        guard let limit else { return nil }
        guard let oldest, oldest.age >= limit else {
            deadline = oldest.map { now.advanced(by: limit - $0.age) }
            defer { isRaised = false }
            return isRaised ? .overdueEnded : nil
        }
        defer { isRaised = true }
        return isRaised ? nil : .overdue(oldest.id, age: oldest.age)
    }
}
