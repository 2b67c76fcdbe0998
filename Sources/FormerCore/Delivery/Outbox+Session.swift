/// Sessions begin and end; what was under way is offered again unless the counterpart has it.
extension Outbox {
    /// Leaves epochs out that hold nothing unsettled. Call before a greeting is made; the places of
    /// epochs stay fixed for the session that follows.
    mutating func pruneEpochs() {
        guard !isInSession else { return }
        var index = 0
        while index < epochs.count - 1 {
            if lanes.allSatisfy({ $0.segments[index].isDurablySettled }) {
                entries.append(.epochRetired(epochs[index].id))
                epochs.remove(at: index)
                for lane in lanes.indices {
                    lanes[lane].segments.remove(at: index)
                    lanes[lane].keys.modifyAll { _, state in
                        state.live = state.live.map {
                            RecordAddress(
                                epochIndex: $0.epochIndex > index
                                    ? $0.epochIndex - 1 : $0.epochIndex,
                                number: $0.number)
                        }
                        // Only unsettled records are marked, and those move with their epoch.
                        state.marked = state.marked.map {
                            RecordAddress(
                                epochIndex: $0.epochIndex > index
                                    ? $0.epochIndex - 1 : $0.epochIndex,
                                number: $0.number)
                        }
                    }
                }
            } else {
                index += 1
            }
        }
    }

    /// Before the first entry that speaks of this opening's epoch stands the one that opens it.
    mutating func openEpoch() {
        let last = epochs.count - 1
        guard !epochs[last].isOpened else { return }
        epochs[last].isOpened = true
        entries.append(
            .epochOpened(
                epochs[last].id, parent: epochs[last].parent,
                parentHighest: epochs[last].parentHighest.map { RecordNumber($0) }))
    }

    /// The counterpart has met this opening: those that follow it name it.
    mutating func noteMet() {
        guard !isMet else { return }
        isMet = true
        entries.append(.openingMet(epochs[epochs.count - 1].id))
    }

    /// This side's epochs as a greeting lists them, oldest first.
    var greetingEpochs: [Greeting.OwnEpoch] {
        epochs.enumerated().map { index, epoch in
            Greeting.OwnEpoch(
                id: epoch.id, parent: epoch.parent, parentHighest: epoch.parentHighest,
                next: epoch.next, floors: lanes.map { $0.segments[index].durableFloor })
        }
    }

    /// Records may leave behind a first flight: whole, with nothing that an answer would settle.
    mutating func beginEarly(toldFloors: [[UInt64]]) {
        self.toldFloors = toldFloors
        listedEpochs = toldFloors.count
        beginOffers()
        isEarly = true
        hearAnew(nil)
        for index in lanes.indices {
            // What every session begins with.
            lanes[index].creditOffers = UInt64(lanes[index].traits.offerWindow)
            lanes[index].creditBytes = UInt64(lanes[index].traits.byteWindow)
        }
    }

    /// Nothing was offered yet.
    private mutating func beginOffers() {
        isInSession = true
        settledInSession = 0
        for index in lanes.indices {
            lanes[index].listedEpochs = listedEpochs
            lanes[index].cursor = RecordAddress(epochIndex: 0, number: 0)
            lanes[index].resend = []
            lanes[index].inParts = nil
            lanes[index].offered = 0
            lanes[index].offeredBytes = 0
            lanes[index].inFlight = 0
            lanes[index].pausedAtOffers = 0
        }
        reviseSuperseded()
    }

