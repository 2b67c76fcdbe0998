/// What came of synchronizing a whole set.
public enum SyncResult: Hashable, Sendable {
    /// The counterpart holds this very set: nothing is sent.
    case notModified
    /// Records accepted for delivery: values new or changed, and removals.
    case queued([RecordID])
}

/// Compares a whole set of values with what the counterpart holds or is being sent.
struct SetSync: Sendable {
    /// What has to be sent so that the counterpart holds `values`: nothing for what it has or is
    /// being sent already, and a removal for each key that is not among them.
    static func drafts(
        lane: Lane, values: [SyncValue], removalKind: ContentKind,
        newest: (RecordKey) -> (kind: ContentKind, payload: [UInt8])?, keys: [RecordKey]
    ) -> [RecordDraft] {
        var drafts: [RecordDraft] = []
        var wanted = OrderedTable<RecordKey, Bool>()
        for value in values {
            wanted[value.key] = true
            if let known = newest(value.key), known.kind == value.kind,
                known.payload == value.payload
            {
                continue
            }
            drafts.append(
                RecordDraft(lane: lane, kind: value.kind, key: value.key, payload: value.payload))
        }
        for key in keys where wanted[key] == nil {
            if let known = newest(key), known.kind != removalKind {
                drafts.append(RecordDraft(lane: lane, kind: removalKind, key: key, payload: []))
            }
        }
        return drafts
    }

    /// The fingerprint of a set.
    static func digest(_ values: [SyncValue]) -> SetDigest {
        var digest = SetDigest()
        for value in values { digest.insert(value.key, value.kind, value.payload) }
        return digest
    }
}
