/// Every timer of a peer in one place: a reason each, an optional moment each, one next deadline.
package struct TimerTable<Reason: CaseIterable & RawRepresentable>: Sendable
where Reason.RawValue == Int {
    private var deadlines: [Instant?]

    /// Makes the table with no timer set. Raw values of `Reason` count up from 0.
    package init() {
        deadlines = Array(repeating: nil, count: Reason.allCases.count)
    }

    /// The moment the timer of `reason` goes off, if it is set.
    package subscript(reason: Reason) -> Instant? {
        get { deadlines[reason.rawValue] }
        set { deadlines[reason.rawValue] = newValue }
    }

    /// The earliest deadline of all.
    package var nextDeadline: Instant? {
        var earliest: Instant?
        for case let deadline? in deadlines where earliest.map({ deadline < $0 }) ?? true {
            earliest = deadline
        }
        return earliest
    }

    /// Clears the timer of `reason` when its moment has come, and says whether it had.
    package mutating func expire(_ reason: Reason, at now: Instant) -> Bool {
        guard let deadline = deadlines[reason.rawValue], deadline <= now else { return false }
        deadlines[reason.rawValue] = nil
        return true
    }
}
