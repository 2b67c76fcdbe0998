/// The oldest durable record that the counterpart has not committed.
extension Peer {
    mutating func oldestUncommitted() -> (id: RecordID, age: Duration)? {
        guard configuration.overdueAge != nil else { return nil }
        var oldest: (id: RecordID, age: Duration)?
        for index in rooms.senders.indices {
            guard let found = rooms.senders[index].oldestUncommitted(at: time.now) else { continue }
            if oldest.map({ found.age > $0.age }) ?? true { oldest = found }
        }
        let values = rooms.values
        if let found = waitingValues.oldest({ values.isUncommitted($0) }) {
            let age = Duration.nanoseconds(
                max(0, Int64(clamping: time.now.nanoseconds) - found.since))
            if oldest.map({ age > $0.age }) ?? true { oldest = (found.id, age) }
        }
        return oldest
    }

    /// A value was accepted, or has another name.
    mutating func valueWaits(_ id: RecordID) {
        guard configuration.overdueAge != nil, let record = rooms.values.record(of: id) else {
            return
        }
        waitingValues.append(
            id, since: WaitingRecords.since(record.acceptedAt, clock: time.wall, at: time.now))
        let values = rooms.values
        // Of a key that changes often only the newest value waits.
        if waitingValues.count > 2 * values.unsettledCount + 64 {
            waitingValues.keep { values.isUncommitted($0) }
        }
    }

    /// The values in the journal that earlier processes accepted.
    mutating func recallWaitingValues() {
        for channel in Channel.latestValue.indices {
            for id in rooms.values.outstanding(Channel.latestValue[channel]) { valueWaits(id) }
        }
        waitingValues.sort()
    }
}
