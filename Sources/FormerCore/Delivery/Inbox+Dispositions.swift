/// What the application says, what the journal holds, and the receipts that follow from both.
extension Inbox {
    /// The application's word on a record just given to it.
    mutating func disposed(_ record: InboundRecord, _ disposition: Disposition) {
        let id = record.id
        if pending[id] != nil {
            // Given to the application again after a restart; the journal holds it as pending.
            if disposition != .pending { dispose(id, disposition) }
            return
        }
        if disposition == .pending { pending[id] = record }
        noteWord(record)
        if !disposition.isRejection { hold(record, isPending: disposition == .pending) }
        guard id.lane.traits.isDurable else {
            committed(.disposed(id, disposition))
            return
        }
        guard let epoch = epochs.firstIndex(where: { $0.id == id.epoch }) else { return }
        noteJournaled(epoch)
        entries.append(.received(record, disposition))
        commitActions.append(.disposed(id, disposition))
    }

    /// The application's later word on a record it had left pending. Nothing if it was not.
    mutating func dispose(_ id: RecordID, _ disposition: Disposition) {
        guard disposition != .pending, let record = pending[id] else { return }
        pending[id] = nil
        if let key = record.key { decide(id, key, disposition) }
        if id.lane.traits.isDurable {
            entries.append(.disposed(id, disposition))
            commitActions.append(.disposed(id, disposition))
        } else {
            committed(.disposed(id, disposition))
        }
        decideRepetitions(of: record, disposition)
    }

    /// The application has said something of a value.
    private mutating func noteWord(_ record: InboundRecord) {
        let index = Int(record.id.lane.rawValue)
        guard let key = record.key, var state = lanes[index].keys[key],
            state.newest.number == record.id.number.rawValue
        else { return }
        state.isAsked = false
        lanes[index].store(state, for: key)
    }

    /// The application did not refuse a value: it holds that one now.
    private mutating func hold(_ record: InboundRecord, isPending: Bool) {
        guard let key = record.key else { return }
        let value = InboundLane.HeldValue(
            key: key, epoch: record.id.epoch, number: record.id.number.rawValue,
            kind: record.kind, payload: record.payload)
        change(key, of: record.id.lane) {
            $0 = isPending ? JournalImage.candidates($0, and: value) : [value]
        }
    }

    /// A value that was pending is taken over, or gives way to the one before it.
    private mutating func decide(_ id: RecordID, _ key: RecordKey, _ disposition: Disposition) {
        change(key, of: id.lane) { values in
            let place = values.firstIndex {
                $0.epoch == id.epoch && $0.number == id.number.rawValue
            }
            if let place { JournalImage.decide(&values, at: place, disposition) }
        }
    }

    /// Changes which values of a key are held, and the fingerprint with them.
    private mutating func change(
        _ key: RecordKey, of lane: Lane, _ change: (inout [InboundLane.HeldValue]) -> Void
    ) {
        let index = Int(lane.rawValue)
        guard var state = lanes[index].keys[key] else { return }
        if let former = state.held {
            lanes[index].heldDigest.remove(key, former.kind, former.payload)
        }
        change(&state.candidates)
        if let held = state.held {
            lanes[index].heldDigest.insert(key, held.kind, held.payload)
        }
        lanes[index].store(state, for: key)
    }

    /// The journal holds this now: it may be acknowledged.
    mutating func committed(_ action: CommitAction) {
        switch action {
        case .disposed(let id, let disposition):
            modifyNumbers(of: id) { numbers in
                numbers.arrived.insert(id.number.rawValue)
                if !disposition.isRejection { numbers.committed.insert(id.number.rawValue) }
                numbers.dispose(id.number.rawValue, disposition)
            }
            if disposition.isRejection { outcomeIsDue(id) }
        case .withdrawn(let id, let outcome):
            if id.lane.traits.isDurable { lanes[Int(id.lane.rawValue)].unwrittenEnds -= 1 }
            modifyNumbers(of: id) { $0.withdraw(id.number.rawValue, outcome) }
            outcomeIsDue(id)
        case .taken(let lane, let bytes):
            lanes[Int(lane.rawValue)].committed(bytes: bytes)
        case .floor(let place):
            floorIsDurable(place)
        }
    }

    /// Nothing has to be written: what waits for the next commit waits for none.
    mutating func commitWithoutEntries() {
        guard !commitActions.isEmpty else { return }
        var actions: [CommitAction] = []
        swap(&actions, &commitActions)
        for action in actions { committed(action) }
    }

    private mutating func outcomeIsDue(_ id: RecordID) {
        guard let epochIndex = sessionEpochs.firstIndex(of: id.epoch) else { return }
        lanes[Int(id.lane.rawValue)].outcomesDue.append(
            RecordAddress(epochIndex: epochIndex, number: id.number.rawValue))
    }

    private mutating func modifyNumbers(
        of id: RecordID, _ change: (inout InboundNumbers) -> Void
    ) {
        guard let epoch = epochs.firstIndex(where: { $0.id == id.epoch }) else { return }
        let index = Int(id.lane.rawValue)
        change(&epochs[epoch].lanes[index])
        if let epochIndex = sessionEpochs.firstIndex(of: id.epoch) {
            let number = id.number.rawValue
            lanes[index].receiptIsDue(epochIndex, number...number)
        }
    }

    /// What the application holds of the counterpart's values, in a lasting order.
    func heldEntries(_ lane: Lane) -> [HeldFrame.Entry] {
        let keys = lanes[Int(lane.rawValue)].keys
        var entries: [HeldFrame.Entry] = []
        for (key, state) in zip(keys.keys, keys.values) {
            guard let held = state.held, !held.kind.removesKey else { continue }
            entries.append(
                HeldFrame.Entry(
                    key: key, kind: held.kind,
                    fingerprintLow: UInt32(truncatingIfNeeded: held.fingerprint)))
        }
        return entries
    }
}
