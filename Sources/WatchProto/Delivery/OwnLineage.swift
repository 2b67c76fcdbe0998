/// The epochs of this side in the order of time, those included that it has lost. Who is asked
/// which of two values is the newer one asks here.
///
/// The list is bounded. What has left it is not taken for lost when the counterpart speaks of it:
/// that would make its values the newest.
struct OwnLineage: Equatable, Sendable {
    /// Oldest first.
    private(set) var epochs: [EpochID] = []
    /// What has left the list.
    private(set) var forgotten = ForgottenOpenings()

    init() {}

    /// The lineage that was written down.
    init(_ epochs: [EpochID], forgotten: ForgottenOpenings) {
        self.epochs = epochs
        self.forgotten = forgotten
    }

    /// The name of the opening that follows `former`, with the random bits of `random`.
    func next(_ random: EpochID, after former: EpochID?) -> EpochID {
        guard let former else { return random.counted(0, after: nil) }
        let listed = epochs.filter { $0.journal == former.journal }.map(\.openingCount).max()
        let known = max(listed ?? 0, forgotten.through(former.journal) ?? 0, former.openingCount)
        return random.counted(known + 1, after: former)
    }

    /// Where an epoch stands in the list.
    func place(of id: EpochID) -> Int? { epochs.lastIndex(of: id) }

    /// Whether this side, as far as it knows, never opened an epoch: a crash or a restored backup
    /// undid it.
    func isLost(_ id: EpochID) -> Bool { place(of: id) == nil && !forgotten.contains(id) }

    /// A journal was opened. Of more than `bound` epochs the oldest leave, those that `isOpen`
    /// keeps excepted.
    mutating func open(_ id: EpochID, bound: Int, isOpen: (EpochID) -> Bool) {
        epochs.append(id)
        while epochs.count > bound, let place = epochs.dropLast().firstIndex(where: { !isOpen($0) })
        {
            let id = epochs.remove(at: place)
            forgotten.note(id, staying: epochs)
        }
    }

    /// Puts a lost epoch in its place, or in another one.
    mutating func insertLost(_ id: EpochID, after: EpochID?) {
        epochs.removeAll { $0 == id }
        let place = after.flatMap { self.place(of: $0) }
        epochs.insert(id, at: place.map { $0 + 1 } ?? 0)
    }

    /// Whether the left record was accepted later than the right one.
    func isNewer(_ left: RecordID, than right: RecordID) -> Bool {
        // The records compared are mostly of one epoch, or of the newest ones.
        if left.epoch == right.epoch { return left.number > right.number }
        let leftPlace = place(of: left.epoch) ?? -1
        let rightPlace = place(of: right.epoch) ?? -1
        // Both have left the list.
        if leftPlace == rightPlace {
            return left.epoch.openingCount > right.epoch.openingCount
        }
        return leftPlace > rightPlace
    }
}
