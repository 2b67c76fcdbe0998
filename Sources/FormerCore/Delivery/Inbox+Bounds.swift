/// What a counterpart can make this side remember, and where that ends.
extension Inbox {
    /// A number is about to be taken in. Honest senders wait before they come to these bounds.
    func checkScatter(_ index: Int, _ epoch: Int, _ number: UInt64) throws(WireError) {
        // Those on their way to the journal will be some.
        let exceptions =
            total { $0.lanes[index].exceptions.count } + lanes[index].unwrittenEnds
        guard exceptions < limits.exceptions else {
            throw WireError(
                .outOfRange, at: 0, expected: "fewer records above the floor that were not applied",
                found: UInt64(exceptions))
        }
        guard epochs[epoch].lanes[index].scatters(number) else { return }
        let ranges = total { $0.lanes[index].arrived.ranges.count }
        guard ranges < limits.arrivalRanges else {
            throw WireError(
                .outOfRange, at: 0, expected: "fewer gaps between the numbers of a lane",
                found: UInt64(ranges))
        }
    }

    /// What the session's epochs come to. (One that is listed no more costs no more than this once,
    /// and goes when a newer one was used.)
    private func total(_ count: (InboundEpoch) -> Int) -> Int {
        var sum = 0
        for epoch in epochs where sessionEpochs.contains(epoch.id) { sum += count(epoch) }
        return sum
    }

    /// A request was added to those that wait.
    func checkRequests(_ requests: AddressQueue) throws(WireError) {
        guard requests.count <= limits.requests else {
            throw WireError(
                .outOfRange, at: 0, expected: "no more records than credit allows",
                found: UInt64(requests.count))
        }
    }

    // MARK: Idle keys

    /// Makes room: forgets what is idle, when looking for it is not dearer than the arrivals since
    /// the last time, or when a session's beginning has left some.
    mutating func sweep(_ index: Int) {
        guard
            lanes[index].remembersRemovals
                || lanes[index].arrivalsSinceSweep > lanes[index].keys.count / 8
        else { return }
        forgetIdleKeys(index, butRemovals: 0)
    }

    /// Forgets the keys that hold no value once none of their older values can arrive any more.
    ///
    /// The newest removals stay: should the sender be restored from a backup that holds the value,
    /// they tell that it has removed it since.
    mutating func forgetIdleKeys(_ index: Int, butRemovals kept: Int) {
        lanes[index].arrivalsSinceSweep = 0
        lanes[index].remembersRemovals = false
        guard lanes[index].traits.order == .newestPerKey, let end = closed(index) else { return }
        let keys = lanes[index].keys
        var removals: [(key: RecordKey, place: (rank: UInt64, number: UInt64))] = []
        for (key, state) in zip(keys.keys, keys.values)
        where state.isIdle && (state.rank, state.newest.number) < end {
            if state.held != nil {
                removals.append((key, (state.rank, state.newest.number)))
            } else {
                lanes[index].store(nil, for: key)
            }
        }
        lanes[index].remembersRemovals = kept > 0 && !removals.isEmpty
        if kept > 0, removals.count > kept { removals.sort { $0.place < $1.place } }
        for removal in removals.dropLast(kept) {
            entries.append(.counterpartKeyForgotten(lanes[index].lane, removal.key))
            lanes[index].store(nil, for: removal.key)
        }
    }

    /// Below it, by rank of the epoch and number, whatever has not arrived is settled: in the
    /// oldest of the session's epochs of which something is still to come.
    private func closed(_ index: Int) -> (rank: UInt64, number: UInt64)? {
        let listed = sessionEpochs.indices.compactMap { place in
            position(place).map { (epoch: $0, next: sessionNext[place][index]) }
        }.sorted { $0.epoch < $1.epoch }
        let open =
            listed.first { epochs[$0.epoch].lanes[index].receivedThrough < $0.next } ?? listed.last
        guard let open else { return nil }
        let epoch = epochs[open.epoch]
        // One that the journal has not heard of has the rank of the one below it.
        let isRanked = journaledEpochs.contains(epoch.id) || retired.contains(epoch.id)
        return (epoch.rank, isRanked ? epoch.lanes[index].receivedThrough : .max)
    }
}

extension Outcome {
    /// The code of a rejection by the protocol itself: the receiver holds as much of the lane as it
    /// can. No application uses it.
    public static let noRoomCode: UInt16 = .max
}
