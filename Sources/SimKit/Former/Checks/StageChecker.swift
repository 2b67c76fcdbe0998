import WatchProto

/// Stages: within a life of the sender they ascend, and nothing follows an outcome. After a restart
/// a stage or an outcome may be told again, but not another outcome.
struct StageChecker: Checker {
    static let name = "stages"

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .event(.progress(let id, let stage)):
            guard let facts = ledger[id] else {
                return id.mayBeUnnamed ? nil : "\(id) made progress, but was never accepted"
            }
            guard facts.sender == side else { return "\(id) is not a record of this side" }
            if facts.outcome != nil, facts.outcomeLife == ledger.lives[side] {
                return "\(id) came to \(stage) after its outcome \(facts.outcome!)"
            }
            if let last = facts.stage, stage <= last {
                return "\(id) came to \(stage) after \(last)"
            }
        case .event(.settled(let id, let outcome)):
            guard let facts = ledger[id] else {
                return id.mayBeUnnamed ? nil : "\(id) was settled, but never accepted"
            }
            guard facts.sender == side else { return "\(id) is not a record of this side" }
            if let last = facts.outcome {
                if facts.outcomeLife == ledger.lives[side] { return "\(id) was settled twice" }
                if last != outcome { return "\(id) was settled as \(last), later as \(outcome)" }
            }
            if let answer = facts.answer, answer != outcome {
                return "\(id) was answered as \(answer), later settled as \(outcome)"
            }
        default:
            break
        }
        return nil
    }
}
