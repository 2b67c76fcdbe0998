/// The application's requests: to send records, and to cancel them.
extension OrderedSender {
    /// The record that stands for a draft under its idempotency key: one that is under way.
    package func underWay(_ draft: RecordDraft) -> RecordID? {
        draft.idempotencyKey.flatMap { named[$0] }
    }

    /// The records of a kind that are under way.
    func underWay(_ kind: ContentKind) -> [OutboundRecord] {
        var found: [OutboundRecord] = []
        for epoch in epochs {
            epoch.items.visit { _, item in
                if item.record.kind == kind { found.append(item.record) }
            }
        }
        return found
    }

    /// Accepts a record. A refusal says why not; nothing has changed then. A draft whose
    /// idempotency key is under way adds nothing: it is the record of that key.
    package mutating func accept(
        _ draft: RecordDraft, isReachable: Bool, clock: WallTime, at now: Instant
    ) throws(SendRefusal) -> RecordID {
        if traits.needsReachability, !isReachable { throw .notReachable }
        guard draft.payload.count <= traits.recordByteLimit else {
            throw .tooLarge(bytes: draft.payload.count, limit: traits.recordByteLimit)
        }
        guard draft.key == nil else { throw .channelMismatch }
        guard traits.hasReplies || (!draft.expectsReply && draft.inReplyTo == nil) else {
            throw .channelMismatch
        }
        if let expiresAt = draft.expiresAt, expiresAt <= clock { throw .alreadyExpired }
        if let id = underWay(draft) { return id }
        guard queuedRecords < limits.queuedRecords,
            queuedBytes + draft.payload.count <= limits.queuedBytes,
            epochs[epochs.count - 1].last < RecordNumber.largest
        else { throw .queueFull(records: queuedRecords) }
        return enqueue(draft, clock, now)
    }

    private mutating func enqueue(
        _ draft: RecordDraft, _ clock: WallTime, _ now: Instant
    ) -> RecordID {
        let epoch = epochs.count - 1
        let place = RecordPlace(epoch: epoch, number: epochs[epoch].last + 1)
        let id = id(of: place)
        let record = OutboundRecord(id: id, draft: draft, acceptedAt: clock)
        let since = Int64(clamping: now.nanoseconds)
        add(
            OutboundItem(
                record: record, acceptedAt: since, isDurable: !traits.isDurable,
                waitsForCommit: draft.waitsForCommit || !traits.overlapsCommit), epoch)
        if traits.isDurable {
            waiting.append(id, since: since)
            if waiting.count > 2 * queuedRecords + 64 {
                let epochs = epochs
                waiting.keep { Self.waits($0, epochs) }
            }
            entries.append(.queued(record))
            commits.append(.accepted(id))
        } else {
            report(place)
        }
        return id
    }

    /// Puts a record behind those of its epoch.
    mutating func add(_ item: OutboundItem, _ epoch: Int) {
        let record = item.record
        epochs[epoch].last = record.id.number.rawValue
        epochs[epoch].items.append(record.id.number.rawValue, item)
        queuedRecords += 1
        queuedBytes += record.payload.count
        if let key = record.idempotencyKey, item.cancelRequest == nil { named[key] = record.id }
        guard let expiresAt = record.expiresAt, item.cancelRequest == nil else { return }
        expiries.insert(expiresAt, record.id)
        guard expiries.count > 2 * queuedRecords + 64 else { return }
        let epochs = epochs
        expiries.keep { Self.mayExpire($0, epochs) }
    }

    private static func mayExpire(_ id: RecordID, _ epochs: [OutboundEpoch]) -> Bool {
        guard let epoch = epochs.last(where: { $0.id == id.epoch }),
            let item = epoch.items[id.number.rawValue]
        else { return false }
        return item.cancelRequest == nil && item.ending == nil
    }

    // MARK: Cancellation and expiry

    /// Cancels a record: at once where it never left; otherwise the request is durable, and the
    /// receiver's answer settles the record. Nothing where it is committed there, or over.
    package mutating func cancel(_ id: RecordID) { request(.cancelled, id) }

    /// Ends every record whose time has run out at `clock`, as ``cancel(_:)`` does.
    package mutating func expire(at clock: WallTime) {
        for id in expiries.takeDue(at: clock) { request(.expired, id) }
        // Nobody is to be woken for the sake of a record that ended.
        while let first = expiries.first, !Self.mayExpire(first.id, epochs) {
            expiries.removeFirst()
        }
    }

    private mutating func request(_ outcome: Outcome, _ id: RecordID) {
        guard let place = place(of: id), let item = epochs[place.epoch].items[place.number],
            item.cancelRequest == nil, item.ending == nil, item.stage < .committed
        else { return }
        if !item.wasTransmitted || mutants.contains(.cancelAtOnce) { return settle(place, outcome) }
        epochs[place.epoch].items.modify(place.number) { $0.cancelRequest = outcome }
        forgetName(of: item.record)
        if traits.isDurable { entries.append(.cancellationAsked(id, outcome)) }
        if session != nil { scheduleCancel(place) }
    }

    /// A record that is over, or being cancelled, stands for no later draft.
    func isNamed(_ record: OutboundRecord) -> Bool {
        record.idempotencyKey.map { named[$0] == record.id } ?? false
    }

    mutating func forgetName(of record: OutboundRecord) {
        if isNamed(record), let key = record.idempotencyKey { named[key] = nil }
    }

    /// Puts a request among those to leave, in its place.
    mutating func scheduleCancel(_ place: RecordPlace) {
        session?.cancels.insertInOrder(place)
    }
}

extension [RecordPlace] {
    /// Adds a place that is not in the ascending list.
    mutating func insertInOrder(_ place: RecordPlace) {
        let index = partitioningIndex { $0 >= place }
        if index < count, self[index] == place { return }
        insert(place, at: index)
    }
}
