/// The epochs of the counterpart that were ever used, lowest rank first.
///
/// The list is bounded. Who lists an epoch that has left it was restored from a backup so old that
/// nobody can say any more what of it came here.
struct CounterpartLineage: Equatable, Sendable {
    /// Lowest rank first.
    var epochs: [JournalImage.CounterpartEpoch] = []
    /// The highest stamp of an epoch that has left the list; nil before any has.
    private(set) var forgottenThrough: UInt64?

    init() {}

    /// The lineage that was written down.
    init(_ epochs: [JournalImage.CounterpartEpoch], forgottenThrough: UInt64?) {
        self.epochs = epochs
        self.forgottenThrough = forgottenThrough
    }

    /// What is remembered of an epoch.
    subscript(id: EpochID) -> JournalImage.CounterpartEpoch? { epochs.last { $0.id == id } }

    /// Whether this side has forgotten an epoch, if it ever knew it.
    func isForgotten(_ id: EpochID) -> Bool {
        guard let forgottenThrough, id.stamp <= forgottenThrough else { return false }
        return self[id] == nil
    }

    /// Puts an epoch in its place. Of more than `bound` the oldest leave, those excepted that
    /// `isOpen` keeps; of many more, which only a hostile counterpart has open, those, too.
    mutating func insert(
        _ epoch: JournalImage.CounterpartEpoch, bound: Int, isOpen: (EpochID) -> Bool
    ) {
        guard self[epoch.id] == nil else { return }
        let place = epochs.firstIndex { $0.rank > epoch.rank } ?? epochs.count
        epochs.insert(epoch, at: place)
        while epochs.count > bound {
            let closed = epochs.dropLast().firstIndex { !isOpen($0.id) }
            guard let place = closed ?? (epochs.count / 4 > bound ? 0 : nil) else { return }
            let left = epochs.remove(at: place).id
            forgottenThrough = left.forgotten(
                with: forgottenThrough, staying: epochs.lazy.map(\.id))
        }
    }

    /// The counterpart went on from before an epoch.
    mutating func abandon(_ id: EpochID) {
        for index in epochs.indices where epochs[index].id == id {
            epochs[index].isAbandoned = true
        }
    }
}
