import WatchProtoCore

/// Truthful outcomes: a report on a record is true at that moment, on the other disk.
struct StatusChecker: Checker {
    static let name = "status"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .event(.progress(let id, let stage)):
            guard let facts = ledger[id], facts.draft != nil else { return nil }
            if stage == .applied { return appliedClaim(id, facts, ledger) }
            guard stage == .committed, id.channel.traits.isDurable, facts.deliveredLife != nil,
                !facts.wasTaken, !ledger.isComparable(id),
                !hasSibling(id, facts, ledger, { $0.wasTaken })
            else { return nil }
            return "\(id.text) was reported committed, but is not on the other disk"
        case .event(.settled(let id, let outcome)), .answered(let id, .settled(let outcome)):
            guard let facts = ledger[id], facts.draft != nil else { return nil }
            return claim(outcome, id, facts, ledger)
        case .answered(let id, .lostSince):
            guard let facts = ledger[id], !facts.receiverWentBack else { return nil }
            return "\(id.text) is said to be lost, but the other disk never went back since"
        case .committed(.effect(let id, _, _)):
            guard let facts = ledger[id], let outcome = facts.outcome, !facts.receiverWentBack,
                !hasTwoSenders(facts, ledger)
            else { return nil }
            return contradicts(outcome)
                ? "\(id.text) took effect after it was reported \(outcome)" : nil
        case .delivered(let record, _):
            return reply(record, side: side, ledger)
        default:
            return nil
        }
    }

    private func hasSibling(
        _ id: RecordID, _ facts: RecordFacts, _ ledger: Ledger, _ isSo: (RecordFacts) -> Bool
    ) -> Bool {
        ledger.siblings(of: id, facts).contains { ledger[$0].map(isSo) ?? false }
    }

    private func claim(
        _ outcome: Outcome, _ id: RecordID, _ facts: RecordFacts, _ ledger: Ledger
    ) -> String? {
        let receiver = ledger.disks[1 - facts.sender]
        if contradicts(outcome), receiver.effects.contains(id), !facts.receiverWentBack,
            !hasTwoSenders(facts, ledger)
        {
            return "\(id.text) was reported \(outcome), but took effect"
        }
        switch outcome {
        case .applied:
            return appliedClaim(id, facts, ledger)
        case .superseded:
            return ledger.hasSuccessor(id, facts)
                ? nil : "\(id.text) was reported superseded without a newer value of its key"
        case .cancelled:
            return facts.isCancelAsked
                ? nil : "\(id.text) was reported cancelled; nobody asked for it"
        case .expired:
            return expiryClaim(id, facts, ledger)
        case .rejected(let code):
            return rejectionClaim(code, id, facts, ledger)
        case .unknown:
            return facts.senderWentBack
                ? nil : "\(id.text) was reported unknown, but its sender never lost how it ended"
        case .outcomeUnknown:
            return id.channel.traits.isDurable
                ? "\(id.text) is durable; its outcome must not be lost" : nil
        case .notDelivered:
            return facts.deliveredLife == nil
                ? nil : "\(id.text) was reported not delivered, but was"
        }
    }

    private func expiryClaim(
        _ id: RecordID, _ facts: RecordFacts, _ ledger: Ledger
    ) -> String? {
        guard let expiry = facts.draft?.expiresAt else {
            return "\(id.text) was reported expired, but has no expiry"
        }
        return ledger.latestWallTime < expiry
            ? "\(id.text) was reported expired before its time on either clock" : nil
    }

    private func rejectionClaim(
        _ code: UInt16, _ id: RecordID, _ facts: RecordFacts, _ ledger: Ledger
    ) -> String? {
        if ledger.isComparable(id) { return nil }
        let isSo = { (facts: RecordFacts) in
            id.channel.traits.isDurable
                ? facts.refusal == code : facts.word == .rejected(code: code)
        }
        if isSo(facts) || hasSibling(id, facts, ledger, isSo) { return nil }
        return facts.word == .rejected(code: code)
            ? "\(id.text) was reported rejected before the refusal was durable"
            : "\(id.text) was reported rejected with \(code); the application did not say so"
    }

    /// Whether a copy of the sender acted and the sender came back: each of the two knows the
    /// outcome of the record by its own acts.
    private func hasTwoSenders(_ facts: RecordFacts, _ ledger: Ledger) -> Bool {
        ledger.timesExchanged[facts.sender] > 1
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
        // Never delivered at all is the loss checker's business.
        if ledger.isComparable(id) { return nil }
        guard id.channel.traits.isDurable else {
            guard facts.deliveredLife != nil else { return nil }
            return facts.word == .applied
                ? nil : "\(id.text) was reported applied; the application did not"
        }
        return ledger.tookEffect(id, facts)
            ? nil : "\(id.text) was reported applied before its effect was durable"
    }

    private func reply(_ record: InboundRecord, side: Int, _ ledger: Ledger) -> String? {
        guard let number = record.inReplyTo else { return nil }
        for (slot, facts) in ledger.records.values.enumerated()
        where facts.sender == side && facts.draft?.expectsReply == true {
            if ledger.records.keys[slot].number == number { return nil }
        }
        return "\(record.id.text) answers \(number.rawValue), which asked for no reply"
    }
}
