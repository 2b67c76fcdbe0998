/// Floors and withdrawals, which leave beside records.
extension Outbox {
    /// Whether frames beside records wait in `lane`.
    func hasNotices(_ lane: Lane) -> Bool {
        let state = lanes[Int(lane.rawValue)]
        return state.withdrawals.first.map { state.isWithin(limits.numberSpan, $0) } ?? false
            || (state.floorIsDue && state.traits.order == .ordered)
    }

    /// Writes withdrawals and floors that are due.
    mutating func writeNotices(
        _ lane: Lane, to writer: inout WireWriter, room: Int
    ) -> [FrameReference] {
        let index = Int(lane.rawValue)
        var references: [FrameReference] = []
        let limit = writer.count + room
        if lanes[index].floorIsDue { references += writeFloors(index, to: &writer, limit: limit) }
        var written = 0
        for address in lanes[index].withdrawals {
            guard writer.count + 24 <= limit, lanes[index].isWithin(limits.numberSpan, address)
            else { break }
            written += 1
            guard let item = lanes[index].segments[address.epochIndex][address.number],
                let withdrawal = item.withdrawal
            else { continue }
            WithdrawFrame(lane: lane, address: address, isExpired: withdrawal == .expired)
                .write(to: &writer)
            lanes[index].sentWithdrawals[address] = true
            references.append(.withdraw(lane, address))
        }
        lanes[index].withdrawals.removeFirst(written)
        return references
    }

    /// Floors go before what counts on them.
    private mutating func writeFloors(
        _ index: Int, to writer: inout WireWriter, limit: Int
    ) -> [FrameReference] {
        var isComplete = true
        for epoch in lanes[index].segments.indices.prefix(lanes[index].listedEpochs) {
            let floor = lanes[index].segments[epoch].durableFloor
            guard floor > lanes[index].announcedFloors[epoch] else { continue }
            guard writer.count + 24 <= limit else {
                isComplete = false
                break
            }
            let address = RecordAddress(epochIndex: epoch, number: floor)
            FloorFrame(lane: lanes[index].lane, floor: address).write(to: &writer)
            lanes[index].announcedFloors[epoch] = floor
        }
        if isComplete { lanes[index].floorIsDue = false }
        return [.floor(lanes[index].lane)]
    }
}
