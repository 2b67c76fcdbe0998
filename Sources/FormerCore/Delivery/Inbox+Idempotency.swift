/// Records that come again under an idempotency key: they are answered as the first one was, and
/// the application is not asked a second time.
///
/// A key's way through it is a table in the article *State machines*; a test holds it against this
/// code.
extension Inbox {
    /// Answers a record as the first one under its key; false where the application is to be asked.
    mutating func answerRepetition(_ record: InboundRecord, at clock: WallTime) -> Bool {
        guard let name = record.idempotencyName, pending[record.id] == nil,
            let first = keys.memory(of: name, at: clock), first.id != record.id,
            first.word != .pending || pending[first.id] != nil
        else { return false }
        var word = first.word
        if word == .pending {
            if followers[first.id]?.count ?? 0 < IdempotencyWindow.followerLimit {
                followers.update(first.id, default: []) { $0.append(record.id) }
            } else {
                word = .rejected(code: Outcome.noRoomCode)
            }
        }
        guard record.id.lane.traits.isDurable else {
            committed(.disposed(record.id, word))
            return true
        }
        guard let epoch = epochs.firstIndex(where: { $0.id == record.id.epoch }) else {
            return true
        }
        noteJournaled(epoch)
        entries.append(.repeated(record.id, of: first.id, word))
        commitActions.append(.disposed(record.id, word))
        return true
    }

    /// Remembers the key of a record that the application has said something of.
    mutating func noteKey(
        of record: InboundRecord, _ disposition: Disposition, at clock: WallTime
    ) {
        guard let name = record.idempotencyName,
            keys.memory(of: name, at: clock)?.id != record.id
        else { return }
        let memory = IdempotencyWindow.Memory(
            id: record.id, word: disposition, notedAt: clock)
        keys.note(name, memory)
        remember(name.key, memory)
    }

    /// The application has decided on a record it had left pending: so it has on those that came
    /// under the same key since.
    mutating func decideRepetitions(of record: InboundRecord, _ disposition: Disposition) {
        if let name = record.idempotencyName {
            keys.decide(name, record.id, disposition)
            if !record.id.lane.traits.isDurable, let memory = keys.entry(name),
                memory.id == record.id
            {
                remember(name.key, memory)
            }
        }
        guard let waiting = followers[record.id] else { return }
        followers[record.id] = nil
        for id in waiting {
            if id.lane.traits.isDurable {
                entries.append(.disposed(id, disposition))
                commitActions.append(.disposed(id, disposition))
            } else {
                committed(.disposed(id, disposition))
            }
        }
    }

    /// A record of a lane that is not durable is gone with the process while it is pending, and its
    /// key with it.
    private mutating func remember(_ key: UInt128, _ memory: IdempotencyWindow.Memory) {
        guard memory.id.lane.traits.isDurable || memory.word != .pending else { return }
        entries.append(
            .keyRemembered(key, memory.id, memory.word, at: memory.notedAt))
    }
}

extension InboundRecord {
    /// What the act is known by; nil where the record has no key, or is a newest value, which needs
    /// none: it counts however often it comes.
    var idempotencyName: IdempotencyName? {
        guard id.lane.traits.order == .ordered else { return nil }
        return idempotencyKey.map { IdempotencyName(lane: id.lane, key: $0) }
    }
}
