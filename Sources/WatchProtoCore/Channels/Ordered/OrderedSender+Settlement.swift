/// The settlement of records on this side, and the actions that the journal's receipts set free.
extension OrderedSender {
    /// A record is over; the application hears of it when the journal holds that.
    mutating func settle(_ place: RecordPlace, _ outcome: Outcome) {
        guard let item = epochs[place.epoch].items[place.number], item.isLive else { return }
        cancelAnswered(place)
        if item.stage == .committed { pendingThere -= 1 }
        epochs[place.epoch].items.modify(place.number) { item in
            item.ending = outcome
            item.fragments = nil
            if outcome == .applied { item.stage = .applied }
        }
        if outcome != .applied { epochs[place.epoch].addException(place.number...place.number) }
        forgetName(of: item.record)
        session?.settled += 1
        report(place)
        if traits.isDurable {
            entries.append(.settled(item.record.id, outcome))
            commits.append(.settled(item.record.id))
            if mutants.contains(.watermarkBeforeCommit) { finish(item.record.id) }
        } else {
            finish(item.record.id)
        }
    }

    /// A request to cancel, if it was under way, is answered or lost.
    mutating func cancelAnswered(_ place: RecordPlace) {
        let wasSent = epochs[place.epoch].items.modify(place.number) { item -> Bool in
            defer { item.isCancelSent = false }
            return item.isCancelSent
        }
        if wasSent == true { session?.cancelsUnderWay -= 1 }
    }

    /// The journal holds how a record ended.
    private mutating func finish(_ id: RecordID) {
        guard let place = place(of: id),
            let item = epochs[place.epoch].items.remove(place.number)
        else { return }
        queuedRecords -= 1
        queuedBytes -= item.record.payload.count
        if let outcome = item.ending {
            outcomes.note(id, count: 1, outcome, isLostSince: item.isLostSince)
            events.append(.settled(id, outcome))
        }
        let former = epochs[place.epoch].highestException
        epochs[place.epoch].watermarkMoved()
        if epochs[place.epoch].highestException > former { session?.watermarkIsUrgent = true }
    }

    /// Tells the application of the stages reached since it was last told.
    mutating func report(_ place: RecordPlace) {
        let news = epochs[place.epoch].items.modify(place.number) { item -> ClosedRange<UInt8>? in
            guard item.isDurable else { return nil }
            let first = item.reported.map { $0.rawValue + 1 } ?? 0
            guard first <= item.stage.rawValue else { return nil }
            item.reported = item.stage
            return first...item.stage.rawValue
        }
        guard let news, let news else { return }
        let id = id(of: place)
        for code in news {
            if let stage = Stage(rawValue: code) { events.append(.reached(id, stage)) }
        }
    }

    /// Batches up to this one are durable.
    package mutating func committed(through batch: UInt64) {
        for action in commits.takeCommitted(through: batch) {
            switch action {
            case .accepted(let id): acceptanceIsDurable(id)
            case .settled(let id): finish(id)
            case .tailLost(let epoch, let numbers): tailLossIsDurable(epoch, numbers)
            }
        }
    }

    private mutating func acceptanceIsDurable(_ id: RecordID) {
        guard let place = place(of: id) else { return }
        epochs[place.epoch].items.modify(place.number) { $0.isDurable = true }
        report(place)
    }

    // MARK: Lost tails

    /// The counterpart holds numbers of an own epoch that is over and that this journal does not.
    mutating func tailLost(_ epoch: Int, through last: UInt64) {
        let known = max(epochs[epoch].last, epochs[epoch].tail)
        guard last > known, !mutants.contains(.noHandback) else { return }
        let numbers = (known + 1)...last
        let id = epochs[epoch].id
        epochs[epoch].tail = last
        writeTail(id, numbers)
    }

    /// The counterpart holds records of an own epoch that is neither listed nor gone: they are
    /// returned. Throws where it names more such epochs than a journal remembers.
    package mutating func receiveHeld(
        _ epoch: EpochID, through: UInt64, watermark: UInt64
    ) throws(WireError) {
        if let place = epochs.lastIndex(where: { $0.id == epoch }) {
            if place < epochs.count - 1 { tailLost(place, through: through) }
            return
        }
        let first = max(watermark, lostTails[epoch] ?? 0) + 1
        guard first <= through, !mutants.contains(.noHandback) else { return }
        guard lostTails[epoch] != nil || lostTails.count < limits.epochs else {
            throw WireError(
                .outOfRange, at: 0, expected: "epochs that were this side's",
                found: UInt64(lostTails.count))
        }
        lostTails[epoch] = through
        writeTail(epoch, first...through)
    }

    private mutating func writeTail(_ epoch: EpochID, _ numbers: ClosedRange<UInt64>) {
        tailsUnderWay.update(epoch, default: 0) { $0 += 1 }
        entries.append(.tailLost(epoch, channel, last: numbers.upperBound))
        commits.append(.tailLost(epoch, numbers: numbers))
    }

    private mutating func tailLossIsDurable(_ epoch: EpochID, _ numbers: ClosedRange<UInt64>) {
        if let place = epochs.lastIndex(where: { $0.id == epoch }) {
            epochs[place].last = max(epochs[place].last, numbers.upperBound)
            epochs[place].watermarkMoved()
        }
        tailsUnderWay.modify(epoch) { $0 -= 1 }
        if tailsUnderWay[epoch] == 0 { tailsUnderWay[epoch] = nil }
        events.append(.tailLost(epoch, channel, numbers: numbers))
    }

    /// The counterpart stated that it has closed an own epoch.
    package mutating func epochIsGone(_ epoch: EpochID) {
        if lostTails[epoch] != nil {
            lostTails[epoch] = nil
            entries.append(.epoch(epoch, .gone))
        }
        if let place = epochs.dropLast().lastIndex(where: { $0.id == epoch }) {
            epochs[place].isGone = true
        }
    }
}
