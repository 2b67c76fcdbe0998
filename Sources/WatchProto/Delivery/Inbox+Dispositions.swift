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
        guard id.lane.traits.isDurable else {
            committed(.disposed(id, disposition))
            return
        }
        entries.append(.disposed(id, disposition))
        commitActions.append(.disposed(id, disposition))
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
            epoch: record.id.epoch, number: record.id.number.rawValue, kind: record.kind,
            payload: record.payload)
        change(key, of: record.id.lane) {
            $0 = isPending ? JournalImage.candidates($0, and: value) : [value]
        }
    }

    /// A value that was pending is taken over, or gives way to the one before it.
    private mutating func decide(_ id: RecordID, _ key: RecordKey, _ disposition: Disposition) {
        change(key, of: id.lane) { values in
            guard
                let place = values.firstIndex(where: {
                    $0.epoch == id.epoch && $0.number == id.number.rawValue
                })
            else { return }
            if disposition.isRejection {
                values.remove(at: place)
            } else {
                values.removeFirst(place)
            }
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
            modifyNumbers(of: id) { $0.withdraw(id.number.rawValue, outcome) }
            outcomeIsDue(id)
        }
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
            lanes[index].markDirty(epochIndex)
        }
    }

    /// What the application holds of the counterpart's values, in a lasting order.
    func heldEntries(_ lane: Lane) -> [HeldFrame.Entry] {
        let keys = lanes[Int(lane.rawValue)].keys
        var entries: [HeldFrame.Entry] = []
        for (key, state) in zip(keys.keys, keys.values) {
            guard let held = state.held, !held.kind.isRemoval else { continue }
            let fingerprint = SetDigest.fingerprint(key, held.kind, held.payload)
            entries.append(
                HeldFrame.Entry(
                    key: key, kind: held.kind,
                    fingerprintLow: UInt32(truncatingIfNeeded: fingerprint)))
        }
        return entries
    }

    // MARK: Notices

    /// Whether receipts, outcomes, credit or requests wait in `lane`.
    func hasNotices(_ lane: Lane) -> Bool {
        let state = lanes[Int(lane.rawValue)]
        guard state.hasNotices else { return false }
        if !state.outcomesDue.isEmpty || !state.basesNeeded.isEmpty || !state.turnedAway.isEmpty
            || state.creditIsDue || !state.unknownDue.isEmpty
        {
            return true
        }
        return state.dirtyEpochs.contains { !receipts(lane, $0).isEmpty }
    }

    /// The receipts of an epoch of the session, the furthest stage first.
    private func receipts(_ lane: Lane, _ epochIndex: Int) -> [ReceiptFrame] {
        guard let epoch = position(epochIndex) else { return [] }
        var numbers = epochs[epoch].lanes[Int(lane.rawValue)]
        if numbers.unknownBelow > 1 { numbers.forgetUnknown() }
        var frames: [ReceiptFrame] = []
        if !numbers.applied.isEmpty {
            frames.append(
                ReceiptFrame(
                    lane: lane, stage: .applied, epochIndex: epochIndex, numbers: numbers.applied))
        }
        if numbers.committed != numbers.applied, !numbers.committed.isEmpty {
            frames.append(
                ReceiptFrame(
                    lane: lane, stage: .committed, epochIndex: epochIndex,
                    numbers: numbers.committed))
        }
        if numbers.arrived != numbers.committed, numbers.exceptions.isEmpty,
            !numbers.arrived.isEmpty
        {
            frames.append(
                ReceiptFrame(
                    lane: lane, stage: .received, epochIndex: epochIndex, numbers: numbers.arrived))
        }
        return frames
    }

    /// A packet with no more in it than this has room for most receipts.
    private static var littleElseBytes: Int { 64 }

    /// Writes what waits in `lane` into at most `room` bytes.
    mutating func writeNotices(
        _ lane: Lane, to writer: inout WireWriter, room: Int
    ) -> [FrameReference] {
        let index = Int(lane.rawValue)
        let limit = writer.count + room
        var references: [FrameReference] = []
        while let address = lanes[index].basesNeeded.first, writer.count + 16 <= limit {
            lanes[index].basesNeeded.removeFirst()
            NeedBaseFrame(lane: lane, address: address).write(to: &writer)
            references.append(.needBase(lane, address))
        }
        while let turned = lanes[index].turnedAway.first, writer.count + 24 <= limit {
            lanes[index].turnedAway.removeFirst()
            TryLaterFrame(lane: lane, address: turned.address, offers: turned.offers)
                .write(to: &writer)
            references.append(.tryLater(lane, turned.address, offers: turned.offers))
        }
        while let address = lanes[index].outcomesDue.first, writer.count + 20 <= limit {
            lanes[index].outcomesDue.removeFirst()
            guard let epoch = position(address.epochIndex),
                let outcome = epochs[epoch].lanes[index].exception(address.number)
            else { continue }
            OutcomeFrame(lane: lane, address: address, outcome: outcome).write(to: &writer)
            references.append(.outcome(lane, address))
        }
        while let (epochIndex, numbers) = lanes[index].unknownDue.first,
            writer.count + 20 <= limit
        {
            let address = RecordAddress(epochIndex: epochIndex, number: numbers.lowerBound)
            OutcomeFrame(lane: lane, address: address, outcome: .unknown).write(to: &writer)
            references.append(.outcome(lane, address))
            if numbers.lowerBound == numbers.upperBound {
                lanes[index].unknownDue.removeFirst()
            } else {
                lanes[index].unknownDue[0].numbers = (numbers.lowerBound + 1)...numbers.upperBound
            }
        }
        while let epochIndex = lanes[index].dirtyEpochs.first {
            let frames = receipts(lane, epochIndex)
            var receiptWriter = WireWriter()
            var fitting = limits
            for frame in frames { frame.write(to: &receiptWriter, limits: fitting) }
            while writer.count + receiptWriter.count > limit, fitting.receiptRanges > 0 {
                // Cut short only in a packet that has little else: the next one has more room.
                guard writer.count <= Self.littleElseBytes else { return references }
                fitting.receiptRanges /= 2
                receiptWriter = WireWriter()
                for frame in frames { frame.write(to: &receiptWriter, limits: fitting) }
            }
            guard writer.count + receiptWriter.count <= limit else { break }
            lanes[index].dirtyEpochs.removeFirst()
            guard !frames.isEmpty else { continue }
            if frames.contains(where: { $0.numbers.ranges.count > fitting.receiptRanges }) {
                // The lowest ranges are told; the rest follow when the sender's floor has moved.
                lanes[index].noteCutShort(epochIndex)
            }
            writer.append(receiptWriter.bytes)
            references.append(.receipt(lane, epochIndex: epochIndex))
        }
        if lanes[index].creditIsDue, writer.count + 24 <= limit {
            lanes[index].makeCredit().write(to: &writer)
            references.append(.credit(lane))
        }
        return references
    }

    /// A packet was lost: what it carried of ours is told again.
    mutating func lost(_ reference: FrameReference) {
        switch reference {
        case .receipt(let lane, let epochIndex):
            lanes[Int(lane.rawValue)].markDirty(epochIndex)
        case .outcome(let lane, let address):
            lanes[Int(lane.rawValue)].outcomesDue.append(address)
        case .credit(let lane):
            lanes[Int(lane.rawValue)].creditIsDue = true
        case .needBase(let lane, let address):
            lanes[Int(lane.rawValue)].basesNeeded.append(address)
        case .tryLater(let lane, let address, let offers):
            lanes[Int(lane.rawValue)].turnedAway.append((address, offers))
        case .record, .part, .floor, .withdraw, .heldQuery, .held, .valueQuery, .value, .ping:
            break
        }
    }
}
