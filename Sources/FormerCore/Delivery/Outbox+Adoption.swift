/// Values that the counterpart holds although this side did not bring them there in its memory.
extension Outbox {
    /// The counterpart holds some value of these keys, this side does not know which.
    mutating func adoptUnknown(
        _ lane: Lane, keys: [RecordKey]
    ) {
        let index = Int(lane.rawValue)
        let id = RecordID(
            epoch: epochs[epochs.count - 1].id, lane: lane, number: RecordNumber(0))
        for key in keys where lanes[index].keys[key] == nil {
            // Whatever is wanted for the key differs from it.
            lanes[index].keys[key] = OutboundLane.KeyState(
                newestID: id, newestKind: .notKnown, newestPayload: [])
        }
    }

    /// Takes values as held by the counterpart, which said that it holds this very set. The journal
    /// keeps them: should the counterpart lose them, they are sent again, also after a restart.
    mutating func adopt(_ lane: Lane, _ values: [SyncValue]) {
        let index = Int(lane.rawValue)
        let id = RecordID(
            epoch: epochs[epochs.count - 1].id, lane: lane, number: RecordNumber(0))
        lanes[index].setBytes = nil
        if !values.isEmpty { openEpoch() }
        for value in values {
            entries.append(
                .adopted(
                    JournalImage.OwnValue(
                        lane: lane, key: value.key, id: id, kind: value.kind,
                        payload: value.payload)))
            if let former = lanes[index].keys[value.key]?.held {
                lanes[index].heldDigest.remove(value.key, former.kind, former.payload)
            }
            // What was accepted for the key meanwhile stays its newest value.
            lanes[index].keys.update(
                value.key,
                default: OutboundLane.KeyState(
                    newestID: id, newestKind: value.kind, newestPayload: value.payload)
            ) { state in
                state.held = OutboundLane.Held(
                    id: id, kind: value.kind, payload: value.payload)
            }
            lanes[index].heldDigest.insert(value.key, value.kind, value.payload)
        }
    }
}
