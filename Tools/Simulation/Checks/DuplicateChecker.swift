import WatchProtoCore

/// Nothing twice: the effect of a record counts once in each history of the receiver. An effect
/// counts when its transaction is durable; a record given before a crash that took the effect may
/// come again, and one that the application had left pending must.
struct DuplicateChecker: Checker {
    static let name = "nothing-twice"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .delivered(let record, _):
            guard let facts = ledger[record.id], let life = facts.deliveredLife else { return nil }
            if life == ledger.lives[side] { return "\(record.id.text) was given twice in one life" }
            if !record.id.channel.traits.isDurable {
                return "\(record.id.text) was delivered again after a restart;"
                    + " its channel promises at most once"
            }
            let disk = ledger.disks[side]
            if disk.effects.contains(record.id) || disk.refusals[record.id] != nil {
                return "\(record.id.text) was delivered again although the disk held its end"
            }
            return nil
        case .committed(.effect(let id, _, _)):
            return ledger.disks[side].effects.contains(id)
                ? "\(id.text) took effect twice" : nil
        default:
            return nil
        }
    }
}
