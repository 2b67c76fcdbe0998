/// The delivery to the application, its decisions, and the journal entries that follow.
extension OrderedReceiver {
    /// Whether a record, or the end of one, waits.
    package var hasDeliveries: Bool { delivered < deliveries.count }

    /// The next record for the application; nil where none waits. ``disposed(_:_:clock:at:)`` must
    /// follow before the next call.
    ///
    /// Records that ended before their turn, that expired, or that come again under a known
    /// idempotency key are settled on the way.
    package mutating func nextDelivery(clock: WallTime, at now: Instant) -> InboundRecord? {
        while delivered < deliveries.count {
            let delivery = deliveries[delivered]
            removeFirstDelivery()
            switch delivery {
            case .ending(let id, let outcome): end(id, outcome, held: nil, at: now)
            case .again(let record): if pending[record.id] != nil { return record }
            case .first(let record, let at):
                if let expiresAt = record.expiresAt, expiresAt <= clock {
                    end(record.id, .expired, held: record.payload.count, at: at)
                } else if !answerRepetition(record, clock: clock, at: at) {
                    return record
                }
            }
        }
        return nil
    }

    private mutating func removeFirstDelivery() {
        delivered += 1
        if delivered == deliveries.count {
            deliveries.removeAll(keepingCapacity: deliveries.capacity <= 64)
            delivered = 0
        } else if delivered > 64, delivered * 2 > deliveries.count {
            deliveries.removeFirst(delivered)
            delivered = 0
        }
    }

    private mutating func end(_ id: RecordID, _ outcome: Outcome, held: Int?, at: Instant) {
        let exception: RecordException = outcome == .expired ? .expired : .cancelled
        let number = id.number.rawValue
        write(
            .passed(id.epoch, channel, first: number, last: number, exception),
            .took(id, exception, held: held, at: at))
    }

    /// The application's word on the record that ``nextDelivery(clock:at:)`` gave.
    package mutating func disposed(
        _ record: InboundRecord, _ disposition: Disposition, clock: WallTime, at now: Instant
    ) {
        let id = record.id
        if pending[id] != nil {
            // Given to it once more after a restart; the journal holds it as pending.
            return decide(id, disposition)
        }
        if disposition == .pending { pending[id] = PendingRecord(key: record.idempotencyKey) }
        if let key = record.idempotencyKey, !mutants.contains(.keysVolatile) {
            keys.note(
                key, IdempotencyWindow.Memory(id: id, word: disposition, notedAt: clock))
        }
        write(
            .received(record, disposition, at: clock),
            .took(id, RecordException(disposition), held: record.payload.count, at: now))
    }

    /// The application's later word on a record that it had left pending, with or without a link.
    /// Nothing where the record is not pending, or the word is *pending* again.
    package mutating func decide(_ id: RecordID, _ disposition: Disposition) {
        guard disposition != .pending, let record = pending.remove(id) else { return }
        if let key = record.key { keys.decide(key, id, disposition) }
        write(.decided(id, disposition), .decided(id, disposition))
        for follower in followers.remove(id) ?? [] {
            write(.decided(follower, disposition), .decided(follower, disposition))
        }
        updateCredit()
    }

    /// Answers a record as the first one under its idempotency key was answered; false where the
    /// application is to be asked.
    private mutating func answerRepetition(
        _ record: InboundRecord, clock: WallTime, at: Instant
    ) -> Bool {
        guard let key = record.idempotencyKey, let first = keys.memory(of: key, at: clock),
            first.word != .pending || pending[first.id] != nil
        else { return false }
        var word = first.word
        if word == .pending {
            if followers[first.id]?.count ?? 0 < IdempotencyWindow.followerLimit {
                followers.update(first.id, default: []) { $0.append(record.id) }
            } else {
                word = .rejected(code: IdempotencyWindow.noRoomCode)
            }
        }
        repetitions += 1
        write(
            .repeated(record.id, of: first.id, word),
            .took(record.id, RecordException(word), held: record.payload.count, at: at))
        return true
    }
}

extension RecordException {
    /// Makes the exception of a record with this disposition; nil where it is applied.
    init?(_ disposition: Disposition) {
        switch disposition {
        case .applied: return nil
        case .pending: self = .pending
        case .rejected(let code): self = .rejected(code: code)
        }
    }
}
