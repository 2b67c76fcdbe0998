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
        return state.receiptsDue.contains { hasReceipt(lane, $0) }
    }

    /// The commit of what has arrived takes long: the sender learns that it has arrived.
    mutating func tellReceived() {
        for lane in lanes.indices where lanes[lane].traits.isDurable {
            for epochIndex in sessionEpochs.indices {
                guard let epoch = position(epochIndex) else { continue }
                let numbers = epochs[epoch].lanes[lane]
                if numbers.arrived != numbers.committed { lanes[lane].receiptIsDue(epochIndex) }
            }
        }
    }

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
        references += writeReceipts(lane, to: &writer, limit: limit)
        if lanes[index].creditIsDue, writer.count + 24 <= limit {
            lanes[index].makeCredit().write(to: &writer)
            references.append(.credit(lane))
        }
        return references
    }

    /// A packet was lost: what it carried of ours is told again.
    mutating func lost(_ reference: FrameReference) {
        switch reference {
        case .receipt(let lane, let epochIndex, let numbers):
            lanes[Int(lane.rawValue)].receiptIsDue(epochIndex, numbers)
        case .outcome(let lane, let address):
            lanes[Int(lane.rawValue)].outcomesDue.append(address)
        case .credit(let lane):
            lanes[Int(lane.rawValue)].creditIsDue = true
        case .needBase(let lane, let address):
            lanes[Int(lane.rawValue)].basesNeeded.append(address)
        case .tryLater(let lane, let address, let offers):
            lanes[Int(lane.rawValue)].turnedAway.append((address, offers))
        case .record, .part, .floor, .withdraw, .heldQuery, .held, .valueQuery, .value,
            .early, .ping, .pong, .parity:
            break
        }
    }
}
