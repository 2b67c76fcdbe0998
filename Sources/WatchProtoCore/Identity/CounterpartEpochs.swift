/// The counterpart's openings that a journal remembers. It knows from which of them values are
/// taken, and from which nothing more is taken (Models/IDENTITY.md, sections 6, 7 and 9).
package struct CounterpartEpochs: Hashable, Sendable {
    /// The content of a journal about the counterpart's openings.
    package struct Image: Hashable, Sendable {
        /// The epochs that are known or closed, in the order in which they were written down.
        private var epochs: [Met] = []
        /// The bound was reached: epochs that were met long ago look as if they never were.
        package private(set) var hasDropped = false
        private let limit: Int

        private struct Met: Hashable, Sendable {
            var id: EpochID
            var isKnown: Bool
            var isClosed: Bool
        }

        package init(limits: Limits = Limits()) { limit = max(1, limits.epochs) }

        /// The number of epochs that are remembered.
        package var count: Int { epochs.count }

        /// Folds one entry; those of other rooms change nothing here.
        package mutating func apply(_ entry: JournalEntry) {
            guard case .epoch(let id, let mark) = entry else { return }
            if mark == .oldestRemembered { hasDropped = true }
            guard mark == .known || mark == .closed else { return }
            var met = Met(id: id, isKnown: false, isClosed: false)
            if let place = epochs.lastIndex(where: { $0.id == id }) {
                met = epochs[place]
                met.isKnown = met.isKnown || mark == .known
                met.isClosed = met.isClosed || mark == .closed
                epochs[place] = met
                return
            }
            if epochs.count >= limit {
                epochs.removeFirst()
                hasDropped = true
            }
            met.isKnown = mark == .known
            met.isClosed = mark == .closed
            epochs.append(met)
        }

        /// The entries that make this image.
        var entries: [JournalEntry] {
            var entries: [JournalEntry] = []
            if hasDropped, let oldest = epochs.first {
                entries.append(.epoch(oldest.id, .oldestRemembered))
            }
            for epoch in epochs {
                if epoch.isKnown { entries.append(.epoch(epoch.id, .known)) }
                if epoch.isClosed { entries.append(.epoch(epoch.id, .closed)) }
            }
            return entries
        }

        func isKnown(_ id: EpochID) -> Bool { epochs.last { $0.id == id }?.isKnown ?? false }
        func isClosed(_ id: EpochID) -> Bool { epochs.last { $0.id == id }?.isClosed ?? false }
    }

    /// The content of the journal, entries that are not durable yet included.
    private var image: Image
    /// Entries for the next batch.
    private var entries: [JournalEntry] = []
    /// The statements that are made once their batch is durable.
    private var waiting: [Waiting] = []
    /// Epochs to be stated as written down; each is durable.
    package var known = EpochStatements()
    /// Epochs to be stated as closed; each is durable.
    package var closed = EpochStatements()

    /// An epoch whose mark becomes durable with a batch; 0 for one that is not formed yet.
    private struct Waiting: Hashable, Sendable {
        var id: EpochID
        var mark: EpochMark
        var batch: UInt64
    }

    /// Continues from what the journal holds.
    package init(restoring image: Image) { self.image = image }

    /// Whether values of the epoch are taken.
    package func isKnown(_ id: EpochID) -> Bool { image.isKnown(id) }
    /// Whether nothing more of the epoch is taken.
    package func isClosed(_ id: EpochID) -> Bool { image.isClosed(id) }
    /// Whether epochs that were met long ago look as if they never were.
    package var hasDropped: Bool { image.hasDropped }

    /// Takes values of the epoch from now on; the counterpart is told once that is durable, also
    /// where the epoch was known before.
    package mutating func markKnown(_ id: EpochID) { mark(id, .known, isNew: !isKnown(id)) }

    /// Takes nothing more of the epoch; the counterpart is told once that is durable, also where
    /// the epoch was closed before.
    package mutating func markClosed(_ id: EpochID) { mark(id, .closed, isNew: !isClosed(id)) }

    private mutating func mark(_ id: EpochID, _ mark: EpochMark, isNew: Bool) {
        if isNew {
            image.apply(.epoch(id, mark))
            entries.append(.epoch(id, mark))
            waiting.append(Waiting(id: id, mark: mark, batch: 0))
        } else if !waiting.contains(where: { $0.id == id && $0.mark == mark }) {
            state(id, mark)
        }
    }

    private mutating func state(_ id: EpochID, _ mark: EpochMark) {
        if mark == .known { known.add(id) } else { closed.add(id) }
    }

    // MARK: Batches

    /// Whether entries wait for a batch.
    package var hasEntries: Bool { !entries.isEmpty }

    /// The entries for the batch that is formed now.
    package mutating func takeEntries() -> [JournalEntry] {
        let taken = entries
        entries.removeAll()
        return taken
    }

    /// The entries that were taken belong to this batch.
    package mutating func batchFormed(_ batch: UInt64) {
        for place in waiting.indices where waiting[place].batch == 0 {
            waiting[place].batch = batch
        }
    }

    /// Batches up to this one are durable.
    package mutating func committed(through batch: UInt64) {
        for item in waiting where item.batch != 0 && item.batch <= batch {
            state(item.id, item.mark)
        }
        waiting.removeAll { $0.batch != 0 && $0.batch <= batch }
    }

    /// A session ended: its pending statements are dropped.
    package mutating func sessionEnded() {
        known.removeAll()
        closed.removeAll()
    }
}
