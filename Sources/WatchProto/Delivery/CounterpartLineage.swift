/// The epochs of the counterpart that were ever used, lowest rank first.
///
/// The list is bounded. Who lists an epoch that has left it was restored from a backup so old that
/// nobody can say any more what of it came here.
struct CounterpartLineage: Equatable, Sendable {
    /// Lowest rank first.
    var epochs: [JournalImage.CounterpartEpoch] = []
    /// What has left the list.
    private(set) var forgotten = ForgottenOpenings()

    init() {}

    /// The lineage that was written down.
    init(_ epochs: [JournalImage.CounterpartEpoch], forgotten: ForgottenOpenings) {
        self.epochs = epochs
        self.forgotten = forgotten
    }

    /// What is remembered of an epoch.
    subscript(id: EpochID) -> JournalImage.CounterpartEpoch? { epochs.last { $0.id == id } }

    /// Whether this side has forgotten an epoch, if it ever knew it.
    func isForgotten(_ id: EpochID) -> Bool { self[id] == nil && forgotten.contains(id) }

    /// Puts an epoch in its place. Of more than `bound` the oldest leave, those that `isOpen` keeps
    /// excepted.
    mutating func insert(
        _ epoch: JournalImage.CounterpartEpoch, bound: Int, isOpen: (EpochID) -> Bool
    ) {
        guard self[epoch.id] == nil else { return }
        let place = epochs.firstIndex { $0.rank > epoch.rank } ?? epochs.count
        epochs.insert(epoch, at: place)
        while epochs.count > bound,
            let place = epochs.dropLast().firstIndex(where: { !isOpen($0.id) })
        {
            let id = epochs.remove(at: place).id
            forgotten.note(id, staying: epochs.lazy.map(\.id))
        }
    }

    /// The counterpart went on from before an epoch.
    mutating func abandon(_ id: EpochID) {
        for index in epochs.indices where epochs[index].id == id {
            epochs[index].isAbandoned = true
        }
    }
}
