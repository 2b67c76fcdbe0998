/// The journal's state of an outbound ordered channel.
extension OrderedSender {
    /// The records and outcomes of one channel, folded from the entries of a journal.
    package struct Image: Hashable, Sendable {
        /// An accepted record that is not settled.
        struct Record: Hashable, Sendable {
            let record: OutboundRecord
            var isCommittedThere = false
            var cancelRequest: Outcome?
        }

        /// An own epoch with records of the channel.
        struct Epoch: Equatable, Sendable {
            let id: EpochID
            var last: UInt64 = 0
            var records = NumberedTable<Record>()
        }

        /// The channel.
        package let channel: Channel
        /// Oldest first.
        private(set) var epochs: [Epoch] = []
        private(set) var outcomes = OutcomeLog()
        private(set) var lostTails = OrderedTable<EpochID, UInt64>()

        package init(channel: Channel) { self.channel = channel }

        /// Folds one entry; those of other rooms and channels change nothing here.
        package mutating func apply(_ entry: JournalEntry) {
            switch entry {
            case .queued(let record) where record.id.channel == channel: queued(record)
            case .cancellationAsked(let id, let outcome) where id.channel == channel:
                modify(id) { $0.cancelRequest = outcome }
            case .committedThere(let id) where id.channel == channel:
                modify(id) { $0.isCommittedThere = true }
            case .settled(let id, let outcome) where id.channel == channel: settled(id, outcome)
            case .ended(let id, let count, let outcome, let isLost) where id.channel == channel:
                outcomes.note(id, count: count, outcome, isLostSince: isLost)
            case .numbered(let id, channel, let last):
                let place = place(of: id)
                epochs[place].last = max(epochs[place].last, last)
            case .tailLost(let id, channel, let last): tailLost(id, last)
            case .ticketEntered(let entry) where entry.counterpartLostState: counterpartLostState()
            case .epoch(let id, .gone):
                epochs.removeAll { $0.id == id && $0.records.isEmpty }
                lostTails[id] = nil
            default: break
            }
        }

        private mutating func queued(_ record: OutboundRecord) {
            let number = record.id.number.rawValue
            let place = place(of: record.id.epoch)
            epochs[place].last = max(epochs[place].last, number)
            epochs[place].records.append(number, Record(record: record))
        }

        /// The place of an epoch in ``epochs``, which is appended where it is not there.
        private mutating func place(of id: EpochID) -> Int {
            if let place = epochs.lastIndex(where: { $0.id == id }) { return place }
            epochs.append(Epoch(id: id))
            return epochs.count - 1
        }

        /// The entries that make this image.
        var entries: [JournalEntry] {
            var entries = outcomes.entries
            for epoch in epochs {
                entries.append(.numbered(epoch.id, channel, last: epoch.last))
                epoch.records.visit { _, stored in
                    let id = stored.record.id
                    entries.append(.queued(stored.record))
                    if stored.isCommittedThere { entries.append(.committedThere(id)) }
                    if let outcome = stored.cancelRequest {
                        entries.append(.cancellationAsked(id, outcome))
                    }
                }
            }
            for (id, last) in zip(lostTails.keys, lostTails.values) {
                entries.append(.tailLost(id, channel, last: last))
            }
            return entries
        }

        private mutating func modify(_ id: RecordID, _ change: (inout Record) -> Void) {
            guard let epoch = epochs.lastIndex(where: { $0.id == id.epoch }) else { return }
            epochs[epoch].records.modify(id.number.rawValue, change)
        }

        private mutating func settled(_ id: RecordID, _ outcome: Outcome) {
            if let epoch = epochs.lastIndex(where: { $0.id == id.epoch }) {
                epochs[epoch].records.remove(id.number.rawValue)
            }
            outcomes.note(id, outcome)
        }

        private mutating func tailLost(_ id: EpochID, _ last: UInt64) {
            if let epoch = epochs.lastIndex(where: { $0.id == id }) {
                epochs[epoch].last = max(epochs[epoch].last, last)
            } else {
                lostTails[id] = last
            }
        }

        private mutating func counterpartLostState() {
            for epoch in epochs.indices {
                epochs[epoch].records.modifyAll { _, record in record.isCommittedThere = false }
            }
            outcomes.counterpartLostState()
        }

        package static func == (left: Image, right: Image) -> Bool {
            left.channel == right.channel && left.epochs == right.epochs
                && left.outcomes == right.outcomes
                && left.lostTails.keys == right.lostTails.keys
                && left.lostTails.values == right.lostTails.values
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(channel) }
    }

    /// Takes over what earlier openings left.
    mutating func restore(_ image: Image, clock: WallTime, at now: Instant) {
        for stored in image.epochs {
            epochs.append(OutboundEpoch(id: stored.id))
            let epoch = epochs.count - 1
            var records: [Image.Record] = []
            stored.records.visit { _, record in records.append(record) }
            for record in records {
                // Nobody knows how the numbers between two records ended.
                let (last, number) = (epochs[epoch].last, record.record.id.number.rawValue)
                if last + 1 < number { epochs[epoch].addException((last + 1)...(number - 1)) }
                let accepted = record.record.acceptedAt
                restore(
                    record, epoch, since: WaitingRecords.since(accepted, clock: clock, at: now))
            }
            let last = epochs[epoch].last
            if last < stored.last { epochs[epoch].addException((last + 1)...stored.last) }
            epochs[epoch].last = stored.last
            epochs[epoch].watermarkMoved()
        }
        gatherWaiting()
    }

    private mutating func restore(_ stored: Image.Record, _ epoch: Int, since: Int64) {
        var item = OutboundItem(record: stored.record, isDurable: true, waitsForCommit: false)
        item.stage = stored.isCommittedThere ? .committed : .queued
        item.reported = item.stage
        item.acceptedAt = since
        // The journal does not say whether it had left: it may have.
        item.wasTransmitted = true
        item.cancelRequest = stored.cancelRequest
        if stored.isCommittedThere { pendingThere += 1 }
        add(item, epoch)
    }
}
