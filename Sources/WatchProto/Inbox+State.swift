import WatchProtoCore

/// The records that wait, by kind and in the order of arrival.
extension Inbox.State {
    mutating func append(_ pending: PendingRecord) {
        let record = pending.record
        nextNumber += 1
        if let key = record.key, record.id.channel.traits.order == .latestValue {
            let name = Inbox.NameOfValue(
                pairing: pending.pairing, channel: record.id.channel, key: key)
            if let older = newest[name] { remove(older) }
            newest[name] = nextNumber
        }
        records[nextNumber] = pending
        queues[pending.kind, default: []].append(nextNumber)
        if queues[pending.kind]!.count > 2 * records.count + 64 {
            queues[pending.kind]!.removeAll { records[$0] == nil }
        }
        numbers[record.id] = nextNumber
    }

    /// Removes the first waiting record of a kind.
    mutating func takeFirst(_ kind: ContentKind) -> PendingRecord? {
        guard let place = queues[kind]?.firstIndex(where: { records[$0] != nil }) else {
            queues[kind] = nil
            return nil
        }
        let number = queues[kind]![place]
        queues[kind]!.removeFirst(place + 1)
        let pending = remove(number)
        if kind == .message, let pending { handing.insert(pending.record.id) }
        return pending
    }

    @discardableResult
    mutating func remove(_ number: UInt64) -> PendingRecord? {
        guard let pending = records.removeValue(forKey: number) else { return nil }
        numbers[pending.record.id] = nil
        if let key = pending.record.key {
            let name = Inbox.NameOfValue(
                pairing: pending.pairing, channel: pending.record.id.channel, key: key)
            if newest[name] == number { newest[name] = nil }
        }
        return pending
    }

    /// The kind of the first waiting record that has a handler.
    var firstForHandler: (ContentKind, Inbox.Body)? {
        var first: (number: UInt64, ContentKind, Inbox.Body)?
        for (kind, known) in receivers {
            guard case .handler(let body) = known.receiver,
                let number = queues[kind]?.first(where: { records[$0] != nil }),
                first.map({ number < $0.number }) ?? true
            else { continue }
            first = (number, kind, body)
        }
        return first.map { ($0.1, $0.2) }
    }

    /// The first waiting record of a kind and the reader that waits for it.
    mutating func takeForReader(
        _ kind: ContentKind
    ) -> (Inbox.Continuation, PendingRecord)? {
        guard let known = receivers[kind], case .reader(let continuation?) = known.receiver,
            let record = takeFirst(kind)
        else { return nil }
        receivers[kind] = (known.token, .reader(nil))
        return (continuation, record)
    }
}
