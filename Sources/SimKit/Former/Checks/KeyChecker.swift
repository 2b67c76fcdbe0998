import WatchProto

/// Once per key: what was accepted under one idempotency key, however often and in whichever epoch,
/// takes effect once; and it joins only a record under that key that is not over.
struct KeyChecker: Checker {
    static let name = "once-per-key"

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .committed(.effect(let id, _, _)):
            guard let facts = ledger[id],
                ledger.siblings(of: id, facts).contains(where: { $0.effects > 0 })
            else { return nil }
            return "\(id) took effect, as another record under its idempotency key has"
        case .acceptedAgain(let id, let draft):
            guard let facts = ledger[id], let first = facts.draft else {
                return "\(id) was joined, but was never accepted"
            }
            guard first.idempotencyKey == draft.idempotencyKey, id.lane == draft.lane,
                facts.sender == side
            else { return "\(id) was joined under another idempotency key than its own" }
            guard facts.outcome == nil || facts.outcomeLife != ledger.lives[side] else {
                return "\(id) was joined after its outcome"
            }
            return nil
        default:
            return nil
        }
    }
}
