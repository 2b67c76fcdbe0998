import WatchProtoCore

/// Bounds: the records under way are those accepted and not settled, each once; and every byte
/// transmitted has a cause (``TransmissionBudget``).
struct BoundsChecker: Checker {
    static let name = "bounds"

    private var budgets = [TransmissionBudget(), TransmissionBudget()]
    /// The sides that are in a session.
    private var isActive = [false, false]

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .accepted(let id, let draft):
            count(draft.payload.count, id.channel, from: side)
        case .event(.activation(let state)):
            isActive[side] = state == .activated
            if isActive[side] { countAgain(for: side, ledger) }
        case .crashed, .event(.linkClosed):
            // The other side may have been in a session that this one answered, and spoke in.
            if isActive == [side == 1, side == 0] { countAgain(for: side, ledger) }
            isActive[side] = false
        case .linkOpened:
            countEarly(for: side, ledger)
        case .outstanding(let ids):
            return surplus(ids, side: side, ledger)
        case .ended(let ending):
            return excess(ending)
        default:
            break
        }
        return nil
    }

    private mutating func count(_ bytes: Int, _ channel: Channel, from side: Int) {
        budgets[side].say(bytes)
        budgets[1 - side].answer()
        if channel.traits.isBulk { budgets[1 - side].answerChunks(bytes) }
    }

    /// A session begins: records that are not over may have to be said, or answered, once more.
    private mutating func countAgain(for side: Int, _ ledger: Ledger) {
        for (slot, facts) in ledger.records.values.enumerated() where facts.knownOutcome == nil {
            let bytes = facts.draft?.payload.count ?? Self.unnamedBytes
            guard facts.sender != side else {
                budgets[side].say(bytes)
                continue
            }
            budgets[side].answer()
            let isBulk = ledger.records.keys[slot].channel.traits.isBulk
            if isBulk { budgets[side].answerChunks(bytes) }
        }
        if ledger.hasForgotten { countHeld(for: side, ledger) }
    }

    /// A disk was emptied or replaced: the session compares the newest values of both sides, and a
    /// side may hand back what it holds of the other's, or be asked for its own.
    private mutating func countHeld(for side: Int, _ ledger: Ledger) {
        var largest = OrderedTable<Ledger.KeyName, Int>()
        for (slot, facts) in ledger.records.values.enumerated() {
            let channel = ledger.records.keys[slot].channel
            guard channel.traits.order == .latestValue else { continue }
            guard let draft = facts.draft, let key = draft.key else {
                budgets[side].say(Self.unnamedBytes)
                continue
            }
            let name = Ledger.KeyName(side: facts.sender, channel: channel, key: key)
            largest.update(name, default: 0) { $0 = max($0, draft.payload.count) }
        }
        for bytes in largest.values { budgets[side].say(bytes) }
    }

    /// A carrier opens: records that are not over may leave behind message 1.
    private mutating func countEarly(for side: Int, _ ledger: Ledger) {
        var bytes = 0
        for (slot, facts) in ledger.records.values.enumerated()
        where facts.knownOutcome == nil && facts.sender == side {
            let payload = facts.draft?.payload.count ?? Self.unnamedBytes
            guard ledger.records.keys[slot].channel.traits.travelsEarly else { continue }
            bytes += payload
            if bytes <= Limits().earlyBytes { budgets[side].sayEarly(payload) }
        }
    }

    /// A value that its peer named by itself has no acceptance of its own.
    private static let unnamedBytes = 100

    private func surplus(_ ids: [RecordID], side: Int, _ ledger: Ledger) -> String? {
        var seen = Set<RecordID>()
        for id in ids {
            if !seen.insert(id).inserted { return "\(id.text) is under way twice" }
            guard let facts = ledger[id] else {
                if id.mayBeUnnamed { continue }
                return "\(id.text) is under way, but was never accepted"
            }
            if facts.outcome != nil, facts.outcomeLife == ledger.lives[side] {
                return "\(id.text) is under way after its outcome"
            }
        }
        return nil
    }

    private func excess(_ ending: Ending) -> String? {
        for (side, end) in ending.sides.enumerated() where !ending.hasTightLimits {
            let limit = budgets[side].limit(ending, side: side)
            guard end.wire.bytes > limit else { continue }
            return "\(WorldNames.side(side)) transmitted \(end.wire.bytes) bytes, of which"
                + " \(limit) have a cause"
        }
        return nil
    }
}
