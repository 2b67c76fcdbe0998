import WatchProto

/// Nothing twice: the effect of a record counts once, across restarts. An effect counts when its
/// transaction is durable; a record given before a crash that took the effect may come again, and
/// one that the application had left pending must.
struct DuplicateChecker: Checker {
    static let name = "nothing-twice"

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .delivered(let record, _):
            guard let facts = ledger[record.id], let life = facts.deliveredLife else { return nil }
            if life == ledger.lives[side] { return "\(record.id) was given twice in one life" }
            if !record.id.lane.traits.isDurable {
                return
                    "\(record.id) was given again after a restart; its lane promises at most once"
            }
            if facts.effects + facts.refusals > 0 {
                return "\(record.id) was given again although the disk held its end"
            }
            return nil
        case .committed(.effect(let id, _, _)):
            guard let facts = ledger[id], facts.effects > 0 else { return nil }
            return "\(id) took effect twice"
        default:
            return nil
        }
    }
}
