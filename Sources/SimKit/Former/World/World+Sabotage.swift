import WatchProto
import WatchProtoRecords

/// Where planted mistakes are made: between the peer and what the checkers see.
extension World {
    /// Whether `mistake` is to be made now; each is made once.
    func plants(_ mistake: Sabotage) -> Bool {
        guard sabotage.contains(mistake), !planted.contains(mistake) else { return false }
        planted.append(mistake)
        return true
    }

    /// The moment from which a peer hangs or spins.
    var sabotageAt: Instant { Instant(nanoseconds: 1_000_000_000) }

    /// Whether nothing reaches the peer of `node` any more.
    func isHanging(_ node: Node<Security>) -> Bool {
        sabotage.contains(.hang) && node.side == 1 && now >= sabotageAt
    }

    /// Hands out the receipt of a batch that is not durable for another two seconds.
    func lies(about batch: VirtualDisk.Batch?, on node: Node<Security>) -> Bool {
        guard node.side == 1, let batch else { return false }
        let hasEffect = batch.writes.contains { if case .effect = $0 { true } else { false } }
        guard hasEffect, plants(.lieAboutReceipt) else { return false }
        liedReceipt = batch.receipt
        events.add(
            .commit(side: node.side, disk: node.disk.generation),
            at: now.advanced(by: .seconds(2)))
        handOver(batch.receipt, to: node)
        return true
    }

    /// Shows the application what it is to see instead of `record`; nil when it is shown as it is.
    func sabotagedDelivery(_ record: InboundRecord, to node: Node<Security>) -> Disposition? {
        guard !sabotage.isEmpty, record.id.lane.traits.isDurable else { return nil }
        let isOrdered = record.id.lane.traits.order == .ordered
        if isOrdered, plants(.swallowDelivery) { return .applied }
        if isOrdered, plants(.deliverTwice) {
            let first = show(record, to: node)
            _ = show(record, to: node)
            return first
        }
        if isOrdered, !record.payload.isEmpty, plants(.alterByte) {
            var altered = record
            altered.payload[altered.payload.count / 2] ^= 0x20
            return show(altered, to: node)
        }
        if isOrdered, let held = node.heldBack, held.id.lane == record.id.lane {
            node.heldBack = nil
            let disposition = show(record, to: node)
            _ = show(held, to: node)
            return disposition
        }
        // The first stays in place, so that a neighbour follows in the same moment.
        if isOrdered, record.id.number.rawValue > 1, plants(.swapDeliveries) {
            node.heldBack = record
            return .applied
        }
        return sabotagedValue(record, to: node)
    }

    /// What the application shows of a value it takes over, as a fingerprint.
    func sabotagedEffect(of record: InboundRecord, on node: Node<Security>) -> UInt64 {
        let value = Payloads.fingerprint(record.kind, record.payload)
        guard sabotage.contains(.keepRemoved) || canary == .removalSwallowed,
            let key = record.key
        else { return value }
        let former = node.shownValues.last { $0.key == key }
        node.shownValues.append(record)
        guard record.kind.isRemoval, let former, !former.kind.isRemoval,
            canary != nil || plants(.keepRemoved)
        else { return value }
        return Payloads.fingerprint(former.kind, former.payload)
    }

    /// The value as it comes of a delta to the last but one, where one was sent.
    func withWrongBase(_ record: InboundRecord, on node: Node<Security>) -> InboundRecord {
        guard sabotage.contains(.wrongBase) || canary == .wrongBase, let key = record.key else {
            return record
        }
        let former = node.shownValues.filter { $0.key == key && $0.kind == record.kind }.suffix(2)
        node.shownValues.append(record)
        guard former.count == 2, let base = former.last, let older = former.first,
            let delta = RecordDelta.make(
                kind: record.kind, base: base.payload, next: record.payload),
            let wrong = try? RecordDelta.apply(
                kind: record.kind, delta: delta.span, to: older.payload),
            wrong != record.payload, canary != nil || plants(.wrongBase)
        else { return record }
        var altered = record
        altered.payload = wrong
        return altered
    }

    /// The third value of a complication is replaced by its first: nothing but its age is wrong.
    private func sabotagedValue(
        _ record: InboundRecord, to node: Node<Security>
    ) -> Disposition? {
        guard record.id.lane == .complication, sabotage.contains(.showOlderValue) else {
            return nil
        }
        node.shownValues.append(record)
        let values = node.shownValues.filter { $0.key == record.key }
        guard values.count == 3, plants(.showOlderValue) else { return nil }
        var older = record
        older.payload = values[0].payload
        return show(older, to: node)
    }

    /// The draft that reaches the peer instead of `draft`.
    func sabotagedDraft(_ draft: RecordDraft, on node: Node<Security>) -> RecordDraft {
        if draft.waitsForCommit, canary == .sendBeforeCommit || plants(.hurryDraft) {
            var hasty = draft
            hasty.waitsForCommit = false
            return hasty
        }
        let isRepeated = node.intents.contains {
            $0.draft.idempotencyKey == draft.idempotencyKey && !$0.ids.isEmpty
        }
        guard draft.idempotencyKey != nil, isRepeated, plants(.dropKey) else { return draft }
        var bare = draft
        bare.idempotencyKey = nil
        return bare
    }

    /// A packet that was sealed, or opened, counts as another one.
    func sabotagedSealing(_ sight: Sight, on node: Node<Security>) {
        switch sight {
        case .sealed where plants(.sealAgain), .opened where plants(.openAgain):
            show(sight, side: node.side)
        case .sealed where plants(.sendReadable):
            show(.readable, side: node.side)
        default: break
        }
    }

    /// Reports that a peer never made.
    func sabotagedReports(after event: PeerEvent, on node: Node<Security>) {
        if case .progress(let id, _) = event, id.lane.traits.isDurable, plants(.repeatStage) {
            show(.event(event), side: node.side)
        }
        if case .settled(let id, .applied) = event, id.lane.traits.isDurable, plants(.hoard) {
            show(.outstanding([id]), side: node.side)
        }
        if case .settled(let id, .applied) = event, let older = panel.valueBefore(id),
            let key = older.key, plants(.handOlderBack)
        {
            show(
                .event(.handedBack(older.lane, key, older.kind, payload: older.payload)),
                side: node.side)
        }
        // The very last record: the failure is told of a journal that goes on.
        if case .progress(let id, .queued) = event, id.lane == .background, pendingActs == 0,
            plants(.acceptAfterFailure)
        {
            show(.event(.journalFailed), side: node.side)
        }
    }
}
