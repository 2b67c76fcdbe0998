/// The arrival of records, fragments and requests to cancel, and the order in which they are taken.
extension OrderedReceiver {
    /// Takes a record. Throws where the counterpart breaks a rule or a bound.
    mutating func receive(_ frame: RecordFrame, at now: Instant) throws(WireError) {
        credit.arrived(records: 1, bytes: frame.payload.count)
        try arrive(frame, at: now)
    }

    mutating func arrive(_ frame: RecordFrame, at now: Instant) throws(WireError) {
        let id = try epoch(frame.address.epochIndex)
        if let predecessor = frame.predecessor { _ = try epoch(predecessor.epochIndex) }
        guard !isKnown(frame.address) else { return updateCredit() }
        guard credit.hasRoom, pending.count < limits.queuedRecords else {
            return try turnAway(frame.address)
        }
        let record = InboundRecord(
            id: RecordID(
                epoch: id, channel: channel, number: RecordNumber(frame.address.number)),
            kind: frame.kind, key: nil, payload: frame.payload, expectsReply: frame.expectsReply,
            inReplyTo: frame.inReplyTo, expiresAt: frame.expiresAt,
            idempotencyKey: frame.idempotencyKey)
        try place(frame.address, frame.predecessor, .record(record), at: now)
        updateCredit()
    }

    /// Takes a request to cancel a record, which ends in its turn unless it was taken before. The
    /// packet's author is at fault for every error.
    mutating func receive(_ frame: CancelFrame, at now: Instant) throws(WireError) {
        let id = try epoch(frame.address.epochIndex)
        if let predecessor = frame.predecessor { _ = try epoch(predecessor.epochIndex) }
        session?.assemblies.removeAll { $0.address == frame.address }
        let outcome: Outcome = frame.isExpired ? .expired : .cancelled
        if let buffer = session?.buffer, buffer.contains(frame.address),
            buffer.endings >= limits.requests
        {
            throw tooManyRequests
        }
        if let bytes = session?.buffer.end(frame.address, outcome) {
            credit.release(records: 1, bytes: bytes)
            return updateCredit()
        }
        guard !isKnown(frame.address) else { return updateCredit() }
        let record = RecordID(
            epoch: id, channel: channel, number: RecordNumber(frame.address.number))
        try place(frame.address, frame.predecessor, .ending(record, outcome), at: now)
        updateCredit()
    }

    // MARK: Order

    /// The epoch that a frame names.
    func epoch(_ index: Int) throws(WireError) -> EpochID {
        guard let session, index < session.epochs.count else {
            throw WireError(
                .outOfRange, at: 0, expected: "epoch of the hello", found: UInt64(index))
        }
        return session.epochs[index].id
    }

    /// Whether a record was taken before, so that it is only answered; or waits in the buffer.
    mutating func isKnown(_ address: RecordAddress) -> Bool {
        guard let session else { return true }
        let epoch = session.epochs[address.epochIndex]
        if epoch.isClosed || epoch.answersUnknown
            || address.number <= taken[epoch.id]?.through ?? 0
        {
            owe(address.epochIndex, address.number...address.number)
            return true
        }
        return session.buffer.contains(address)
    }

    /// Whether everything that a record must wait for was taken.
    private func isSatisfied(_ predecessor: RecordAddress?) -> Bool {
        guard let predecessor, let session else { return true }
        let epoch = session.epochs[predecessor.epochIndex]
        if epoch.isClosed || epoch.answersUnknown { return true }
        return predecessor.number <= taken[epoch.id]?.through ?? 0
    }

    /// Takes what is in its turn; buffers what is not.
    private mutating func place(
        _ address: RecordAddress, _ predecessor: RecordAddress?, _ content: ReorderBuffer.Content,
        at now: Instant
    ) throws(WireError) {
        if let predecessor, !isSatisfied(predecessor) {
            guard hasBufferRoom(for: content) else {
                if case .record = content { return try turnAway(address) }
                throw tooManyRequests
            }
            if case .record(let record) = content { credit.hold(bytes: record.payload.count) }
            session?.buffer.insert(
                ReorderBuffer.Waiting(
                    address: address, predecessor: predecessor, content: content))
            return
        }
        if case .record(let record) = content { credit.hold(bytes: record.payload.count) }
        do throws(WireError) {
            try take(address, content, at: now)
        } catch {
            giveBack(content)
            throw error
        }
        try release(address.epochIndex, at: now)
    }

