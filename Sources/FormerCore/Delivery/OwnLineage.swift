/// The epochs of this side in the order of time, those included that it has lost. Who is asked
/// which of two values is the newer one asks here.
///
/// The list is bounded. What has left it is not taken for lost when the counterpart speaks of it:
/// that would make its values the newest.
struct OwnLineage: Equatable, Sendable {
    /// Oldest first.
    private(set) var epochs: [EpochID] = []
    /// The highest stamp of an epoch that has left the list; nil before any has.
    private(set) var forgottenThrough: UInt64?

    init() {}

    /// The lineage that was written down.
    init(_ epochs: [EpochID], forgottenThrough: UInt64?) {
        self.epochs = epochs
        self.forgottenThrough = forgottenThrough
    }

    /// The name of the next opening, with the random bits of `random`.
    func next(_ random: EpochID, at time: WallTime) -> EpochID {
        let newest = epochs.reduce(forgottenThrough) { max($0 ?? 0, $1.stamp) }
        let (count, clock) = (newest.map { $0 + 1 } ?? 0, EpochID.stamp(of: time))
        return random.stamped(
            max(count, clock), wasClockBehind: count > clock + EpochID.stampsPerSecond)
    }

    /// Where an epoch stands in the list.
    func place(of id: EpochID) -> Int? { epochs.lastIndex(of: id) }

    /// Whether this side, as far as it knows, never opened an epoch: a crash or a restored backup
    /// undid it.
    func isLost(_ id: EpochID) -> Bool {
        guard place(of: id) == nil else { return false }
        return forgottenThrough.map { id.stamp > $0 } ?? true
    }

    /// Where a lost epoch belongs by its stamp: before the first that has a higher one.
    func placeByStamp(of lost: EpochID) -> Int {
        epochs.firstIndex { $0.stamp > lost.stamp } ?? epochs.count
    }

    /// A journal was opened. Of more than `bound` epochs the oldest leave, those that `isOpen`
    /// keeps excepted.
    mutating func open(_ id: EpochID, bound: Int, isOpen: (EpochID) -> Bool) {
        epochs.append(id)
        while epochs.count > bound, let place = epochs.dropLast().firstIndex(where: { !isOpen($0) })
        {
            leave(at: place)
        }
    }

    private mutating func leave(at place: Int) {
        let left = epochs.remove(at: place)
        forgottenThrough = left.forgotten(with: forgottenThrough, staying: epochs)
    }

    /// Puts a lost epoch in its place. Of many more than `bound` the oldest leave: a counterpart
    /// may tell of any number.
    mutating func insertLost(_ id: EpochID, after: EpochID?, bound: Int) {
        epochs.removeAll { $0 == id }
        let former = after.flatMap { self.place(of: $0) }
        // What it stood behind may have left the list.
        let place = former.map { $0 + 1 } ?? (after == nil ? 0 : placeByStamp(of: id))
        epochs.insert(id, at: place)
        if epochs.count / 4 > bound { leave(at: 0) }
    }

    /// Whether an epoch that is not listed any more came after a listed one. Mostly not, as the
    /// oldest leave; but those that are still open stay, and of younger ones only the stamp is
    /// left.
    private func hasLeft(_ id: EpochID, after place: Int) -> Bool {
        !isLost(id) && id.stamp > epochs[place].stamp
    }

    /// Whether the left record was accepted later than the right one.
    func isNewer(_ left: RecordID, than right: RecordID) -> Bool {
        // The records compared are mostly of one epoch, or of the newest ones.
        if left.epoch == right.epoch { return left.number > right.number }
        switch (place(of: left.epoch), place(of: right.epoch)) {
        case (let leftPlace?, let rightPlace?): return leftPlace > rightPlace
        case (let leftPlace?, nil): return !hasLeft(right.epoch, after: leftPlace)
        case (nil, let rightPlace?): return hasLeft(left.epoch, after: rightPlace)
        case (nil, nil): return left.epoch.stamp > right.epoch.stamp
        }
    }
}

extension EpochID {
    /// What is forgotten when this epoch leaves a lineage, and these stay. Where it shares its
    /// stamp with the newest one that stays, no more than before: a side that loses all it writes,
    /// and whose clock stands, opens with that stamp again, which is no old opening.
    func forgotten<Epochs: Sequence>(
        with former: UInt64?, staying: Epochs
    ) -> UInt64? where Epochs.Element == EpochID {
        let newest = staying.lazy.map(\.stamp).max() ?? 0
        return newest <= stamp ? former : max(former ?? 0, stamp)
    }
}
