import WatchProto

/// Nothing lost: of every record its sender is told how it ended, or is when it asks; what is
/// reported applied was seen by the application, and took effect.
struct LossChecker: Checker {
    static let name = "nothing-lost"

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .event(.settled(let id, .applied)), .event(.progress(let id, .applied)):
            // A complication's state equal to the one shown is not shown again: whether the right
            // one is shown in the end is the newest checker's business.
            guard let facts = ledger[id], facts.deliveredLife == nil, !facts.isForgiven,
                !id.lane.traits.skipsEqual,
                !ledger.siblings(of: id, facts).contains(where: {
                    $0.deliveredLife != nil || $0.isForgiven
                })
            else { return nil }
            return "\(id) was reported applied, but the application never saw it"
        case .answered(let id, .unknown):
            guard let facts = ledger[id], facts.isPromised, id.lane.traits.isDurable else {
                return nil
            }
            guard !ledger.isAccountedFor(facts) else { return nil }
            return "\(id) was promised and is not known any more"
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
            if !ledger.isAccountedFor(facts) {
                let there = facts.isOnReceiversDisk ? "on" : "not on"
                return "\(id) was \(facts.isPromised ? "promised" : "accepted"); at the end its"
                    + " sender knows no outcome (it is \(there) the other disk)"
            }
            if facts.outcome ?? facts.answer == .applied, facts.effects == 0, !facts.isForgiven,
                id.lane.traits.isDurable, !id.lane.traits.skipsEqual,
                !ledger.siblings(of: id, facts).contains(where: { $0.effects > 0 || $0.isForgiven })
            {
                return "\(id) was reported applied, but its effect is gone"
            }
        }
        return nil
    }
}
