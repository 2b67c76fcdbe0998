import WatchProtoCore

/// Nothing lost: of every record its sender is told how it ended, or is when it asks; a record that
/// is reported applied was seen by the application, and its effect stays. Where the receiver's disk
/// lost it, its sender says so in the end.
struct LossChecker: Checker {
    static let name = "nothing-lost"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .event(.settled(let id, .applied)), .event(.progress(let id, .applied)):
            // A complication's state equal to the one displayed is not delivered again: the
            // convergence checker looks at the value displayed in the end.
            guard let facts = ledger[id], facts.draft != nil, facts.deliveredLife == nil,
                !ledger.isComparable(id), !facts.anyWentBack,
                !ledger.siblings(of: id, facts).contains(where: {
                    ledger[$0]?.deliveredLife != nil
                })
            else { return nil }
            return "\(id.text) was reported applied, but the application never saw it"
        case .answered(let id, .unknown):
            guard let facts = ledger[id], facts.isPromised, id.channel.traits.isDurable,
                !ledger.isAccountedFor(id, facts)
            else { return nil }
            return "\(id.text) was promised and is not known any more"
        case .ended(let ending) where ending.isHealed && ending.isDrained:
            return lost(ledger)
        default:
            return nil
        }
    }

    private func lost(_ ledger: Ledger) -> String? {
        for (slot, facts) in ledger.records.values.enumerated() {
            let id = ledger.records.keys[slot]
            guard ledger.isOwed(id, facts) else { continue }
            if !ledger.isAccountedFor(id, facts) {
                let there = ledger.disks[1 - facts.sender].hasTaken(id) ? "on" : "not on"
                return "\(id.text) was \(facts.isPromised ? "promised" : "accepted"); at the end"
                    + " its sender knows no outcome (it is \(there) the other disk)"
            }
            guard case .settled(.applied)? = facts.answer ?? facts.outcome.map({ .settled($0) }),
                id.channel.traits.isDurable, id.channel.traits.order == .ordered,
                !ledger.isEffective(id, facts)
            else { continue }
            return "\(id.text) is said to be applied, but its effect is gone"
        }
        return nil
    }
}
