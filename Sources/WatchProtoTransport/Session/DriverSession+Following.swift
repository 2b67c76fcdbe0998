package import WatchProtoCore

/// Sends for callers that follow a record from the start. `accepted` is called under the driver's
/// lock before any event about the record. Keep it short, and call nothing of the session there.
extension DriverSession {
    /// Accepts any draft, and passes its identity to `accepted` before the first event about it.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    package func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite] = [],
        accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID {
        try driver.send(draft, writes: writes, accepted: accepted)
    }

    /// Sends an interactive message, and passes its identity to `accepted` before the first event
    /// about it.
    ///
    /// - Parameters:
    ///   - draft: the message. If one of its idempotency key is under way, that one stands for it,
    ///     and `ended` is not called.
    ///   - timeout: how long to wait. A message that is still queued then is cancelled.
    ///   - accepted: called with the identity.
    ///   - ended: called once, with the identity and the reply (no bytes if none is expected), or
    ///     why there is none.
    /// - Returns: the message's identity.
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    package func message(
        _ draft: RecordDraft, timeout: Duration, accepted: (RecordID, Instant) -> Void,
        ended: @escaping @Sendable (RecordID, Result<[UInt8], DeliveryFailure>) -> Void
    ) throws(SendRefusal) -> RecordID {
        let ticket = ReplyTicket()
        var isWaiting = false
        let id = try driver.send(draft) { id, now in
            isWaiting = center.replies.add(
                ticket, for: id, expectsReply: draft.expectsReply, until: now.advanced(by: timeout))
            accepted(id, now)
        }
        if isWaiting { Task.detached { ended(id, await ticket.answer()) } }
        return id
    }

    /// Synchronizes a set, and passes the records to be sent to `accepted` before the first event
    /// about them.
    ///
    /// - Throws: `SendRefusal`; records accepted before it stay accepted.
    @discardableResult
    package func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite] = [], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult {
        try driver.synchronize(
            channel, values, kinds: kinds, removalKind: removalKind, writes: writes,
            accepted: accepted)
    }

    /// Cuts the open link under the peer, like a radio that stays out of range. No link is wanted
    /// until ``activate()``. For tests and demonstrations.
    ///
    /// - Returns: false if none was open.
    @discardableResult
    package func cutLinkAndRest() -> Bool { driver.cutLinkAndRest() }
}

extension PeerDriver {
    /// Cuts and deactivates in one step, because the link could reopen between two steps.
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
