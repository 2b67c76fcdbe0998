/// Whether many values can be accepted together: a set is taken whole or not at all.
extension Outbox {
    /// The drafts in an order in which room for all of them is room for each: what makes room comes
    /// first.
    func inOrderOfGrowth(_ drafts: [RecordDraft], _ lane: Lane) -> [RecordDraft] {
        let growing = drafts.filter { growth(of: $0, lane) > 0 }
        return drafts.filter { $0.kind.removesKey }
            + drafts.filter { !$0.kind.removesKey && growth(of: $0, lane) <= 0 } + growing
    }

    /// Why these cannot all be accepted; nil when they can.
    func refusal(of drafts: [RecordDraft], _ lane: Lane) -> SendRefusal? {
        let state = lanes[Int(lane.rawValue)]
        let bytes = drafts.reduce(0) { $0 + $1.payload.count }
        guard state.queuedRecords + drafts.count <= limits.queuedRecords,
            state.queuedBytes + bytes <= limits.queuedBytes
        else { return .queueFull(records: state.queuedRecords) }
        let fresh = drafts.count { draft in draft.key.map { state.keys[$0] == nil } ?? false }
        if state.keys.count + fresh > limits.keys {
            let idle = state.keys.values.count { $0.isRemoved }
            guard state.keys.count + fresh - idle <= limits.keys else {
                return .tooManyKeys(limit: limits.keys)
            }
        }
        let changes = drafts.map { growth(of: $0, lane) }
        guard changes.contains(where: { $0 > 0 }) else { return nil }
        let total = state.keys.values.reduce(0) { $0 + $1.setBytes } + changes.reduce(0, +)
        return total > state.traits.setByteLimit
            ? .setTooLarge(limit: state.traits.setByteLimit) : nil
    }

    /// How many bytes more the lane's values take with a draft.
    private func growth(of draft: RecordDraft, _ lane: Lane) -> Int {
        guard let key = draft.key else { return 0 }
        let former = lanes[Int(lane.rawValue)].keys[key]?.setBytes ?? 0
        return (draft.kind.removesKey ? 0 : Lane.keyBytes + draft.payload.count) - former
    }
}
