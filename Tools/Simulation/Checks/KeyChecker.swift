import WatchProtoCore

/// Once per key: records under one idempotency key, however many and in whichever epoch, take
/// effect once in each history of the receiver; and one joins only a record that is not over.
struct KeyChecker: Checker {
    static let name = "once-per-key"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .committed(.effect(let id, _, _)):
            guard let facts = ledger[id], let act = ledger.actName(of: id, facts),
                let first = ledger.disks[side].acts[act], first != id
            else { return nil }
            return "\(id.text) took effect, as \(first.text) under its idempotency key has"
        case .acceptedAgain(let id, let draft):
            guard let facts = ledger[id], let first = facts.draft, facts.sender == side else {
                return "\(id.text) was joined, but was never accepted"
            }
            guard first.idempotencyKey == draft.idempotencyKey, id.channel == draft.channel
            else { return "\(id.text) was joined under another key than its own" }
            guard facts.outcome != nil, facts.outcomeLife == ledger.lives[side]
            else { return nil }
            return "\(id.text) was joined after its outcome"
        default:
            return nil
        }
    }
}
