package import WatchProtoCore

/// For callers that follow a record from the very start. `accepted` is called under the driver's
/// lock before anything can come of the record: keep it short and call nothing of the session.
extension DriverSession {
    /// Accepts any draft, and gives its identity to `accepted` before the first event about it.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    package func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite] = [],
        accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID {
        try driver.send(draft, writes: writes, accepted: accepted)
    }

    /// Shows a new state in the complication, and gives its identity to `accepted` before the first
    /// event about it.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    package func updateComplication(
        _ key: RecordKey, _ state: [UInt8], writes: [any StoreWrite] = [],
        accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID {
        try driver.send(.complication(key, state), writes: writes, accepted: accepted)
    }

    /// Synchronizes a set, and gives what is to be sent to `accepted` before the first event about
    /// it.
    ///
    /// - Throws: `SendRefusal`; what was accepted before it stays accepted.
    @discardableResult
    package func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite] = [], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult {
        try driver.synchronize(
            channel, values, kinds: kinds, removalKind: removalKind, writes: writes,
            accepted: accepted)
    }

    /// Cuts the open link under the peer, as a radio that goes out of range and stays there: none
    /// is wanted until ``activate()``. For tests and demonstrations.
    ///
    /// - Returns: false where none was open.
    @discardableResult
    package func cutLinkAndRest() -> Bool { driver.cutLinkAndRest() }
}

extension PeerDriver {
    /// In one step: between a cut and a deactivation the link could be open again.
    func cutLinkAndRest() -> Bool {
        loop.input { state, now in
            guard state.phase != .stopping else { return false }
            state.phase = .resting
            let wasOpen = state.host.carrier != nil
            if wasOpen { state.loseLink(.cutLocally, at: now) }
            state.peer.deactivate(.normal, at: now)
            return wasOpen
        }
    }

    func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite] = [], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult {
        try loop.input { state, now throws(SendRefusal) in
            guard state.phase != .stopping else { throw .notReachable }
            let result = try state.peer.synchronize(
                channel, values, kinds: kinds, removalKind: removalKind, at: now)
            state.host.deferred.writes += writes
            accepted(result, now)
            return result
        }
    }
}
