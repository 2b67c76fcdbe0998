/// What can be asked about this side's records.
extension Outbox {
    /// The record under way that has the idempotency key of `draft`, and so stands for it.
    func underWay(_ draft: RecordDraft) -> RecordID? {
        draft.idempotencyKey.flatMap {
            namedRecords[IdempotencyName(lane: draft.lane, key: $0)]
        }
    }

    /// Where a record stands in this session's frames, if its epoch is still kept.
    func address(of id: RecordID) -> RecordAddress? {
        guard let index = epochs.firstIndex(where: { $0.id == id.epoch }) else { return nil }
        return RecordAddress(epochIndex: index, number: id.number.rawValue)
    }

    /// What is known of a record.
    func status(of id: RecordID) -> RecordStatus {
        if let address = address(of: id),
            let item = lanes[Int(id.lane.rawValue)].segments[address.epochIndex][address.number]
        {
            return .underWay(item.stage)
        }
        if let stage = settling[id] { return .underWay(stage) }
        if let outcome = outcomes[id] { return .settled(outcome) }
        return .unknown
    }

    /// Records accepted and not settled, lane by lane, oldest first.
    var outstanding: [RecordID] {
        var ids: [RecordID] = []
        for lane in lanes {
            for segment in lane.segments {
                var segment = segment
                segment.modifyAll { _, item in ids.append(item.record.id) }
            }
        }
        return ids
    }

    /// Whether every value of a lane was confirmed.
    func isSettled(_ lane: Lane) -> Bool {
        lanes[Int(lane.rawValue)].queuedRecords == 0
    }

    /// Whether some record waits or is under way.
    var hasQueued: Bool { lanes.contains { $0.queuedRecords > 0 } }

    /// Whether something was offered in this session and no receipt has come for it.
    var isAwaitingReceipt: Bool {
        lanes.contains {
            $0.inFlight > 0 || !$0.sentWithdrawals.isEmpty || !$0.arrivedBefore.isEmpty
        }
    }
}
