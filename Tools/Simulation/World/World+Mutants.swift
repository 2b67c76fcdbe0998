import WatchProtoCore
import WatchProtoRecords

/// Plants the mutants of the application and its library: they err between the peer and the
/// application.
extension World {
    /// Whether a mutant errs now; it errs once in a run.
    private func errs(_ kind: EnvironmentMutant) -> Bool {
        guard mutant == kind, !hasErred else { return false }
        hasErred = true
        return true
    }

    /// Carries out a delivery of the peer of `node`.
    func deliver(_ record: InboundRecord, to node: Node) -> Disposition {
        guard case .environment(let kind)? = mutant, record.id.channel.traits.isDurable else {
            return show(record, to: node)
        }
        let isOrdered = record.id.channel.traits.order == .ordered
        if let held = node.delayedRecord, isOrdered, held.id.channel == record.id.channel {
            node.delayedRecord = nil
            let disposition = show(record, to: node)
            _ = show(held, to: node)
            return disposition
        }
        var payload = record.payload
        switch kind {
        case .swallowDelivery where isOrdered && errs(kind):
            return .applied
        case .deliverTwice where isOrdered && errs(kind):
            _ = show(record, to: node)
        case .alterByte where isOrdered && !record.payload.isEmpty && errs(kind):
            payload[payload.count / 2] ^= 0x20
        // The first record stays in place, so that a neighbour follows in the same moment.
        case .swapDeliveries where isOrdered && record.id.number.rawValue > 1 && errs(kind):
            node.delayedRecord = record
            return .applied
        case .showOlderValue where record.id.channel == .complication:
            node.shownValues.append(record)
            let values = node.shownValues.filter { $0.key == record.key }
            if values.count >= 3, values[0].payload != record.payload, errs(kind) {
                payload = values[0].payload
            }
        default: break
        }
        guard payload != record.payload else { return show(record, to: node) }
        let altered = InboundRecord(
            id: record.id, kind: record.kind, key: record.key, payload: payload,
            expectsReply: record.expectsReply, inReplyTo: record.inReplyTo,
            expiresAt: record.expiresAt, idempotencyKey: record.idempotencyKey)
        return show(altered, to: node)
    }

    /// The value that the application shows of a record, as a fingerprint.
    func mutatedEffect(of record: InboundRecord, on node: Node) -> UInt64 {
        let value = Payloads.fingerprint(record.kind, record.payload)
        guard mutant == .swallowRemoval, let key = record.key else { return value }
        let former = node.shownValues.last { $0.key == key && !$0.kind.isRemoval }
        node.shownValues.append(record)
        guard record.kind.isRemoval, let former else { return value }
        return Payloads.fingerprint(former.kind, former.payload)
    }

    /// The draft that reaches the peer instead of `draft`.
    func mutated(_ draft: RecordDraft, on node: Node) -> RecordDraft {
        var altered = draft
        if mutant == .sendBeforeCommit { altered.waitsForCommit = false }
        if mutant == .dropKey, draft.idempotencyKey != nil,
            node.intents.contains(where: {
                $0.draft.idempotencyKey == draft.idempotencyKey && !$0.ids.isEmpty
            })
        {
            altered.idempotencyKey = nil
        }
        return altered
    }

    /// Shows the checkers what the peer of `node` reports.
    func showReport(_ event: PeerEvent, from node: Node) {
        if case .overdue = event, mutant == .muteAlarm { return }
        show(.event(event), side: node.side)
        guard case .environment(let kind)? = mutant else { return }
        switch (kind, event) {
        case (.repeatStage, .progress(let id, _)) where id.channel.traits.isDurable:
            show(.event(event), side: node.side)
        case (.appliedTooSoon, .progress(let id, .committed)):
            show(.event(.progress(id, .applied)), side: node.side)
        case (.acceptAfterFailure, .progress(let id, .queued))
        where id.channel == .background && pendingActs == 0:
            // The very last record: the failure is told of a journal that goes on.
            show(.event(.journalFailed), side: node.side)
        case (.blameCounterpart, .activation(.activated)):
            show(.event(.counterpartChanged(.wentBack)), side: node.side)
        default: break
        }
    }
}
