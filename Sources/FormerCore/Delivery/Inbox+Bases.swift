/// Keys that are named by their handles, and values that come as deltas to a base.
extension Inbox {
    /// The key that a record names, or its handle stands for; nil where the handle is not known.
    mutating func resolve(
        _ index: Int, _ handle: UInt64, _ key: RecordKey?
    ) throws(WireError) -> RecordKey? {
        let slot = Int(handle)
        guard slot < limits.handles else {
            throw WireError(.outOfRange, at: 0, expected: "handle", found: handle)
        }
        if let key {
            while lanes[index].handles.count <= slot { lanes[index].handles.append(nil) }
            if let former = lanes[index].handles[slot], former != key {
                throw WireError(
                    .notCanonical, at: 0, expected: "the key this handle stands for", found: handle)
            }
            lanes[index].handles[slot] = key
            return key
        }
        return slot < lanes[index].handles.count ? lanes[index].handles[slot] : nil
    }

    /// The bytes the sender charged for a record, if its value can be known.
    func payloadBytes(_ index: Int, _ key: RecordKey?, _ frame: RecordFrame) -> Int? {
        (try? payload(index, key, frame))?.count
    }

    /// The value of a record; nil when its base is not held.
    func payload(
        _ index: Int, _ key: RecordKey?, _ frame: RecordFrame
    ) throws(WireError) -> [UInt8]? {
        guard case .delta(let low, let fingerprint) = frame.head.form else { return frame.body }
        guard let key, let state = lanes[index].keys[key] else { return nil }
        for candidate in [state.base, state.marked, state.newest] {
            guard let candidate, UInt8(truncatingIfNeeded: candidate.number) == low,
                UInt16(truncatingIfNeeded: ContentHash.of(candidate.payload)) == fingerprint
            else { continue }
            let kind = frame.head.kind
            guard
                let next = kinds.applyDelta(kind, frame.body.span, to: candidate.payload.span)
            else {
                let hasDeltas = kinds.hasDeltas(kind)
                throw WireError(
                    hasDeltas ? .notCanonical : .unknownCode, at: 0,
                    expected: hasDeltas ? "a delta to this base" : "a kind that has deltas",
                    found: UInt64(hasDeltas ? frame.body.count : Int(kind.rawValue)))
            }
            return next
        }
        return nil
    }
}
