package import WatchProtoCore

/// Runs one peer on its own thread. The thread sleeps in `poll` until bytes arrive, a deadline
/// comes or a caller wakes it.
///
/// That thread reads, decodes and delivers received packets inline. A `send` from any thread does
/// its work inline on the caller's thread, including the write. The article "The driver's loop and
/// threads" has the details.
package final class PeerDriver: Sendable {
    let loop: DriverLoop

    /// Opens a peer on its journal. Nothing moves before ``activate()``.
    ///
    /// - Parameters:
    ///   - configuration: the driver's and the peer's settings.
    ///   - source: opens the carriers.
    ///   - security: makes the handshakes.
    ///   - journal: makes the peer's entries durable.
    ///   - delegate: receives records and events; kept until the driver is closed.
    /// - Throws: ``JournalFailure`` if the journal cannot be opened.
    package init(
        _ configuration: DriverConfiguration, source: any CarrierSource,
        security: some PeerSecurity,
        journal: any JournalBackend, delegate: any SessionDelegate
    ) throws(JournalFailure) {
        loop = try DriverLoop(
            configuration, source: source, security: security.erased, journal: journal,
            delegate: delegate)
    }

    deinit { loop.stop(goodbye: false, leavingFiles: false, waiting: false) }

    /// Starts the driver's thread without wanting a link.
    ///
    /// - Throws: ``LinkError``; the driver was closed, or the system has no thread left.
    package func start() throws(LinkError) { try loop.start() }

    /// Claims the address and starts wanting a link. If it is active already, does nothing.
    ///
    /// - Throws: ``LinkError`` if the address cannot be claimed; nothing has changed then.
    package func activate() throws(LinkError) { try loop.activate() }

    /// Closes the link with a reason for the counterpart, and stops wanting one.
    ///
    /// - Returns: false if none was wanted.
    @discardableResult
    package func deactivate(_ code: CloseCode = .normal) -> Bool {
        loop.input { state, now in
            guard state.phase == .active else { return false }
            state.phase = .resting
            state.peer.deactivate(code, at: now)
            return true
        }
    }

    /// Says goodbye, closes everything, removes socket files and waits for the thread to end.
    package func close() { loop.stop(goodbye: true, leavingFiles: false, waiting: true) }

    /// Ends as a killed process does: closes descriptors without goodbye, and leaves socket files.
    package func abandon() { loop.stop(goodbye: false, leavingFiles: true, waiting: true) }

    /// Accepts a record for delivery and offers it to the carrier at once. The writes become
    /// durable together with it. If it is refused, none is carried out.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then. A closed driver refuses with
    ///   `notReachable`.
    @discardableResult
    package func send(
        _ draft: RecordDraft, writes: [any StoreWrite] = []
    ) throws(SendRefusal) -> RecordID {
        try send(draft, writes: writes, accepted: { _, _ in })
    }

    /// Sends as ``send(_:writes:)``, and passes the record's identity to `accepted` before any
    /// event about it.
    func send(
        _ draft: RecordDraft, writes: [any StoreWrite] = [],
        accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID {
        try loop.input { state, now throws(SendRefusal) in
            let id = try state.send(draft, writes, at: now)
            accepted(id, now)
            return id
        }
    }

    /// Accepts drafts, all of them or none, or with `isPartial` those before the first refused one.
    /// They are one batch of the journal, and leave in as few writes to the carrier as possible.
    func send(
        _ drafts: [RecordDraft], isPartial: Bool, writes: (Int) -> [any StoreWrite],
        accepted: (Int, RecordID, Instant) -> Void
    ) -> TransferBatch {
        loop.input { state, now in
            guard state.phase != .stopping else { return TransferBatch(refusal: .notReachable) }
            if !isPartial, let refusal = state.peer.refusal(of: drafts, at: now) {
                return TransferBatch(refusal: refusal)
            }
            var batch = TransferBatch()
            batch.accepted.reserveCapacity(drafts.count)
            do throws(SendRefusal) {
                for (place, draft) in drafts.enumerated() {
                    let id = try state.send(draft, writes(place), at: now)
                    accepted(place, id, now)
                    batch.accepted.append(id)
                }
            } catch {
                batch.refusal = error
            }
            return batch
        }
    }

    /// Makes the counterpart hold exactly `values` in a latest-value channel, sending only what it
    /// lacks.
    ///
    /// - Parameters:
    ///   - channel: a latest-value channel.
    ///   - values: the whole set; empty to remove all.
    ///   - kinds: the kinds of values that belong to the set; other kinds in the channel stay.
    ///   - removalKind: the kind of the empty record that removes a key.
    /// - Throws: `SendRefusal`.
    package func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind
    ) throws(SendRefusal) -> SyncResult {
        try loop.input { state, now throws(SendRefusal) in
            guard state.phase != .stopping else { throw .notReachable }
            return try state.peer.synchronize(
                channel, values, kinds: kinds, removalKind: removalKind, at: now)
        }
    }

    /// Cancels a record if it does not count yet. The outcome follows as an event.
    ///
    /// - Returns: false if the record is not under way.
    @discardableResult
    package func cancel(_ id: RecordID) -> Bool {
        loop.input { state, now in state.cancel(id, at: now) }
    }

    /// Reports that the application has applied a pending record. The writes become durable
    /// together with that.
    ///
    /// - Returns: whether the record was pending; if not, nothing is written.
    @discardableResult
    package func applied(_ id: RecordID, writes: [any StoreWrite] = []) -> Bool {
        loop.input { state, now in state.decide(id, .applied, writes, at: now) }
    }

    /// Reports that the application rejects a pending record. Writes are as in
    /// ``applied(_:writes:)``.
    @discardableResult
    package func rejected(_ id: RecordID, code: UInt16, writes: [any StoreWrite] = []) -> Bool {
        loop.input { state, now in state.decide(id, .rejected(code: code), writes, at: now) }
    }

    /// Changes the application's store without a record, in order with the writes of records.
    ///
    /// - Returns: false if the driver is closed or its journal has failed; nothing is written then.
    @discardableResult
    package func write(_ writes: [any StoreWrite]) -> Bool {
        loop.input { state, now in
            guard state.phase != .stopping, !state.environment.hasJournalFailed else {
                return false
            }
            state.environment.deferred.writes += writes
            return true
        }
    }

    /// The application is in the foreground, or in the background.
    package func setForeground(_ isForeground: Bool) {
        loop.input { state, now in
            guard state.phase != .stopping else { return }
            state.peer.setForeground(isForeground, at: now)
        }
    }

    /// Reports that the time zone changed. (The driver notices by itself when the clock is set.)
    package func wallClockChanged() {
        loop.input { state, now in
            state.peer.wallClockChanged(state.environment.clock.wall, at: now)
        }
    }

    /// Cuts the open carrier under the peer. The usual rules open it again.
    ///
    /// - Returns: false if none is open.
    @discardableResult
    package func cutLink() -> Bool {
        loop.input { state, now in
            guard state.environment.carrier != nil else { return false }
            state.loseLink(.cutLocally, at: now)
            return true
        }
    }

    /// Stops reading, writing and opening until ``resumeLink()``. The carrier stays open.
    ///
    /// - Returns: false if the link is suspended already.
    @discardableResult
    package func suspendLink() -> Bool { loop.setSuspended(true) }

    /// Continues after ``suspendLink()``.
    ///
    /// - Returns: false if the link is not suspended.
    @discardableResult
    package func resumeLink() -> Bool { loop.setSuspended(false) }
}