    /// Begins a session with a counterpart that greeted so, or goes on with what left early. Says
    /// whether the counterpart lost what it once held.
    mutating func begin(_ greeting: Greeting, isLossless: Bool, goesOn: Bool = false) -> Bool {
        self.isLossless = isLossless
        knowsFurtherParts = greeting.highestVersion >= Greeting.versionWithFurtherParts
        if !goesOn { beginOffers() }
        isEarly = false
        for index in lanes.indices {
            // What was passed by, as it had arrived, may fall back below.
            lanes[index].cursor = RecordAddress(epochIndex: 0, number: 0)
            if goesOn { forgetCharges(index) }
            lanes[index].creditOffers = greeting.offers[index]
            lanes[index].creditBytes = greeting.bytes[index]
            lanes[index].floorIsDue = false
            lanes[index].announcedFloors = lanes[index].segments.map { $0.durableFloor }
            for (epoch, floors) in toldFloors.enumerated() {
                lanes[index].announcedFloors[epoch] = floors[index]
            }
            lanes[index].withdrawals = []
            lanes[index].sentWithdrawals.removeAll()
            lanes[index].arrivedBefore.removeAll()
            lanes[index].nextHandle = 0
            lanes[index].keys.modifyAll { _, state in
                state.handle = nil
                state.isHandleKnown = false
                state.marked = nil
            }
            for epoch in lanes[index].segments.indices {
                lanes[index].segments[epoch].forgetReached()
                var withdrawn: [RecordAddress] = []
                lanes[index].segments[epoch].modifyAll { number, item in
                    if item.withdrawal != nil {
                        withdrawn.append(RecordAddress(epochIndex: epoch, number: number))
                    }
                }
                lanes[index].withdrawals += withdrawn
            }
        }
        for known in greeting.knownEpochs {
            guard let epoch = epochs.firstIndex(where: { $0.id == known.id }) else { continue }
            for index in lanes.indices {
                noteArrived(index, epoch, below: known.receivedThrough[index])
            }
        }
        let hasLost = hasLost(greeting) || hasForgottenConfirmed(greeting)
        confirmedAtBegin = lastConfirmedEpoch
        forgetStages(greeting)
        hearAnew(greeting)
        var former: EpochID?
        for known in greeting.knownEpochs {
            if lineage.isLost(known.id) { noteLost(known.id, listedAfter: former) }
            former = known.id
        }
        return hasLost
    }

    /// What left early costs nothing of the session's credit: the receiver begins to count anew,
    /// and does not know of what it did not take.
    private mutating func forgetCharges(_ index: Int) {
        lanes[index].offered = 0
        lanes[index].offeredBytes = 0
        for epoch in lanes[index].segments.indices {
            lanes[index].segments[epoch].modifyAll { _, item in
                guard item.isOffered else { return }
                item.isUncharged = true
                item.chargedBytes = 0
            }
        }
    }

    /// What arrived need not be offered; its receipts follow on their own.
    private mutating func noteArrived(_ lane: Int, _ epoch: Int, below bound: UInt64) {
        var number = lanes[lane].segments[epoch].floor
        let end = min(bound, lanes[lane].segments[epoch].end)
        while number < end {
            let isOwed = lanes[lane].traits.isDurable
            var isUncommitted = false
            lanes[lane].segments[epoch].modify(number) { item in
                isUncommitted = isOwed && item.stage < .committed && item.heldOutcome == nil
                item.stage = max(item.stage, .received)
            }
            if isUncommitted {
                lanes[lane].arrivedBefore[RecordAddress(epochIndex: epoch, number: number)] = true
            }
            report(lanes[lane].lane, RecordAddress(epochIndex: epoch, number: number))
            number += 1
        }
    }

    /// The link is gone: durable records wait again, others end as what is known of them.
    mutating func endSession() {
        isInSession = false
        isEarly = false
        for index in lanes.indices {
            lanes[index].inFlight = 0
            lanes[index].arrivedBefore.removeAll()
            lanes[index].inParts = nil
            lanes[index].resend = []
            let lane = lanes[index].lane
            for epoch in lanes[index].segments.indices {
                lanes[index].segments[epoch].modifyAll { _, item in item.endSession() }
                guard !lane.traits.isDurable else { continue }
                var ended: [(RecordAddress, Bool)] = []
                lanes[index].segments[epoch].modifyAll { number, item in
                    ended.append(
                        (RecordAddress(epochIndex: epoch, number: number), item.wasTransmitted))
                }
                for (address, wasTransmitted) in ended {
                    settle(lane, address, wasTransmitted ? .outcomeUnknown : .notDelivered)
                }
            }
        }
    }

    /// The counterpart holds no value of ours any more: every newest one is to travel again.
    ///
    /// Gives the drafts to accept anew; values still unsettled travel by themselves, whole.
    mutating func valuesToSendAgain(_ lane: Lane) -> [RecordDraft] {
        let index = Int(lane.rawValue)
        var drafts: [RecordDraft] = []
        for slot in lanes[index].keys.keys.indices {
            let key = lanes[index].keys.keys[slot]
            lanes[index].keys.modify(key) { state in
                state.base = nil
                state.marked = nil
                if state.live.isEmpty, let held = state.held, !held.kind.removesKey {
                    drafts.append(
                        RecordDraft(lane: lane, kind: held.kind, key: key, payload: held.payload))
                }
                // That a key was removed is to be known if it turns up again.
                if state.held?.kind.removesKey != true { state.held = nil }
            }
        }
        lanes[index].heldDigest = SetDigest()
        return drafts
    }
}
