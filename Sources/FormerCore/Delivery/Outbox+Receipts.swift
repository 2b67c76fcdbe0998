/// What the counterpart reports of this side's records, and what the carrier lost of them.
extension Outbox {
    /// Takes a receipt. Numbers that were never sent are a violation.
    mutating func receive(_ receipt: ReceiptFrame) throws(WireError) {
        let index = Int(receipt.lane.rawValue)
        guard receipt.epochIndex < epochs.count else {
            throw WireError(
                .outOfRange, at: 0, expected: "epoch of the greeting",
                found: UInt64(receipt.epochIndex))
        }
        let epoch = receipt.epochIndex
        // Of an earlier opening the counterpart may hold records that left before a commit which a
        // crash then undid: those are no news to anybody here.
        if epoch == epochs.count - 1, let last = receipt.numbers.last,
            last >= epochs[epoch].next[index]
        {
            throw WireError(
                .outOfRange, at: 0, expected: "receipt of a record that was sent", found: last)
        }
        for range in receipt.numbers.ranges {
            // Most of a receipt repeats earlier ones, and is passed over.
            let news = lanes[index].segments[epoch].reach(receipt.stage, range)
            for numbers in news {
                for number in numbers
                where lanes[index].segments[epoch].isBelow(receipt.stage, number) {
                    advance(index, RecordAddress(epochIndex: epoch, number: number), receipt.stage)
                }
            }
        }
    }

    private mutating func noteConfirmedEpoch(_ epoch: Int) {
        let known = lastConfirmedEpoch.flatMap { id in epochs.firstIndex { $0.id == id } } ?? -1
        if epoch > known { lastConfirmedEpoch = epochs[epoch].id }
    }

    /// What was confirmed without a gap can be missed later: see ``hasForgottenConfirmed(_:)``.
    private mutating func noteConfirmed(_ index: Int, _ address: RecordAddress) {
        guard address.epochIndex == epochs.count - 1, lanes[index].traits.order == .ordered,
            // Behind many gaps nothing will be missed; they would only take room.
            lanes[index].confirmed.ranges.count < 32
                || address.number <= lanes[index].confirmed.last ?? 0
        else { return }
        lanes[index].confirmed.insert(address.number)
    }

    private mutating func advance(_ index: Int, _ address: RecordAddress, _ stage: Stage) {
        guard let item = lanes[index].segments[address.epochIndex][address.number],
            item.heldOutcome == nil, stage > item.stage
        else { return }
        if stage >= .committed {
            // What is not durable there is no sign of what its journal should know; neither is a
            // receipt that only repeats this side's floor.
            if lanes[index].traits.isDurable {
                noteConfirmedEpoch(address.epochIndex)
                noteConfirmed(index, address)
            }
            adoptBase(index, address, item)
            lanes[index].arrivedBefore[address] = nil
        }
        if item.isInFlight, stage >= .committed, stage != .applied {
            lanes[index].inFlight -= 1
        }
        if stage == .applied {
            settle(lanes[index].lane, address, .applied)
            return
        }
        lanes[index].segments[address.epochIndex].modify(address.number) { item in
            item.stage = stage
            item.isHeldThere = item.isHeldThere || stage >= .committed
        }
        if stage == .committed, lanes[index].traits.isDurable {
            entries.append(.reached(item.record.id, .committed))
        }
        report(lanes[index].lane, address)
    }

    /// The receiver has committed this value: deltas may build on it if it was marked.
    private mutating func adoptBase(_ index: Int, _ address: RecordAddress, _ item: OutboundItem) {
        guard let key = item.record.key else { return }
        lanes[index].keys.modify(key) { state in
            if item.definedHandle { state.isHandleKnown = true }
            guard state.marked == address else { return }
            state.marked = nil
            state.base = OutboundLane.Base(
                numberLow: UInt8(truncatingIfNeeded: address.number),
                fingerprintLow: UInt16(truncatingIfNeeded: ContentHash.of(item.record.payload)),
                payload: item.record.payload)
        }
    }

    /// Takes the receiver's word on how a record ended.
    mutating func receive(_ frame: OutcomeFrame) throws(WireError) {
        try check(frame.lane, frame.address)
        let index = Int(frame.lane.rawValue)
        let epoch = frame.address.epochIndex
        // Nothing holds on to the segment: the first settlement would copy it whole.
        let numbers = lanes[index].segments[epoch].liveNumbers(
            in: frame.address.number...frame.last)
        if frame.lane.traits.isDurable, !numbers.isEmpty {
            // Who knows only that all of it is over need not have kept anything of it.
            if frame.outcome == .unknown {
                noteEnded(epochs[epoch].id)
            } else {
                noteConfirmedEpoch(epoch)
            }
        }
        for number in numbers {
            if frame.outcome == .superseded {
                supersededThere = lanes[index].segments[epoch][number]?.record.id
            }
            settle(
                frame.lane, RecordAddress(epochIndex: epoch, number: number), frame.outcome)
            supersededThere = nil
        }
    }

