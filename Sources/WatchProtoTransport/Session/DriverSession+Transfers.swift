package import WatchProtoCore
import WatchProtoRecords

extension DriverSession {
    /// Accepts any draft, inline on the caller's thread.
    ///
    /// If a record with the draft's idempotency key is under way in its channel, that record stands
    /// for the draft. Its identity is returned. The writes went with it and are not repeated.
    ///
    /// - Parameters:
    ///   - draft: the record to deliver.
    ///   - writes: changes to the application's store that become durable together with the record.
    /// - Returns: the record's permanent identity.
    /// - Throws: `SendRefusal`; nothing has changed then, and no write is carried out.
    @discardableResult
    package func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite] = []
    ) throws(SendRefusal) -> RecordID {
        try driver.send(draft, writes: writes)
    }

    /// Accepts drafts, all of them or none. They become durable together and leave in as few writes
    /// as possible. For many records this is several times as fast as single calls.
    ///
    /// - Parameters:
    ///   - drafts: the records to deliver.
    ///   - isPartial: whether the drafts before the first refused one are accepted instead.
    ///   - writes: returns the changes to the application's store that become durable together
    ///     with the record of this place.
    ///   - accepted: called with the place of a draft and its identity before any event about it.
    /// - Returns: the accepted records, and why a draft was refused.
    package func transfer(
        _ drafts: [RecordDraft], isPartial: Bool = false,
        writes: (Int) -> [any StoreWrite] = { _ in [] },
        accepted: (Int, RecordID, Instant) -> Void = { _, _, _ in }
    ) -> TransferBatch {
        driver.send(drafts, isPartial: isPartial, writes: writes, accepted: accepted)
    }

    /// Makes `context` the application's current state on the other device. Only the newest one
    /// counts.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    package func updateApplicationContext(_ context: [UInt8]) throws(SendRefusal) -> RecordID {
        try transfer(
            RecordDraft(
                channel: .context, kind: .applicationContext, key: RecordKey(rawValue: 0),
                payload: context))
    }

    /// Queues user information. Each piece arrives once, in order, when the link allows.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    package func transferUserInfo(
        _ userInfo: [UInt8], expiresAt: WallTime? = nil, idempotencyKey: UInt128? = nil
    ) throws(SendRefusal) -> RecordID {
        try transfer(
            RecordDraft(
                channel: .background, kind: .userInfo, payload: userInfo, expiresAt: expiresAt,
                idempotencyKey: idempotencyKey))
    }

    /// Makes the counterpart hold exactly `values` in a latest-value channel. It sends only the
    /// values that the counterpart lacks, and nothing if it already holds this very set.
    ///
    /// - Parameters:
    ///   - channel: a latest-value channel.
    ///   - values: the whole set; empty to remove all.
    ///   - kinds: the kinds of values that belong to the set; other kinds in the channel stay.
    ///   - removalKind: the kind of the empty record that removes a key.
    /// - Throws: `SendRefusal`.
    @discardableResult
    package func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind
    ) throws(SendRefusal) -> SyncResult {
        try driver.synchronize(channel, values, kinds: kinds, removalKind: removalKind)
    }

    /// Reports that the application has applied a pending record. The writes become durable
    /// together with that.
    ///
    /// - Returns: whether the record was pending; if not, nothing is written.
    @discardableResult
    package func applied(_ id: RecordID, writes: [any StoreWrite] = []) -> Bool {
        driver.applied(id, writes: writes)
    }

    /// Reports that the application rejects a pending record, with its own code. Writes are as in
    /// ``applied(_:writes:)``.
    @discardableResult
    package func rejected(_ id: RecordID, code: UInt16, writes: [any StoreWrite] = []) -> Bool {
        driver.rejected(id, code: code, writes: writes)
    }

    /// Changes the application's store without a record, in order with the writes of records.
    ///
    /// - Returns: false if the session is closed; nothing is written then.
    @discardableResult
    package func write(_ writes: [any StoreWrite]) -> Bool { driver.write(writes) }
}
