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

    /// Sends interactive messages, all of them or none, and passes their identities to `accepted`
    /// before the first event about them.
    ///
    /// - Parameters:
    ///   - drafts: the messages. If one of an idempotency key is under way, that one stands for its
    ///     draft, and `ended` is not called.
    ///   - isPartial: whether the messages before the first refused one are accepted instead.
    ///   - timeout: how long to wait. A message that is still queued then is cancelled.
    ///   - outlivesLink: whether the wait for a reply goes on if the link is lost while the message
    ///     may have arrived.
    ///   - accepted: called with the place of a draft and its identity.
    ///   - ended: called once for each, with the identity and the reply (no bytes if none is
    ///     expected), or why there is none.
    /// - Returns: the accepted messages, and why a draft was refused.
    package func messages(
        _ drafts: [RecordDraft], isPartial: Bool, timeout: Duration, outlivesLink: Bool,
        accepted: (Int, RecordID, Instant) -> Void,
        ended: @escaping @Sendable (RecordID, Result<[UInt8], DeliveryFailure>) async -> Void
    ) -> TransferBatch {
        var waiting: [(id: RecordID, ticket: ReplyTicket)] = []
        let batch = driver.send(
            drafts, isPartial: isPartial, writes: { _ in [] },
            accepted: { place, id, now in
                let ticket = ReplyTicket()
                let isWaiting = center.replies.add(
                    ticket, for: id, expectsReply: drafts[place].expectsReply,
                    outlivesLink: outlivesLink, until: now.advanced(by: timeout))
                if isWaiting { waiting.append((id, ticket)) }
                accepted(place, id, now)
            })
        for (id, ticket) in waiting { Task.detached { await ended(id, ticket.answer()) } }
        return batch
    }

    /// Sends a reply, and passes its identity to `accepted` before the first event about it. If the
    /// reply is lost with its link, it leaves again in the next session, unless the counterpart was
    /// restarted.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    package func replyOverLinks(
        _ draft: RecordDraft, accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID {
        try driver.send(draft) { id, now in
            center.answers.sent(id, draft)
            accepted(id, now)
        }
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
            let wasOpen = state.environment.carrier != nil
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
            state.environment.deferred.writes += writes
            accepted(result, now)
            return result
        }
    }
}