    private var tooManyRequests: WireError {
        WireError(
            .outOfRange, at: 0, expected: "fewer requests to cancel at a time",
            found: UInt64(limits.requests))
    }

    private func hasBufferRoom(for content: ReorderBuffer.Content) -> Bool {
        guard let buffer = session?.buffer else { return false }
        guard case .record(let record) = content else { return buffer.endings < limits.requests }
        return buffer.records < limits.reorderRecords
            && (buffer.bytes + record.payload.count <= limits.reorderBytes || buffer.records == 0)
    }

    /// A record is in its turn: from here on it is never taken again by this process.
    private mutating func take(
        _ address: RecordAddress, _ content: ReorderBuffer.Content, at now: Instant
    ) throws(WireError) {
        let id = try epoch(address.epochIndex)
        try checkNewEpoch(id)
        guard durable[id]?.exceptions.count ?? 0 < limits.exceptionRanges else {
            throw WireError(
                .outOfRange, at: 0, expected: "fewer records above the watermark not applied",
                found: UInt64(limits.exceptionRanges))
        }
        taken.update(id, default: Taken()) { $0.through = max($0.through, address.number) }
        session?.taken += 1
        switch content {
        case .record(let record): deliveries.append(.first(record, at: now))
        case .ending(let id, let outcome): deliveries.append(.ending(id, outcome))
        }
    }

    /// Memory must not grow with the epochs that a counterpart invents.
    func checkNewEpoch(_ id: EpochID) throws(WireError) {
        guard taken[id] != nil || taken.count < limits.epochs else {
            throw WireError(
                .outOfRange, at: 0, expected: "fewer open epochs", found: UInt64(taken.count))
        }
    }

    /// An epoch has come further: takes what waited for that, in order.
    mutating func release(_ epochIndex: Int, at now: Instant) throws(WireError) {
        var indices = [epochIndex]
        while let index = indices.popLast() {
            guard let session, !session.buffer.isEmpty else { return }
            let through = taken[session.epochs[index].id]?.through ?? 0
            let waiting = self.session?.buffer.takeWaiting(epochIndex: index, through: through)
            var failure: WireError?
            for next in waiting ?? [] {
                guard failure == nil, !isKnown(next.address) else {
                    giveBack(next.content)
                    continue
                }
                do throws(WireError) {
                    try take(next.address, next.content, at: now)
                } catch {
                    giveBack(next.content)
                    failure = error
                }
                if !indices.contains(next.address.epochIndex) {
                    indices.append(next.address.epochIndex)
                }
            }
            if let failure { throw failure }
        }
    }

    /// A record that was received is not taken: its credit is free.
    private mutating func giveBack(_ content: ReorderBuffer.Content) {
        if case .record(let record) = content {
            credit.release(records: 1, bytes: record.payload.count)
        }
    }

    // MARK: Room

    /// Whether buffers and places for fragments leave room for another record.
    var hasOtherRoom: Bool {
        guard let session else { return true }
        return hasPlaces(for: session.assemblies.count + 1)
            && session.buffer.records < limits.reorderRecords
            && session.buffer.bytes < limits.reorderBytes && pending.count < limits.queuedRecords
    }

    /// Room may have become free.
    mutating func updateCredit() { credit.update(hasOtherRoom: hasOtherRoom) }

    /// There is no room for a record: its sender is told to wait.
    mutating func turnAway(_ address: RecordAddress) throws(WireError) {
        credit.turnAway()
        guard let session, session.mustTryLater[address] == nil else { return }
        guard session.mustTryLater.count < limits.requests else {
            throw WireError(
                .outOfRange, at: 0, expected: "no more records than credit allows",
                found: UInt64(limits.requests))
        }
        self.session?.mustTryLater[address] = true
        self.session?.turnedAway.append((address, credit.grantedRecords))
        updateCredit()
    }
}
