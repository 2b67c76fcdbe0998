/// What the receiving side says of its own: receipts, outcomes, credit, requests.
extension Inbox {
    /// Whether receipts, outcomes, credit or requests wait in `lane`.
    func hasNotices(_ lane: Lane) -> Bool {
        let state = lanes[Int(lane.rawValue)]
        guard state.hasNotices else { return false }
        if !state.outcomesDue.isEmpty || !state.basesNeeded.isEmpty || !state.turnedAway.isEmpty
            || state.creditIsDue
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

    /// The commit of what has arrived takes long: the sender learns that it has arrived.
    mutating func tellReceived() {
        for lane in lanes.indices where lanes[lane].traits.isDurable {
            for epochIndex in sessionEpochs.indices {
                guard let epoch = position(epochIndex) else { continue }
                let numbers = epochs[epoch].lanes[lane]
                if numbers.arrived != numbers.committed { lanes[lane].markDirty(epochIndex) }
            }
        }
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
        while let address = lanes[index].outcomesDue.first, writer.count + 28 <= limit {
            lanes[index].outcomesDue.removeFirst()
            guard let epoch = position(address.epochIndex),
                let outcome = epochs[epoch].lanes[index].exception(address.number)
            else { continue }
            let further = epochs[epoch].lanes[index].unknown(after: address.number)
            OutcomeFrame(lane: lane, address: address, outcome: outcome, further: further)
                .write(to: &writer)
            references.append(.outcome(lane, address))
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
