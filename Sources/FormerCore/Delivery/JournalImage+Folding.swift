/// What an entry makes of an image.
extension JournalImage {
    /// Folds one more durable entry in.
    public mutating func apply(_ entry: JournalEntry) {
        switch entry {
        case .epochOpened(let id, let parent, let parentHighest):
            let epoch = OwnEpoch(
                id: id, parent: parent, parentHighest: parentHighest.map { $0.rawValue },
                next: Array(repeating: 1, count: Lane.count))
            ownEpochs.append(epoch)
            newestEpoch = epoch
            lineage.open(id, bound: bounds.epochs) { [ownEpochs] id in
                ownEpochs.contains { $0.id == id }
            }
        case .queued(let record):
            outbound.set(record.id, StoredOutbound(record: record, stage: .queued))
            if let index = ownEpochs.firstIndex(where: { $0.id == record.id.epoch }) {
                let lane = Int(record.id.lane.rawValue)
                ownEpochs[index].next[lane] = max(
                    ownEpochs[index].next[lane], record.id.number.rawValue + 1)
                if newestEpoch?.id == record.id.epoch { newestEpoch = ownEpochs[index] }
            }
        case .reached(let id, let stage):
            outbound.modify(id) { stored in stored.stage = max(stored.stage, stage) }
            lastConfirmedEpoch = newer(lastConfirmedEpoch, id.epoch)
        case .withdrawalAsked(let id, let outcome):
            outbound.modify(id) { stored in
                stored.withdrawal = stored.withdrawal ?? outcome
            }
        case .settled(let id, let outcome):
            if let stored = outbound.remove(id), outcome == .applied || outcome == .unknown,
                let key = stored.record.key
            {
                note(
                    OwnValue(
                        lane: id.lane, key: key, id: id, kind: stored.record.kind,
                        payload: stored.record.payload))
            }
            if outcome == .applied { lastConfirmedEpoch = newer(lastConfirmedEpoch, id.epoch) }
            outcomes.note(id, outcome)
        case .ownKeyForgotten(let lane, let key):
            let place = LaneKey(lane: lane, key: key)
            if ownValues[place]?.kind.removesKey == true { ownValues[place] = nil }
        case .epochRetired(let id):
            ownEpochs.removeAll { $0.id == id }
        case .epochLost(let id, let after):
            lineage.insertLost(id, after: after, bound: bounds.epochs)
        case .adopted(let value):
            ownValues[LaneKey(lane: value.lane, key: value.key)] = value
        case .counterpartEpoch(let id, let rank, let parent):
            guard !counterpartEpochs.contains(where: { $0.id == id }) else { return }
            let former = counterpartLineage[id]?.rank
            if former == nil { makeRoom(RankRoom(at: rank)) }
            let rank = former ?? rank
            let place = counterpartEpochs.firstIndex { $0.rank > rank }
            counterpartEpochs.insert(
                InboundEpoch(id: id, rank: rank, parent: parent),
                at: place ?? counterpartEpochs.count)
            counterpartLineage.insert(
                CounterpartEpoch(id: id, rank: rank, parent: parent), bound: bounds.epochs
            ) { [counterpartEpochs] id in counterpartEpochs.contains { $0.id == id } }
        case .counterpartEpochRetired(let id):
            counterpartEpochs.removeAll { $0.id == id }
        case .counterpartEpochAbandoned(let id):
            counterpartLineage.abandon(id)
        case .received(let record, let disposition):
            receive(record, disposition)
        case .disposed(let id, let disposition):
            if let record = pending.first(where: { $0.id == id }) {
                if let key = record.key {
                    decide(LaneKey(lane: id.lane, key: key), id, disposition)
                }
                if let name = record.idempotencyName { keys.decide(name, id, disposition) }
            }
            pending.removeAll { $0.id == id }
            followers[id] = nil
            modifyNumbers(of: id) { $0.dispose(id.number.rawValue, disposition) }
        case .keyRemembered(let key, let id, let disposition, let at):
            keys.note(
                IdempotencyName(lane: id.lane, key: key),
                IdempotencyWindow.Memory(id: id, word: disposition, notedAt: at))
        case .repeated(let id, let first, let disposition):
            modifyNumbers(of: id) { numbers in
                numbers.arrived.insert(id.number.rawValue)
                if !disposition.isRejection { numbers.committed.insert(id.number.rawValue) }
                numbers.dispose(id.number.rawValue, disposition)
            }
            if disposition == .pending { followers.update(first, default: []) { $0.append(id) } }
        case .withdrawn(let id, let outcome):
            modifyNumbers(of: id) { $0.withdraw(id.number.rawValue, outcome) }
        case .counterpartKeyForgotten(let lane, let key):
            counterpartValues[LaneKey(lane: lane, key: key)] = nil
        case .counterpartFloor(let epoch, let lane, let floor):
            let id = RecordID(epoch: epoch, lane: lane, number: floor)
            modifyNumbers(of: id, isArrival: false) { $0.settle(below: floor.rawValue) }
        case .handshakesReserved(let end): handshakesReserved = max(handshakesReserved, end)
        case .handshakeTaken(let number): handshakeTaken = max(handshakeTaken, number)
        case .pathMeasured(let memory): path = memory
        case .openingMet(let id):
            formerOpenings = (formerOpenings.filter { $0 != id } + [id])
                .suffix(Greeting.formerOpeningsLimit)
        case .counterpartMet(let id, let former): metOpenings.meet(id, after: former)
        case .counterpartRefused(let id): metOpenings.refuse(id)
        }
    }

