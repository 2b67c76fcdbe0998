/// What a floor of the sender belongs to.
struct FloorPlace: Hashable, Sendable {
    var epoch: EpochID
    var lane: Lane
}

/// The floor the journal was given last, and the newest one.
struct FloorUnderWay: Sendable {
    var written: UInt64
    var newest: UInt64
}

/// What the sender takes back, and what it says is settled.
extension Inbox {
    /// The sender takes a record back: unless it was delivered, it is over now.
    mutating func receive(_ frame: WithdrawFrame) throws(WireError) {
        let index = Int(frame.lane.rawValue)
        let epoch = try checkedPosition(frame.address)
        lanes[index].receiptIsDue(
            frame.address.epochIndex, frame.address.number...frame.address.number)
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
            journalEnd(id, epoch, outcome)
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
        if lane.traits.isDurable, epochs[epoch].isUsed {
            noteJournaled(epoch)
            journalFloor(FloorPlace(epoch: epochs[epoch].id, lane: lane), floor)
        }
        let isPassed = { (address: RecordAddress) in
            address.epochIndex == epochIndex && address.number < floor
        }
        lanes[index].held.removeAll(where: isPassed)
        lanes[index].assemblies.removeAll { isPassed($0.address) }
        lanes[index].freed()
        return true
    }

    /// Of each epoch and lane one floor at a time is on its way to the journal, and the newest one
    /// follows it: a sender's floors may come faster than the journal is.
    private mutating func journalFloor(_ place: FloorPlace, _ floor: UInt64) {
        guard floorsUnderWay[place] == nil else {
            floorsUnderWay.modify(place) { $0.newest = max($0.newest, floor) }
            return
        }
        floorsUnderWay[place] = FloorUnderWay(written: floor, newest: floor)
        entries.append(.counterpartFloor(place.epoch, place.lane, floor: RecordNumber(floor)))
        commitActions.append(.floor(place))
    }

    /// The journal holds a floor.
    mutating func floorIsDurable(_ place: FloorPlace) {
        guard let floor = floorsUnderWay.remove(place), floor.newest > floor.written,
            journaledEpochs.contains(place.epoch)
        else { return }
        journalFloor(place, floor.newest)
    }

    /// A record is over without having been given to the application.
    mutating func journalEnd(_ id: RecordID, _ epoch: Int, _ outcome: Outcome) {
        noteJournaled(epoch)
        lanes[Int(id.lane.rawValue)].unwrittenEnds += 1
        entries.append(.withdrawn(id, outcome))
        commitActions.append(.withdrawn(id, outcome))
    }

    /// Before the first entry that speaks of an epoch stands the one that ranks it.
    mutating func noteJournaled(_ epoch: Int) {
        guard !journaledEpochs.contains(epochs[epoch].id) else { return }
        // One that leaves the lineage must not take a count with it under which another is listed
        // in which nothing has arrived yet: that would be forgotten before it was known.
        if lineage.epochs.count >= bounds.epochs {
            for older in 0..<epoch
            where sessionEpochs.contains(epochs[older].id)
                && !journaledEpochs.contains(epochs[older].id)
                && !retired.contains(epochs[older].id)
            {
                journalEpoch(older)
            }
        }
        journalEpoch(epoch)
    }

    private mutating func journalEpoch(_ epoch: Int) {
        let id = epochs[epoch].id
        giveRank(epoch)
        let rank = epochs[epoch].rank
        let parent = epochs[epoch].parent
        journaledEpochs.append(id)
        lineage.insert(
            JournalImage.CounterpartEpoch(id: id, rank: rank, parent: parent), bound: bounds.epochs
        ) { [journaledEpochs] in journaledEpochs.contains($0) }
        entries.append(.counterpartEpoch(id, rank: rank, parent: parent))
    }
}
