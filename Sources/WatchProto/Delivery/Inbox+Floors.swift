/// What the sender takes back, and what it says is settled.
extension Inbox {
    /// The sender takes a record back: unless it was delivered, it is over now.
    mutating func receive(_ frame: WithdrawFrame) throws(WireError) {
        let index = Int(frame.lane.rawValue)
        let epoch = try checkedPosition(frame.address)
        lanes[index].markDirty(frame.address.epochIndex)
        if epochs[epoch].lanes[index].arrived.contains(frame.address.number) {
            if epochs[epoch].lanes[index].exception(frame.address.number) != nil {
                lanes[index].outcomesDue.append(frame.address)
            }
            return
        }
        try checkScatter(index, epoch, frame.address.number)
        if let held = lanes[index].held[frame.address] {
            lanes[index].held.removeAll { $0 == frame.address }
            lanes[index].consume(offers: 1, bytes: held.record.payload.count)
        }
        lanes[index].assemblies.removeAll { $0.address == frame.address }
        lanes[index].freed()
        let id = RecordID(
            epoch: epochs[epoch].id, lane: frame.lane, number: RecordNumber(frame.address.number))
        let outcome: Outcome = frame.isExpired ? .expired : .cancelled
        epochs[epoch].lanes[index].arrived.insert(frame.address.number)
        epochs[epoch].lanes[index].withdrawn.insert(frame.address.number)
        if frame.lane.traits.isDurable {
            epochs[epoch].isUsed = true
            noteJournaled(epoch)
            entries.append(.withdrawn(id, outcome))
            commitActions.append(.withdrawn(id, outcome))
        } else {
            committed(.withdrawn(id, outcome))
        }
        let number = frame.address.number
        releaseHeld(index, after: frame.address.epochIndex, number...number)
    }

    /// The sender says what is settled.
    mutating func receive(_ frame: FloorFrame) throws(WireError) {
        _ = try checkedPosition(frame.floor)
        let index = Int(frame.lane.rawValue)
        let epochIndex = frame.floor.epochIndex
        // A floor that moves nothing costs nothing.
        guard settle(frame.lane, epochIndex, below: frame.floor.number) else { return }
        releaseHeld(index, after: epochIndex, 1...(frame.floor.number - 1))
    }

    /// Settles what is below a floor; false when that was settled already.
    @discardableResult
    mutating func settle(_ lane: Lane, _ epochIndex: Int, below floor: UInt64) -> Bool {
        let index = Int(lane.rawValue)
        guard let epoch = position(epochIndex), floor > 1,
            epochs[epoch].lanes[index].receivedThrough < floor
                || epochs[epoch].lanes[index].exceptions.first.map({ $0.number < floor }) ?? false
        else { return false }
        epochs[epoch].lanes[index].settle(below: floor)
        lanes[index].floorMoved(epochIndex)
        if lane.traits.isDurable, epochs[epoch].isUsed {
            noteJournaled(epoch)
            entries.append(
                .counterpartFloor(epochs[epoch].id, lane, floor: RecordNumber(floor)))
        }
        let isPassed = { (address: RecordAddress) in
            address.epochIndex == epochIndex && address.number < floor
        }
        lanes[index].held.removeAll(where: isPassed)
        lanes[index].assemblies.removeAll { isPassed($0.address) }
        lanes[index].freed()
        return true
    }

    /// Before the first entry that speaks of an epoch stands the one that ranks it.
    mutating func noteJournaled(_ epoch: Int) {
        guard !journaledEpochs.contains(epochs[epoch].id) else { return }
        let id = epochs[epoch].id
        giveRank(epoch)
        let rank = epochs[epoch].rank
        let parent = epochs[epoch].parent
        journaledEpochs.append(id)
        JournalImage.insert(
            JournalImage.CounterpartEpoch(id: id, rank: rank, parent: parent), into: &lineage)
        entries.append(.counterpartEpoch(id, rank: rank, parent: parent))
    }
}
