/// The start and end of a session, and the handling of the counterpart's hello.
extension OrderedSender {
    /// Begins a session, in which frames index own epochs as `listing` does: the present epoch
    /// first, then the earlier ones, oldest first. It ends the former session.
    ///
    /// Call it when message 1 is made, for early data, or when the session is established.
    ///
    /// - Parameters:
    ///   - listing: the epochs that the counterpart knows.
    ///   - further: those that frames list behind them.
    ///   - gone: those that are closed on both sides; what the counterpart still holds of them is
    ///     settled.
    package mutating func begin(
        listing: [EpochID], further: [EpochID] = [], gone: [EpochID] = []
    ) {
        end()
        arrangeEpochs(listing, gone)
        session = Session(
            listing: listing, told: listing + further, credit: SendCredit(traits))
        for epoch in epochs.indices { epochs[epoch].toldWatermark = 0 }
        scheduleCancels()
    }

    /// Frames list these epochs behind the others.
    package mutating func tell(_ further: [EpochID]) { session?.told += further }

    /// The counterpart knows more of the own epochs now: their records may leave, too. Records and
    /// credit that are under way in the session stay so.
    package mutating func list(_ listing: [EpochID], gone: [EpochID] = []) {
        guard session != nil else { return }
        let former = epochs.map { $0.id }
        arrangeEpochs(listing, gone)
        let places = former.map { id in epochs.lastIndex { $0.id == id } ?? 0 }
        session?.arrange(listing, places)
        for epoch in epochs.indices { epochs[epoch].toldWatermark = 0 }
        scheduleCancels()
    }

    /// Every request to cancel that is not answered, and not under way in this session, leaves.
    private mutating func scheduleCancels() {
        guard session != nil else { return }
        for epoch in epochs.indices where isListed(epoch) {
            var numbers: [UInt64] = []
            epochs[epoch].items.visit { number, item in
                guard item.cancelRequest != nil, item.isLive, item.stage < .committed,
                    !item.isCancelSent
                else { return }
                numbers.append(number)
            }
            for number in numbers { scheduleCancel(RecordPlace(epoch: epoch, number: number)) }
        }
    }

    /// Takes what the counterpart's hello says: its opening, and up to which number it has taken
    /// the records of own epochs (named only where that is above its watermark). Where `isComplete`
    /// is false, an epoch that is not named may be so for want of room.
    package mutating func greet(
        opening: EpochID, taken: [(epoch: EpochID, through: UInt64)], isComplete: Bool
    ) {
        if opening != counterpartOpening, !mutants.contains(.receivedKept) {
            forgetStages(above: .sent, through: .received)
        }
        counterpartOpening = opening
        for (epoch, through) in taken { received(epoch, through: through) }
        guard isComplete else { return urgeWatermarks() }
        // The counterpart holds no exception in an epoch that it does not name.
        for epoch in epochs.indices where !taken.contains(where: { $0.epoch == epochs[epoch].id }) {
            epochs[epoch].toldWatermark = epochs[epoch].watermark
        }
        urgeWatermarks()
    }

    private mutating func urgeWatermarks() {
        session?.watermarkIsUrgent = epochs.contains { $0.highestException > $0.toldWatermark }
    }

    /// The counterpart's process has taken every record of an own epoch up to this one: a hint that
    /// saves sending them. It settles nothing.
    package mutating func received(_ id: EpochID, through: UInt64) {
        guard let epoch = epochs.lastIndex(where: { $0.id == id }),
            through > epochs[epoch].receivedThrough
        else { return }
        let numbers = (epochs[epoch].receivedThrough + 1)...through
        epochs[epoch].receivedThrough = through
        for number in epochs[epoch].items.numbers(in: numbers) {
            let place = RecordPlace(epoch: epoch, number: number)
            let isNews = epochs[epoch].items.modify(number) { item -> Bool in
                // A record that never left cannot have been taken.
                guard item.wasTransmitted, item.stage < .received, item.isLive else { return false }
                item.stage = .received
                return true
            }
            guard isNews == true else { continue }
            report(place)
            if mutants.contains(.settleReceived) { settle(place, .applied) }
        }
    }

