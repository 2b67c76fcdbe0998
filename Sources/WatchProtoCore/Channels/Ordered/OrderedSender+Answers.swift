/// The handling of the counterpart's statements about this side's records, and of the carrier's
/// losses.
extension OrderedSender {
    // MARK: Statements

    /// Takes a statement: records are committed, or applied. The counterpart is at fault where it
    /// names a record of the present epoch that never left.
    mutating func receive(_ frame: AcknowledgementFrame) throws(WireError) {
        for range in frame.numbers.ranges {
            guard let epoch = try check(frame.epochIndex, range) else { continue }
            for number in epochs[epoch].items.numbers(in: range) {
                let place = RecordPlace(epoch: epoch, number: number)
                if frame.isApplied {
                    settle(place, .applied)
                } else {
                    committedThere(place)
                }
            }
        }
    }

    /// Takes a statement: how records ended without being applied. Throws as the statement of what
    /// is applied does.
    mutating func receive(_ frame: OutcomeFrame) throws(WireError) {
        guard let epoch = try check(frame.epochIndex, frame.numbers) else { return }
        for number in epochs[epoch].items.numbers(in: frame.numbers) {
            let place = RecordPlace(epoch: epoch, number: number)
            let request = epochs[epoch].items[number]?.cancelRequest
            switch frame.word {
            // A process whose settlement this journal has lost skipped it.
            case .skipped: settle(place, request ?? .unknown)
            case .cancelled: settle(place, .cancelled)
            case .expired: settle(place, .expired)
            case .rejected(let code): settle(place, .rejected(code: code))
            case .unknown: settle(place, .unknown)
            }
        }
    }

    /// The epoch that a statement speaks of; nil where it is settled and gone. Numbers beyond those
    /// that an earlier epoch used are a lost tail, unless it is gone.
    private mutating func check(
        _ index: Int, _ numbers: ClosedRange<UInt64>
    ) throws(WireError) -> Int? {
        guard let listing = session?.told, index < listing.count else {
            throw WireError(
                .outOfRange, at: 0, expected: "epoch of the hello", found: UInt64(index))
        }
        let id = listing[index]
        guard let epoch = epochs.lastIndex(where: { $0.id == id }) else { return nil }
        guard index == 0 else {
            if epochs[epoch].isGone {
                epochs[epoch].last = max(epochs[epoch].last, numbers.upperBound)
            } else if numbers.upperBound > epochs[epoch].last {
                tailLost(epoch, through: numbers.upperBound)
            }
            return epoch
        }
        guard numbers.upperBound <= epochs[epoch].last else {
            throw WireError(
                .outOfRange, at: 0, expected: "answer for a record that was sent",
                found: numbers.upperBound)
        }
        return epoch
    }

    private mutating func committedThere(_ place: RecordPlace) {
        if mutants.contains(.pendingSettles) { return settle(place, .applied) }
        let id = id(of: place)
        cancelAnswered(place)
        let isNews = epochs[place.epoch].items.modify(place.number) { item -> Bool in
            guard item.isLive, item.stage < .committed else { return false }
            item.stage = .committed
            item.fragments = nil
            return true
        }
        guard isNews == true else { return }
        pendingThere += 1
        if traits.isDurable { entries.append(.committedThere(id)) }
        report(place)
    }

    // MARK: Hints

    /// Takes a hint: the receiver can take more.
    mutating func receive(_ frame: CreditFrame) { session?.credit.raise(frame) }

    /// Takes a hint: the counterpart has taken records up to this one. The packet's author is at
    /// fault for every error.
    mutating func receive(_ frame: ReceivedFrame) throws(WireError) {
        guard let listing = session?.told, frame.address.epochIndex < listing.count else {
            throw WireError(
                .outOfRange, at: 0, expected: "epoch of the hello",
                found: UInt64(frame.address.epochIndex))
        }
        received(listing[frame.address.epochIndex], through: frame.address.number)
    }

    /// Takes a hint: the receiver had no room for a record, which leaves again when its credit has
    /// risen. The packet's author is at fault for every error.
    mutating func receive(_ frame: TryLaterFrame) throws(WireError) {
        guard let place = place(of: frame.address) else {
            throw WireError(
                .outOfRange, at: 0, expected: "record that was sent", found: frame.address.number)
        }
        session?.credit.pause(at: frame.records, from: place)
        leaveAgain(place)
    }

    private func place(of address: RecordAddress) -> RecordPlace? {
        guard let listing = session?.told, address.epochIndex < listing.count,
            let epoch = epochs.lastIndex(where: { $0.id == listing[address.epochIndex] }),
            address.number <= epochs[epoch].last
        else { return nil }
        return RecordPlace(epoch: epoch, number: address.number)
    }

