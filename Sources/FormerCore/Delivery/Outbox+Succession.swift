/// Which of several values of a key leaves: the newest that this session can offer.
extension Outbox {
    /// A value that ended without being applied gives way to the one before it, when no newer one
    /// is under way. (To a receiver that has refused it, the older one may come too late; it says
    /// so.)
    mutating func giveWay(_ lane: Lane, _ key: RecordKey, _ failed: OutboundItem) {
        let index = Int(lane.rawValue)
        guard var state = lanes[index].keys[key] else { return }
        lanes[index].setBytes = nil
        if isInSession, let newest = state.live.last, newest.epochIndex >= listedEpochs {
            // The newest of those that can leave in this session has ended: the one before it can.
            if let next = state.live.last(where: { $0.epochIndex < listedEpochs }) {
                standIn(index, next)
            }
            guard state.newestID == failed.record.id else { return }
        }
        if let last = state.live.last {
            guard let former = lanes[index].segments[last.epochIndex][last.number],
                former.isSuperseded || state.newestID == failed.record.id
            else { return }
            state.newestID = former.record.id
            state.newestKind = former.record.kind
            state.newestPayload = former.record.payload
            state.isSaidAgain = false
            lanes[index].keys[key] = state
            standIn(index, last)
        } else if state.newestID == failed.record.id {
            if let held = state.held {
                state.newestKind = held.kind
                state.newestPayload = held.payload
                state.isSaidAgain = false
                lanes[index].keys[key] = state
            } else {
                lanes[index].keys[key] = nil
            }
        }
    }

    /// A value waits for no newer one any more, and leaves by itself.
    private mutating func standIn(_ index: Int, _ address: RecordAddress) {
        var isDue = false
        lanes[index].segments[address.epochIndex].modify(address.number) { item in
            isDue = item.isSuperseded && item.stage < .received && !item.isOffered
            item.isSuperseded = false
        }
        guard isInSession, isDue, address.epochIndex < listedEpochs else { return }
        lanes[index].scheduleResend(address)
    }

    /// More waits than the greeting listed, room for some of it has come, and what is left of the
    /// listed waits for nothing but the receiver's application: a new greeting must list the rest.
    /// A large record of the listed keeps nothing but large ones waiting: for the others it begins
    /// anew, no more often than room comes.
    var needsNewGreeting: Bool {
        guard isInSession, listedEpochs < epochs.count else { return false }
        let isRoom = (0..<listedEpochs).contains { epoch in
            lanes.allSatisfy { $0.segments[epoch].isDurablySettled }
        }
        guard isRoom else { return false }
        let isOnlyLarge = lanes.allSatisfy { lane in
            lane.lane == .bulk || lane.segments[listedEpochs...].allSatisfy { $0.count == 0 }
        }
        return lanes.allSatisfy { lane in
            (lane.lane == .bulk && !isOnlyLarge)
                || lane.segments.prefix(listedEpochs).allSatisfy(\.isAllHeldThere)
        }
    }

    /// A value waits for the receipt of its successor only where this session can offer that: of
    /// each key the newest listed value leaves, and settles those before it.
    mutating func reviseSuperseded() {
        guard listedEpochs < epochs.count || hasUnlistedSuccessors else { return }
        hasUnlistedSuccessors = listedEpochs < epochs.count
        for index in lanes.indices where lanes[index].traits.order == .newestPerKey {
            for state in lanes[index].keys.values where state.live.count > 1 {
                let newest = state.live.last { $0.epochIndex < listedEpochs } ?? state.live[0]
                for address in state.live.dropLast() where address <= newest {
                    lanes[index].segments[address.epochIndex].modify(address.number) { item in
                        item.isSuperseded = address < newest
                    }
                }
            }
        }
    }
}