    /// A value that was applied, or of which only the counterpart can say what became of it; an
    /// older one of its key says nothing any more.
    private mutating func note(_ value: OwnValue) {
        let key = LaneKey(lane: value.lane, key: value.key)
        if let former = ownValues[key]?.id, lineage.isNewer(former, than: value.id) { return }
        ownValues[key] = value
    }

    private mutating func receive(_ record: InboundRecord, _ disposition: Disposition) {
        modifyNumbers(of: record.id) { numbers in
            numbers.arrived.insert(record.id.number.rawValue)
            numbers.committed.insert(record.id.number.rawValue)
            numbers.dispose(record.id.number.rawValue, disposition)
        }
        if disposition == .pending { pending.append(record) }
        if let key = record.key, !disposition.isRejection,
            let epoch = counterpartEpochs.first(where: { $0.id == record.id.epoch })
        {
            let value = CounterpartValue(
                lane: record.id.lane, key: key, epoch: epoch.id, rank: epoch.rank,
                number: record.id.number.rawValue, kind: record.kind, payload: record.payload)
            counterpartValues.update(LaneKey(lane: record.id.lane, key: key), default: []) {
                $0 = disposition == .pending ? Self.candidates($0, and: value) : [value]
            }
        }
    }

    /// How many values of a key are remembered until the application has decided on them.
    static let candidateLimit = 8

    /// Adds a value that is pending; of too many, the oldest one that is pending is not remembered.
    static func candidates<Value>(_ former: [Value], and value: Value) -> [Value] {
        var candidates = former
        if candidates.count >= candidateLimit { candidates.remove(at: 1) }
        return candidates + [value]
    }

    /// A candidate is taken over, and those before it are over; or it is refused, and gives way to
    /// the one before it.
    static func decide<Value>(
        _ candidates: inout [Value], at place: Int, _ disposition: Disposition
    ) {
        if disposition.isRejection {
            candidates.remove(at: place)
        } else {
            candidates.removeFirst(place)
        }
    }

    /// The application has decided on a value that was pending.
    private mutating func decide(_ key: LaneKey, _ id: RecordID, _ disposition: Disposition) {
        counterpartValues.modify(key) { values in
            let place = values.firstIndex {
                $0.epoch == id.epoch && $0.number == id.number.rawValue
            }
            if let place { Self.decide(&values, at: place, disposition) }
        }
        if counterpartValues[key]?.isEmpty == true { counterpartValues[key] = nil }
    }

    private mutating func makeRoom(_ room: RankRoom) {
        let newest = max(
            counterpartEpochs.last?.rank ?? 0, counterpartLineage.epochs.last?.rank ?? 0)
        guard newest >= room.rank else { return }
        for place in counterpartEpochs.indices {
            counterpartEpochs[place].rank = room.moved(counterpartEpochs[place].rank)
        }
        room.make(&counterpartLineage.epochs)
        counterpartValues.modifyAll { _, values in
            for place in values.indices { values[place].rank = room.moved(values[place].rank) }
        }
    }

    private mutating func modifyNumbers(
        of id: RecordID, isArrival: Bool = true, _ change: (inout InboundNumbers) -> Void
    ) {
        guard let index = counterpartEpochs.firstIndex(where: { $0.id == id.epoch }) else { return }
        change(&counterpartEpochs[index].lanes[Int(id.lane.rawValue)])
        counterpartEpochs[index].isUsed = counterpartEpochs[index].isUsed || isArrival
    }

    private func newer(_ former: EpochID?, _ candidate: EpochID) -> EpochID {
        guard let former, let old = ownEpochs.firstIndex(where: { $0.id == former }),
            let new = ownEpochs.firstIndex(where: { $0.id == candidate })
        else { return candidate }
        return new >= old ? candidate : former
    }

    /// Forgets which of its own numbers were used, if nothing is queued; whether it did. Only for
    /// checkers that must catch a journal that does so.
    package mutating func forgetUsedNumbers() -> Bool {
        guard outbound.isEmpty else { return false }
        ownEpochs = []
        newestEpoch = nil
        lastConfirmedEpoch = nil
        lineage = OwnLineage()
        return true
    }
}