    private mutating func leaveAgain(_ place: RecordPlace) {
        let isLive = epochs[place.epoch].items.modify(place.number) { item -> Bool in
            guard item.isOffered, item.stage < .received, item.isLive else { return false }
            item.isOffered = false
            item.fragments?.restart()
            return true
        }
        guard isLive == true else { return }
        if session?.inFragments == place { session?.inFragments = nil }
        session?.resend.insertInOrder(place)
    }

    // MARK: Frames other than records

    /// Whether a request to cancel waits.
    package var hasHints: Bool {
        guard let session else { return false }
        return !session.cancels.isEmpty && session.cancelsUnderWay < limits.requests / 2
    }

    /// Writes requests to cancel, into at most `room` bytes.
    mutating func writeHints(to writer: inout WireWriter, room: Int) -> [Reference] {
        let limit = writer.count + room
        var references: [Reference] = []
        while hasHints, let place = session?.cancels.first {
            let item = epochs[place.epoch].items[place.number]
            guard let item, item.isLive, item.stage < .committed, let reason = item.cancelRequest,
                let address = address(of: place)
            else {
                session?.cancels.removeFirst()
                continue
            }
            guard writer.count + Self.cancelBytes <= limit else { break }
            session?.cancels.removeFirst()
            session?.cancelsUnderWay += item.isCancelSent ? 0 : 1
            epochs[place.epoch].items.modify(place.number) { $0.isCancelSent = true }
            CancelFrame(
                channel: channel, address: address,
                predecessor: livePredecessor(of: place).flatMap { self.address(of: $0) },
                isExpired: reason == .expired
            ).write(to: &writer)
            references.append(.cancel(address))
        }
        return references
    }

    /// Whether a watermark is worth a packet; `writeStatements(to:room:)` writes the others, too.
    package var hasStatements: Bool {
        guard let isUrgent = session?.watermarkIsUrgent else { return false }
        if isUrgent { return true }
        for epoch in epochs.indices {
            // The receiver closes an epoch that is over behind its watermark.
            let isOver = epoch < epochs.count - 1 && epochs[epoch].items.isEmpty
            let due = epochs[epoch].toldWatermark + (isOver ? 1 : 256)
            if epochs[epoch].watermark >= due, isListed(epoch) { return true }
        }
        return false
    }

    /// Writes the watermarks that the counterpart was not told, into at most `room` bytes.
    mutating func writeStatements(to writer: inout WireWriter, room: Int) -> [Reference] {
        guard session != nil else { return [] }
        let limit = writer.count + room
        var references: [Reference] = []
        for epoch in epochs.indices where epochs[epoch].watermark > epochs[epoch].toldWatermark {
            let place = RecordPlace(epoch: epoch, number: epochs[epoch].watermark)
            guard let address = address(of: place) else { continue }
            guard writer.count + Self.watermarkBytes <= limit else { return references }
            epochs[epoch].toldWatermark = place.number
            WatermarkFrame(channel: channel, address: address).write(to: &writer)
            references.append(.watermark(address))
        }
        session?.watermarkIsUrgent = false
        return references
    }

    /// Bytes that a request to cancel, and a watermark, take at most.
    private static let cancelBytes = 26
    private static let watermarkBytes = 13

    // MARK: Losses

    /// A packet of this session was lost: its content of this channel is sent again, where it still
    /// matters.
    mutating func lost(_ reference: Reference) {
        switch reference {
        case .record(let address, let bytes):
            session?.credit.refund(records: 1, bytes: bytes)
            if let place = place(of: address) { leaveAgain(place) }
        case .fragment(let address, let round, let offset, let length):
            session?.credit.refund(records: offset == 0 ? 1 : 0, bytes: length)
            guard let place = place(of: address) else { return }
            let isLive = epochs[place.epoch].items.modify(place.number) { item -> Bool in
                guard item.isOffered, item.stage < .received, item.cancelRequest == nil else {
                    return false
                }
                return item.fragments?.lost(offset: offset, length: length, round: round) ?? false
            }
            if isLive == true { session?.resend.insertInOrder(place) }
        case .cancel(let address):
            guard let place = place(of: address) else { return }
            cancelAnswered(place)
            scheduleCancel(place)
        case .watermark(let address):
            guard let place = place(of: address) else { return }
            epochs[place.epoch].toldWatermark = 0
            session?.watermarkIsUrgent = true
        }
    }
}