    /// The receiver lacks the base or the handle: the value goes again, whole and with its key.
    mutating func receive(_ frame: NeedBaseFrame) throws(WireError) {
        try check(frame.lane, frame.address)
        let index = Int(frame.lane.rawValue)
        guard var item = lanes[index].segments[frame.address.epochIndex][frame.address.number],
            item.isOffered, item.stage < .received
        else { return }
        if let key = item.record.key {
            lanes[index].keys.modify(key) { state in
                state.base = nil
                state.isHandleKnown = false
            }
        }
        lanes[index].refund(&item)
        item.needsWhole = true
        lanes[index].segments[frame.address.epochIndex].modify(frame.address.number) { $0 = item }
        lanes[index].scheduleResend(frame.address)
    }

    /// The receiver had no room: nothing more in this lane until its credit is raised.
    mutating func receive(_ frame: TryLaterFrame) throws(WireError) {
        try check(frame.lane, frame.address)
        let index = Int(frame.lane.rawValue)
        // Whatever became of the record: until the credit is above this, more would be turned away.
        if frame.offers > lanes[index].pausedAtOffers {
            lanes[index].pausedAtOffers = frame.offers
            lanes[index].pausedFrom = frame.address
        } else if frame.offers == lanes[index].pausedAtOffers {
            lanes[index].pausedFrom = min(lanes[index].pausedFrom, frame.address)
        }
        guard let item = lanes[index].segments[frame.address.epochIndex][frame.address.number],
            item.isOffered, item.offeredAtCredit <= frame.offers
        else { return }
        lost(.record(frame.lane, frame.address))
    }

    /// The receiver can take more.
    mutating func receive(_ frame: CreditFrame) {
        let index = Int(frame.lane.rawValue)
        lanes[index].creditOffers = max(lanes[index].creditOffers, frame.offers)
        lanes[index].creditBytes = max(lanes[index].creditBytes, frame.bytes)
    }

    private func check(_ lane: Lane, _ address: RecordAddress) throws(WireError) {
        guard address.epochIndex < epochs.count,
            address.epochIndex < epochs.count - 1
                || address.number < epochs[address.epochIndex].next[Int(lane.rawValue)]
        else {
            throw WireError(
                .outOfRange, at: 0, expected: "record that was sent", found: address.number)
        }
    }

    /// A packet was lost: what it carried of ours leaves again, if it still matters.
    mutating func lost(_ reference: FrameReference) {
        switch reference {
        case .record(let lane, let address):
            let index = Int(lane.rawValue)
            guard var item = lanes[index].segments[address.epochIndex][address.number],
                item.isOffered, item.stage < .received
            else { return }
            lanes[index].refund(&item)
            // The head stays as it was cut, so that late parts of the earlier offer still fit.
            item.parts?.cut += 1
            item.parts?.sentThrough = 0
            item.parts?.lost = []
            lanes[index].segments[address.epochIndex].modify(address.number) { $0 = item }
            if lanes[index].inParts == address { lanes[index].inParts = nil }
            lanes[index].scheduleResend(address)
        case .part(let lane, let address, let cut, let offset, let length):
            let index = Int(lane.rawValue)
            var isLive = false
            lanes[index].segments[address.epochIndex].modify(address.number) { item in
                // Parts of an earlier cut mean nothing any more.
                guard item.isOffered, item.stage < .received, item.parts?.cut == cut
                else { return }
                item.parts?.lost.append(offset..<offset + length)
                isLive = true
            }
            if isLive { lanes[index].scheduleResend(address) }
        case .withdraw(let lane, let address):
            let index = Int(lane.rawValue)
            lanes[index].sentWithdrawals[address] = nil
            lanes[index].scheduleWithdrawal(address)
        case .floor(let lane):
            let index = Int(lane.rawValue)
            for epoch in lanes[index].announcedFloors.indices {
                lanes[index].announcedFloors[epoch] = 0
            }
            lanes[index].floorIsDue = true
        case .receipt, .outcome, .credit, .needBase, .tryLater, .heldQuery, .held, .valueQuery,
            .value, .early, .ping, .pong, .parity:
            break
        }
    }
}
