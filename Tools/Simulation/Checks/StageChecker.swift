import WatchProtoCore

/// Stages: within a process of the sender they ascend, and nothing follows an outcome. After a
/// restart a stage or an outcome may be told again, but not another outcome.
struct StageChecker: Checker {
    static let name = "stages"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .event(.progress(let id, let stage)):
            guard let facts = ledger[id] else {
                return id.mayBeUnnamed ? nil : "\(id.text) made progress, but was never accepted"
            }
            guard facts.sender == side else { return "\(id.text) is not a record of this side" }
            // An adopted value has no acceptance, and its name may stand for several.
            if facts.draft == nil || isSentAnew(id, facts) { return nil }
            if facts.outcome != nil, facts.outcomeLife == ledger.lives[side] {
                return "\(id.text) came to \(stage) after its outcome"
            }
            if let last = facts.stage, stage <= last {
                return "\(id.text) came to \(stage) after \(last)"
            }
        case .event(.settled(let id, let outcome)):
            guard let facts = ledger[id] else {
                return id.mayBeUnnamed ? nil : "\(id.text) was settled, but never accepted"
            }
            guard facts.sender == side else { return "\(id.text) is not a record of this side" }
            if isSentAnew(id, facts) { return nil }
            if facts.outcome != nil, facts.outcomeLife == ledger.lives[side] {
                return "\(id.text) was settled twice"
            }
            if let known = facts.knownOutcome, known != outcome, !facts.anyWentBack {
                return "\(id.text) was settled as \(known), later as \(outcome)"
            }
        default:
            break
        }
        return nil
    }

    /// A value leaves again, under its own name, where its receiver has lost it.
    private func isSentAnew(_ id: RecordID, _ facts: RecordFacts) -> Bool {
        id.channel.traits.order == .latestValue && facts.receiverWentBack
    }
}
