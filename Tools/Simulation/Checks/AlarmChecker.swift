import WatchProtoCore

/// The alarm: it is raised for a record that is as old as it says and not over, once, and it stands
/// while any record waits longer for the other side's commit than the application allows.
struct AlarmChecker: Checker {
    static let name = "alarm"

    private var limits: [Duration?] = [nil, nil]
    private var isRaised = [false, false]

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .overdueAge(let limit):
            limits[side] = limit
        case .crashed:
            isRaised[side] = false
        case .event(.overdue(let id, let age)):
            defer { isRaised[side] = true }
            if isRaised[side] { return "the alarm was raised for \(id.text) while it stood" }
            return falseAlarm(id, age, side: side, ledger)
        case .event(.overdueEnded):
            defer { isRaised[side] = false }
            return isRaised[side] ? nil : "an alarm ended that was never raised"
        case .watched(let awake, let lateness):
            guard let limit = limits[side], awake > limit + lateness, !isRaised[side] else {
                return nil
            }
            return missed(limit + lateness, side: side, ledger)
        default:
            break
        }
        return nil
    }

    private func falseAlarm(
        _ id: RecordID, _ age: Duration, side: Int, _ ledger: Ledger
    ) -> String? {
        guard let limit = limits[side], age >= limit else {
            return "the alarm was raised for \(id.text) at the age of \(age)"
        }
        guard let facts = ledger[id] else {
            return id.mayBeUnnamed ? nil : "the alarm was raised for \(id.text), never accepted"
        }
        if facts.outcome != nil, facts.outcomeLife == ledger.lives[side] {
            return "the alarm was raised for \(id.text) after its outcome"
        }
        if let stage = facts.stage, stage >= .committed, !ledger.hasForgotten {
            return "the alarm was raised for \(id.text), which is \(stage)"
        }
        // A journal gives times in milliseconds of the wall clock: allow for the rounding.
        let waited = facts.acceptedAt.duration(to: ledger.now) + .milliseconds(2)
        guard facts.draft != nil, !ledger.hasClockJumped[side], waited < age else { return nil }
        return "the alarm gave \(id.text) the age of \(age), but it was accepted \(waited) ago"
    }

    private func missed(_ limit: Duration, side: Int, _ ledger: Ledger) -> String? {
        for (slot, facts) in ledger.records.values.enumerated() {
            let id = ledger.records.keys[slot]
            guard facts.sender == side, facts.draft != nil, id.channel.traits.isDurable,
                facts.isPromised, facts.renamed == nil,
                !facts.hasLeft, facts.outcome == nil, !facts.anyWentBack
            else { continue }
            let waited = facts.acceptedAt.duration(to: ledger.now)
            guard waited > limit else { continue }
            return "\(id.text) has waited \(waited) for the other side's commit, without an alarm"
        }
        return nil
    }
}
