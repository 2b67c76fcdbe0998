import WatchProto

/// Truthful outcomes: what is reported of a record is so at that moment, on the other disk.
struct TruthChecker: Checker {
    static let name = "truth"

    /// Numbers of interactive records that asked for a reply and got one, by asking side.
    private var answered = [[RecordNumber]](repeating: [], count: 2)

    /// Records that were taken back, or refused, whose end a restored backup took away. Its sender
    /// may hear of it only later.
    private var forgotten = Set<RecordID>()
    /// Those of them that came again in early data since, which only somebody else can have sent:
    /// the counter that refuses it was restored with the rest, and no session has shown that yet.
    private var replayed = Set<RecordID>()
    /// Whether what a side has opened last was early data.
    private var isEarly = [false, false]

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .event(.progress(let id, let stage)):
            guard let facts = ledger[id], !facts.isForgiven else { return nil }
            if stage == .applied { return appliedClaim(id, facts, ledger) }
            guard stage == .committed, id.lane.traits.isDurable, facts.deliveredLife != nil,
                !facts.isOnReceiversDisk, !id.lane.traits.skipsEqual,
                !countsAsSibling(
                    id, facts, ledger, as: { $0.isOnReceiversDisk || $0.isForgiven })
            else { return nil }
            return "\(id) was reported committed, but is not on the other disk"
        case .event(.settled(let id, let outcome)), .answered(let id, .settled(let outcome)):
            guard let facts = ledger[id] else { return nil }
            if outcome == .unknown { return unknownClaim(id, facts) }
            return facts.isForgiven ? nil : claim(outcome, id, facts, ledger)
        case .committed(.effect(let id, _, _)):
            guard let facts = ledger[id], let outcome = facts.outcome, !replayed.contains(id)
            else { return nil }
            return contradicts(outcome) ? "\(id) took effect after it was reported \(outcome)" : nil
        case .restored:
            for (slot, facts) in ledger.records.values.enumerated()
            where facts.sender != side && facts.outcome.map(contradicts) ?? facts.isCancelAsked {
                forgotten.insert(ledger.records.keys[slot])
            }
            return nil
        case .opened, .linkOpened, .crashed:
            isEarly[side] = false
            return nil
        case .openedEarly:
            isEarly[side] = true
            return nil
        case .delivered(let record, _):
            if isEarly[side], forgotten.contains(record.id) { replayed.insert(record.id) }
            return reply(record, side: side, ledger)
        default:
            return nil
        }
    }

    private func claim(
        _ outcome: Outcome, _ id: RecordID, _ facts: RecordFacts, _ ledger: Ledger
    ) -> String? {
        if contradicts(outcome), facts.effects > 0, !replayed.contains(id) {
            return "\(id) was reported \(outcome), but took effect"
        }
        switch outcome {
        case .applied:
            return facts.deliveredLife == nil
                ? siblingClaim(id, facts, ledger) : appliedClaim(id, facts, ledger)
        case .superseded:
            guard !ledger.hasSuccessor(id, facts), !ledger.isMisled(facts.sender) else {
                return nil
            }
            return "\(id) was reported superseded without a newer value of its key"
        case .cancelled:
            return facts.isCancelAsked ? nil : "\(id) was reported cancelled; nobody asked for it"
        case .expired:
            guard let expiry = facts.draft?.expiresAt else {
                return "\(id) was reported expired, but has no expiry"
            }
            guard ledger.latestWallTime < expiry else { return nil }
            return "\(id) was reported expired before its time on either clock"
        case .rejected(let code):
            let isSiblings = countsAsSibling(id, facts, ledger) { sibling in
                sibling.word == .rejected(code: code)
                    && (sibling.refusals > 0 || sibling.isForgiven || !id.lane.traits.isDurable)
            }
            if isSiblings { return nil }
            guard facts.word == .rejected(code: code) else {
                return "\(id) was reported rejected with \(code); the application did not say so"
            }
            guard id.lane.traits.isDurable, facts.refusals == 0 else { return nil }
            return "\(id) was reported rejected before the refusal was durable"
        case .unknown:
            return unknownClaim(id, facts)
        case .outcomeUnknown:
            return id.lane.traits.isDurable ? "\(id) is durable; its outcome must not be lost" : nil
        case .notDelivered:
            return facts.deliveredLife == nil ? nil : "\(id) was reported not delivered, but was"
        }
    }

    /// A receiver forgets how a record ended only once its sender's disk holds that. So it can be
    /// asked in vain by a sender alone that was restored from a backup, and of what it had heard
    /// the end of. Whatever the receiver loses, its sender offers again what is not over, and hears
    /// how that ends.
    private func unknownClaim(_ id: RecordID, _ facts: RecordFacts) -> String? {
        facts.hasLostOutcome || facts.isForgotten
            ? nil : "\(id) was reported unknown, but its sender never lost how it ended"
    }

    /// Whether an effect contradicts the outcome. (Superseded does not: the receipt may be late.)
    private func contradicts(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .cancelled, .expired, .rejected, .notDelivered: true
        default: false
        }
    }

    private func appliedClaim(
        _ id: RecordID, _ facts: RecordFacts, _ ledger: Ledger
    ) -> String? {
        // Never given at all is the loss checker's business. A complication's record may be given
        // and lost again, and count once an equal state is shown: the newest checker's business.
        guard facts.deliveredLife != nil, !id.lane.traits.skipsEqual else { return nil }
        if id.lane.traits.isDurable {
            let isSo =
                facts.effects > 0
                || countsAsSibling(id, facts, ledger, as: { $0.effects > 0 || $0.isForgiven })
            return isSo ? nil : "\(id) was reported applied before its effect was durable"
        }
        return facts.word == .applied ? nil : "\(id) was reported applied; the application did not"
    }

    /// Whether what is said of a record may be so of another one under its idempotency key: where
    /// it was never given itself, or only to a life that ended before the giving was durable. (A
    /// crash may bring one back that was taken back before, and then that one comes first.)
    private func countsAsSibling(
        _ id: RecordID, _ facts: RecordFacts, _ ledger: Ledger, as isSo: (RecordFacts) -> Bool
    ) -> Bool {
        guard !facts.isOnReceiversDisk, facts.deliveredLife != ledger.lives[1 - facts.sender]
        else { return false }
        return ledger.siblings(of: id, facts).contains(where: isSo)
    }

    /// A record that was answered as an earlier one under its idempotency key: that one's effect is
    /// durable.
    private func siblingClaim(
        _ id: RecordID, _ facts: RecordFacts, _ ledger: Ledger
    ) -> String? {
        let siblings = ledger.siblings(of: id, facts)
        guard id.lane.traits.isDurable, siblings.contains(where: { $0.deliveredLife != nil }),
            !siblings.contains(where: { $0.effects > 0 || $0.isForgiven })
        else { return nil }
        return "\(id) was reported applied before the effect of its idempotency key was durable"
    }

    private mutating func reply(
        _ record: InboundRecord, side: Int, _ ledger: Ledger
    ) -> String? {
        guard let number = record.inReplyTo else { return nil }
        var isAsked = false
        for (slot, facts) in ledger.records.values.enumerated()
        where facts.sender == side && facts.draft?.expectsReply == true {
            if ledger.records.keys[slot].number == number { isAsked = true }
        }
        guard isAsked else { return "\(record.id) answers \(number), which asked for no reply" }
        return nil
    }
}