    /// The counterpart lost state, and this side enters a ticket. Records that it had committed are
    /// offered again, and records that it had applied are *lost since*. Every *Enter* with that
    /// verdict calls it once; the entry of the ticket says the same to the journal.
    package mutating func counterpartLostState() {
        forgetStages(above: .sent)
        scheduleCancels()
        guard traits.isDurable else { return }
        outcomes.counterpartLostState()
        // Endings that the journal does not hold yet are in no log.
        for epoch in epochs.indices {
            epochs[epoch].items.modifyAll { _, item in
                if item.ending == .applied { item.isLostSince = true }
            }
        }
        gatherWaiting()
    }

    /// Lists anew what waits for the counterpart's commit.
    mutating func gatherWaiting() {
        var list = WaitingRecords()
        for epoch in epochs {
            epoch.items.visit { _, item in
                guard item.isLive, item.stage < .committed else { return }
                list.append(item.record.id, since: item.acceptedAt)
            }
        }
        list.sort()
        waiting = list
    }

    /// Stages reported from the counterpart's process, or from its journal, count no more.
    private mutating func forgetStages(above stage: Stage, through last: Stage = .applied) {
        session?.cursor = RecordPlace(epoch: 0, number: 0)
        if last > .committed { pendingThere = 0 }
        for epoch in epochs.indices {
            epochs[epoch].receivedThrough = 0
            epochs[epoch].items.modifyAll { _, item in
                guard item.isLive, item.stage > stage, item.stage <= last else { return }
                item.stage = stage
            }
        }
    }

    /// Ends the session. Records of a channel that is not durable end with it.
    package mutating func end() {
        guard session != nil else { return }
        session = nil
        for epoch in epochs.indices {
            var over: [(number: UInt64, outcome: Outcome)] = []
            let isDurable = traits.isDurable
            epochs[epoch].items.modifyAll { number, item in
                item.isOffered = false
                item.isCancelSent = false
                item.fragments = nil
                if !isDurable {
                    over.append((number, item.wasTransmitted ? .outcomeUnknown : .notDelivered))
                }
            }
            for (number, outcome) in over {
                settle(RecordPlace(epoch: epoch, number: number), outcome)
            }
        }
    }

    @inline(__always)
    func isListed(_ epoch: Int) -> Bool {
        epoch == epochs.count - 1 || session?.listing.contains(epochs[epoch].id) ?? false
    }

    /// Every listed epoch has its place, the oldest first, also where this journal knows no record
    /// of it: the counterpart may hold a tail. Epochs that are closed on both sides are dropped.
    private mutating func arrangeEpochs(_ listing: [EpochID], _ gone: [EpochID]) {
        // A hello may have stated what an epoch that is listed knows of a tail.
        epochs.removeAll { $0.isGone && $0.items.isEmpty && !listing.contains($0.id) }
        guard let present = epochs.popLast() else { return }
        var arranged: [OutboundEpoch] = []
        for id in listing.dropFirst() where id != present.id {
            // An epoch that is announced anew stands in the listing twice; its first place counts.
            if arranged.contains(where: { $0.id == id }) { continue }
            if let epoch = epochs.firstIndex(where: { $0.id == id }) {
                arranged.append(epochs.remove(at: epoch))
            } else {
                var epoch = OutboundEpoch(id: id)
                epoch.isGone = gone.contains(id) && !mutants.contains(.forgetOwnClosed)
                epoch.tail = lostTails[id] ?? 0
                if tailsUnderWay[id] == nil { epoch.last = epoch.tail }
                arranged.append(epoch)
            }
        }
        // Epochs that found no room in the listing are newer.
        epochs = arranged + epochs + [present]
    }
}
