/// The journal's state of an inbound ordered channel.
extension OrderedReceiver {
    /// Numbers, keys and pending records of one channel, folded from the entries of a journal.
    package struct Image: Equatable, Sendable {
        /// The channel.
        package let channel: Channel
        private(set) var numbers = ReceivedEpochs()
        private(set) var keys = IdempotencyWindow()
        private(set) var pending = OrderedTable<RecordID, InboundRecord>()
        private(set) var followers = OrderedTable<RecordID, [RecordID]>()
        /// Mistakes that are planted by tests.
        package var mutants: OrderedMutants = []

        package init(channel: Channel) { self.channel = channel }

        /// Folds one entry; those of other rooms and channels change nothing here.
        package mutating func apply(_ entry: JournalEntry) {
            switch entry {
            case .received(let record, let word, at: let clock) where record.id.channel == channel:
                received(record, word, clock)
            case .decided(let id, let word) where id.channel == channel: decided(id, word)
            case .passed(let epoch, channel, let first, let last, let exception):
                numbers.take(epoch, first...last, exception)
            case .held(let record, let ids) where record.id.channel == channel:
                pending[record.id] = record
                if !ids.isEmpty { followers[record.id] = ids }
            case .key(let key, let id, let word, at: let time) where id.channel == channel:
                keys.append(key, IdempotencyWindow.Memory(id: id, word: word, notedAt: time))
            case .repeated(let id, of: let first, let word) where id.channel == channel:
                took(id, RecordException(word))
                if word == .pending { followers.update(first, default: []) { $0.append(id) } }
            case .watermark(let epoch, channel, let number):
                numbers.apply(.settled(epoch, through: number))
            case .epoch(let id, .closed):
                numbers.apply(.closed(id))
                if mutants.contains(.closeDropsPending) {
                    for record in pending.keys where record.epoch == id { pending[record] = nil }
                }
            default: break
            }
        }

        /// The entries that make this image.
        var entries: [JournalEntry] {
            var entries: [JournalEntry] = []
            for (id, numbers) in zip(numbers.ids, numbers.numbers) {
                entries += numbers.entries(id, channel)
            }
            for record in pending.values {
                entries.append(.held(record, followers: followers[record.id] ?? []))
            }
            for (first, ids) in zip(followers.keys, followers.values) where pending[first] == nil {
                entries += ids.map { .repeated($0, of: first, .pending) }
            }
            for (key, memory) in keys.entries {
                entries.append(.key(key, memory.id, memory.word, at: memory.notedAt))
            }
            return entries
        }

        private mutating func took(_ id: RecordID, _ exception: RecordException?) {
            numbers.apply(.took(id, exception, held: nil, at: .zero))
        }

        private mutating func received(
            _ record: InboundRecord, _ word: Disposition, _ clock: WallTime
        ) {
            took(record.id, RecordException(word))
            if word == .pending { pending[record.id] = record }
            if let key = record.idempotencyKey, !mutants.contains(.keysVolatile) {
                let memory = IdempotencyWindow.Memory(id: record.id, word: word, notedAt: clock)
                keys.note(key, memory)
            }
        }

        private mutating func decided(_ id: RecordID, _ word: Disposition) {
            numbers.apply(.decided(id, word))
            if let record = pending.remove(id), let key = record.idempotencyKey {
                keys.decide(key, id, word)
            }
            followers[id] = nil
        }

        /// The records that the application left pending, in the order in which it was given them.
        var pendingInOrder: [InboundRecord] {
            let epochs = numbers.ids
            return pending.values.sorted { left, right in
                let places = (
                    epochs.firstIndex(of: left.id.epoch) ?? -1,
                    epochs.firstIndex(of: right.id.epoch) ?? -1
                )
                guard places.0 == places.1 else { return places.0 < places.1 }
                return left.id.number < right.id.number
            }
        }
    }
}
