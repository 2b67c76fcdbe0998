/// What a greeting shows that the counterpart has lost of what it confirmed.
extension Outbox {
    /// Whether the counterpart knows nothing of an epoch in which it once confirmed something.
    func hasLost(_ greeting: Greeting) -> Bool {
        guard let lastConfirmedEpoch else { return false }
        let confirmed = epochs.firstIndex { $0.id == lastConfirmedEpoch }
        for known in greeting.epochsKnownBefore {
            guard let index = epochs.firstIndex(where: { $0.id == known.id }) else {
                if known.id == lastConfirmedEpoch { return false }
                // One retired long ago is less than what was confirmed since. One never heard of is
                // of an opening of ours that a crash undid, and so later than all we know.
                if lineage.isLost(known.id) { return false }
                let place = lineage.place(of: known.id)
                let confirmedPlace = lineage.place(of: lastConfirmedEpoch)
                if let confirmedPlace, place ?? -1 < confirmedPlace { continue }
                if place != nil, confirmedPlace == nil { continue }
                return false
            }
            if confirmed.map({ index >= $0 }) ?? true { return false }
        }
        return true
    }

    /// Whether the counterpart lacks records of this opening that it confirmed: it was restored
    /// from a backup, or it is a copy made before them. Only numbers below which nothing ended
    /// otherwise count, since a floor that this side told may be forgotten in a crash. (What a
    /// newest lane has lost shows in its digest.)
    func hasForgottenConfirmed(_ greeting: Greeting) -> Bool {
        let own = epochs[epochs.count - 1].id
        guard let known = greeting.knownEpochs.first(where: { $0.id == own }) else { return false }
        return lanes.indices.contains { index in
            guard let run = lanes[index].confirmed.ranges.first, run.lowerBound == 1 else {
                return false
            }
            return known.receivedThrough[index] <= run.upperBound
        }
    }
}
