import Testing

@testable import WatchProtoCore

/// Rules of the article *Identity, order and history*, at the level of two peers.
@Suite("Rules of identity between two peers")
struct IdentityRuleTests {
    /// Hands frames to the watch, as a packet of the session on a stream.
    private func hand(_ frames: [UInt8], to pair: PeerPair) {
        let packet = StreamFraming.prefix(of: .transport, length: frames.count) + frames
        pair.input(pair.watch) { $0.receive(packet.span, at: $1) }
    }

    @Test("From a hint alone nothing is written (I-3)")
    func hints() throws {
        let pair = PeerPair.connected()
        pair.conditions.commit = .zero
        pair.phone.peer = nil
        let id = try pair.send(pair.watch, [1])
        pair.run(for: .milliseconds(500))
        let before = pair.watch.batches.count
        var writer = WireWriter()
        let address = RecordAddress(epochIndex: 0, number: id.number.rawValue)
        ReceivedFrame(channel: .background, address: address).write(to: &writer)
        CreditFrame(channel: .background, records: 9999, bytes: 1 << 20).write(to: &writer)
        TryLaterFrame(channel: .background, address: address, records: 1).write(to: &writer)
        PingFrame(token: 7, isPong: false).write(to: &writer)
        hand(writer.bytes, to: pair)
        pair.run(for: .milliseconds(500))
        #expect(pair.watch.peer?.status(of: id) != .settled(.applied))
        #expect(pair.watch.batches.count == before)
        // A statement of the same record is written.
        var statement = WireWriter()
        PositionFrame(position: 9).write(to: &statement)
        var numbers = NumberRanges()
        numbers.insert(id.number.rawValue)
        AcknowledgementFrame(
            channel: .background, isApplied: true, epochIndex: 0, numbers: numbers
        ).write(to: &statement)
        hand(statement.bytes, to: pair)
        pair.run(for: .milliseconds(500))
        #expect(pair.watch.batches.count > before)
        #expect(pair.watch.peer?.status(of: id) == .settled(.applied))
    }

    @Test("A conclusion is in one batch with the counterpart's position (I-5)")
    func conclusions() throws {
        let pair = PeerPair.connected()
        let id = try pair.send(pair.phone, [1])
        let isOver = pair.run { pair.phone.settled(id) == .applied }
        #expect(isOver)
        let batch = pair.phone.batches.first { $0.contains(.settled(id, .applied)) }
        let position = batch?.compactMap { entry in
            if case .ticketProgress(_, let counterpart) = entry { counterpart } else { nil }
        }
        #expect(position?.count == 1)
        #expect(position?.first == pair.phone.peer?.rooms.tickets.image.counterpartPosition)
    }

    @Test("Each opening begins with an epoch of its own (I-10)")
    func openings() {
        let pair = PeerPair.connected()
        for _ in 0..<3 {
            pair.crash(pair.phone)
            pair.run(for: .seconds(1))
        }
        var epochs: [UInt64] = []
        for case .opened(let epoch, _) in pair.phone.batches.joined() {
            epochs.append(epoch.rawValue)
        }
        #expect(epochs.count == 4 && Set(epochs).count == 4 && !epochs.contains(0))
        #expect(pair.phone.peer?.presentEpoch.rawValue == epochs.last)
    }

    @Test("Epochs and tickets have no order (I-11)")
    func equalityOnly() {
        let names: [Any] = [EpochID(rawValue: 1), Ticket(rawValue: 1)]
        for name in names { #expect(!(name is any Comparable)) }
    }

    @Test("An epoch is over once each of its channels is settled, durably (I-15, OC-22)")
    func over() throws {
        let pair = PeerPair.connected()
        pair.watch.disposition = .pending
        let first = try pair.send(pair.phone, [1])
        let file = try pair.send(pair.phone, [2], .bulk)
        let isGiven = pair.run {
            pair.watch.peer?.isPending(first) == true && pair.watch.peer?.isPending(file) == true
        }
        #expect(isGiven)
        pair.run(for: .seconds(1))
        pair.crash(pair.phone)
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        func isGone() -> Bool { pair.phone.peer?.rooms.ownEpochs.isGone(first.epoch) == true }
        pair.input(pair.watch) { $0.decide(first, .applied, at: $1) }
        pair.run(for: .seconds(1))
        #expect(pair.phone.settled(first) == .applied && !isGone())
        pair.input(pair.watch) { $0.decide(file, .applied, at: $1) }
        pair.run(for: .seconds(1))
        #expect(pair.phone.settled(file) == .applied && isGone())
        #expect(pair.watch.batches.joined().contains(.epoch(first.epoch, .closed)))
    }

    @Test(
        "One batch holds the ticket and the whole reaction to a counterpart that went back (I-45)")
    func reaction() throws {
        let pair = PeerPair.connected()
        let backup = pair.watch.image
        let applied = try pair.send(pair.phone, [1])
        let isApplied = pair.run { pair.phone.settled(applied) == .applied }
        #expect(isApplied)
        pair.watch.disposition = .pending
        let pending = try pair.send(pair.phone, [2])
        let isPending = pair.run {
            pair.phone.peer?.status(of: pending) == .underWay(.committed)
        }
        #expect(isPending)
        pair.run(for: .seconds(1))
        pair.watch.disposition = .applied
        pair.restore(pair.watch, backup)
        func isEntry(_ entry: JournalEntry) -> Bool {
            if case .ticketEntered(let entry) = entry { return entry.counterpartLostState }
            return false
        }
        let isDurable = pair.run {
            pair.phone.batches.contains { $0.contains(where: isEntry) }
                && !pair.phone.pending.contains { $0.entries.contains(where: isEntry) }
        }
        #expect(isDurable)
        // The disk holds this batch and perhaps none behind it: a crash now loses no part of it.
        pair.isLinkPossible = false
        pair.crash(pair.phone)
        #expect(pair.phone.peer?.status(of: applied) == .lostSince)
        #expect(pair.phone.peer?.status(of: pending) == .underWay(.queued))
        pair.isLinkPossible = true
        pair.linkWanted()
        let isAgain = pair.run { pair.phone.settled(pending) == .applied }
        #expect(isAgain)
    }
}
