public import WatchProto

/// For callers that follow a record from the very start. `accepted` is called under the driver's
/// lock before anything can come of the record: keep it short and call nothing of the session.
extension CompanionSession {
    /// Accepts any draft, and gives its identity to `accepted` before the first event about it.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    public func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite] = [],
        accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID {
        try driver.send(draft, writes: writes, accepted: accepted)
    }

    /// Shows a new state in the complication, and gives what was decided to `decided` before the
    /// first event about it.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    public func updateComplication(
        _ key: RecordKey, _ state: [UInt8], writes: [any StoreWrite] = [],
        decided: (ComplicationUpdate, Instant) -> Void
    ) throws(SendRefusal) -> ComplicationUpdate {
        try driver.updateComplication(key, state, writes: writes, decided: decided)
    }

    /// Synchronizes a set, and gives what is to be sent to `accepted` before the first event about
    /// it.
    ///
    /// - Throws: `SendRefusal`; what was accepted before it stays accepted.
    @discardableResult
    public func synchronize(
        _ lane: Lane, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite] = [], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult {
        try driver.synchronize(
            lane, values, kinds: kinds, removalKind: removalKind, writes: writes,
            accepted: accepted)
    }

    /// Cuts the open link under the peer, as a radio that goes out of range and stays there: none
    /// is wanted until ``activate()``. For tests and demonstrations.
    public func cutLinkAndRest() { driver.cutLinkAndRest() }
}

extension PeerDriver {
    /// In one step: between a cut and a deactivation the link could be open again.
    func cutLinkAndRest() {
        loop.input { state, now in
            state.phase = .resting
            if state.host.carrier != nil { state.loseLink(.cutLocally, at: now) }
            state.peer.deactivate(.normal, at: now)
        }
    }

    func updateComplication(
        _ key: RecordKey, _ payload: [UInt8], writes: [any StoreWrite] = [],
        decided: (ComplicationUpdate, Instant) -> Void
    ) throws(SendRefusal) -> ComplicationUpdate {
        try loop.input { state, now throws(SendRefusal) in
            guard state.phase != .stopping else { throw .notReachable }
            let update = try state.peer.updateComplication(key, payload, at: now)
            state.host.deferred.writes += writes
            decided(update, now)
            return update
        }
    }

    func synchronize(
        _ lane: Lane, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite] = [], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult {
        try loop.input { state, now throws(SendRefusal) in
            guard state.phase != .stopping else { throw .notReachable }
            let result = try state.peer.synchronize(
                lane, values, kinds: kinds, removalKind: removalKind, at: now)
            state.host.deferred.writes += writes
            accepted(result, now)
            return result
        }
    }
}
