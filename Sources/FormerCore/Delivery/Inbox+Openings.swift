/// Whether what a counterpart greets with may have been held back on its way.
extension Inbox {
    /// Whether nothing is known here of any opening of the counterpart.
    var knowsNoOpening: Bool {
        epochs.isEmpty && lineage.epochs.isEmpty && lineage.forgottenThrough == nil
    }

    /// Whether the counterpart's journal begins with an epoch new to this side, although records of
    /// an earlier one arrived here: that one was in a journal it has no more. Ask before
    /// ``begin(_:)``. (Who has a journal names the epoch before, however long that is settled.)
    func isForgotten(by greeting: Greeting) -> Bool {
        guard let first = greeting.ownEpochs.first, first.parent == nil,
            !epochs.contains(where: { $0.id == first.id })
        else { return false }
        return epochs.contains { $0.isUsed }
    }

    /// What a greeting of this side tells of the counterpart's epochs: what was held of each before
    /// early data came, and 0 for those of which nothing was. Those are told all the same: the
    /// counterpart may have gone back since to before it opened them, or sent what came.
    var knownToTell: [Greeting.KnownEpoch] {
        let known = knownEpochs
        guard let before = knownBeforeEarly else { return known }
        func isFresh(_ id: EpochID) -> Bool { !before.contains { $0.id == id } }
        // Where they are too many, what was held before says more.
        let fresh = known.map(\.id).filter(isFresh).suffix(max(0, limits.epochs - before.count))
        let gone = before.filter { former in !known.contains { $0.id == former.id } }
        return gone
            + known.compactMap { epoch in
                guard isFresh(epoch.id) else { return before.first { $0.id == epoch.id } }
                guard fresh.contains(epoch.id) else { return nil }
                return Greeting.KnownEpoch(
                    id: epoch.id, receivedThrough: epoch.receivedThrough.map { _ in 0 })
            }
    }

    /// Whether a greeting may be of an opening before one that is known here. Of one that is not
    /// known itself its stamp tells: a side whose clock was set back has to wait for a session, and
    /// so has one that has started again in the same moment.
    func isOfEarlierOpening(_ greeting: Greeting) -> Bool {
        guard let present = greeting.presentID else { return true }
        if let place = epochs.firstIndex(where: { $0.id == present }) {
            return place < epochs.count - 1
        }
        // All of it is over here.
        guard lineage[present] == nil else { return true }
        return epochs.contains { present.stamp <= $0.id.stamp }
            || lineage.epochs.contains { present.stamp <= $0.id.stamp }
    }

    /// The counterpart lists as unsettled what it had settled once: it was restored from a backup.
    /// How those records ended is not remembered, and never guessed.
    mutating func answerUnknown(_ greeting: Greeting) {
        for (epochIndex, own) in greeting.ownEpochs.enumerated() {
            guard let epoch = position(epochIndex) else { continue }
            let isRetired = retired.contains(own.id)
            for index in lanes.indices {
                if isRetired { epochs[epoch].lanes[index].settle(below: own.next[index]) }
                let floor = epochs[epoch].lanes[index].floor
                let claimed = own.floors[index]
                epochs[epoch].lanes[index].unknownBelow = claimed < floor ? floor : 1
                guard claimed < floor else { continue }
                lanes[index].outcomesDue.append(
                    RecordAddress(epochIndex: epochIndex, number: claimed))
            }
        }
    }
}
