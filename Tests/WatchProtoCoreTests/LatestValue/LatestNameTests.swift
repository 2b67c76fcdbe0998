import Testing

@testable import WatchProtoCore

/// Every value has a name of its own, and every name an outcome, whatever journal was lost.
@Suite struct LatestNameTests {
    @Test("A value that finds no room takes no handle, and leaves with others later (L-45)")
    func noRoom() throws {
        var pair = ValuePair()
        try pair.connect()
        try pair.settle()
        try pair.write(1, "one")
        try pair.write(2, "two")
        var writer = WireWriter()
        let offer = pair.sender.writeOffer(.context, to: &writer, room: 4, freshRoom: 200)
        #expect(offer == .noRoom && writer.count == 0)
        #expect(pair.sender.session?.handles == [])
        #expect(
            pair.sender.newValues(Int(Channel.context.rawValue), TestKinds.text, atMost: 9).count
                == 2)
        try pair.transmitSender()
        #expect(pair.sentFrames.map(\.handle) == [0, 1])
    }

    static func name(_ key: UInt128) -> ValueName {
        ValueName(channel: .context, key: RecordKey(rawValue: key))
    }

    /// A pair in step, but for a removal that the receiver left pending, and the record of that.
    private static func pairWithPendingRemoval() throws -> (ValuePair, RecordID) {
        var pair = ValuePair()
        try pair.connect()
        for key in 1...3 { try pair.write(UInt128(key), "v") }
        try pair.settle()
        let id = try pair.remove(1)
        pair.disposition = { $0.id == id ? .pending : .applied }
        try pair.remove(2)
        try pair.settle()
        return (pair, id)
    }

    @Test("A removal left pending is not forgotten, and others are (L-39)")
    func pendingRemoval() throws {
        var (pair, id) = try Self.pairWithPendingRemoval()
        #expect(pair.sender.status(of: id) == .underWay(.committed))
        #expect(pair.sender.values.table.count == 2 && pair.receiver.values.table.count == 2)
        pair.receiver.decide(id, .applied)
        try pair.settle()
        #expect(pair.events.contains(.settled(id, .applied)))
        #expect(pair.sender.status(of: id) == .settled(.applied))
        #expect(pair.sender.values.table.count == 1 && pair.receiver.values.table.count == 1)
        pair.restartReceiver()
        try pair.connect()
        #expect(pair.sender.session?.comparison == nil, "both are in step")
    }

    /// The commit of the answer failed at the sender, and its process ended.
    @Test(
        "A forgotten removal was applied, also if the answer is lost (L-34, L-39)",
        arguments: [true, false])
    func forgottenBeforeItsAnswer(presents: Bool) throws {
        var (pair, id) = try Self.pairWithPendingRemoval()
        let committed = pair.senderJournal
        pair.receiver.decide(id, .applied)
        try pair.settle()
        #expect(pair.receiver.values.table.count == 1)
        pair.senderJournal = committed
        pair.restartSender()
        #expect(pair.sender.hasUnsettled)
        try pair.connect(presents: presents)
        try pair.settle()
        #expect(pair.sender.status(of: id) == .settled(.applied))
        #expect(!pair.sender.hasUnsettled && pair.own(1) == nil && pair.held(1) == nil)
    }

    @Test("A removal that the receiver refuses is not sent again for ever (L-31, L-39)")
    func refusedRemoval() throws {
        var pair = ValuePair()
        try pair.connect()
        for key in 1...2 { try pair.write(UInt128(key), "v") }
        try pair.settle()
        let id = try pair.remove(1)
        pair.disposition = { $0.id == id ? .rejected(code: 3) : .applied }
        try pair.remove(2)
        try pair.settle()
        try pair.connect()
        try pair.settle()
        #expect(pair.held(1) == "v" && pair.sender.status(of: id) == .settled(.rejected(code: 3)))
        #expect(pair.delivered.count { $0.kind == TestKinds.removal } == 2)
        #expect(pair.sender.values.table.count == 1)
    }

    @Test("A value equal to the receiver's is told what the listing says of it (L-18, L-37)")
    func equalAfterWipe() throws {
        var pair = ValuePair()
        try pair.connect()
        for key in 0..<4 { try pair.write(UInt128(key), "v\(key)") }
        try pair.settle()
        pair.senderJournal = TestJournal()
        pair.restartSender()
        pair.events = []
        // In another order, so that the versions here and there differ.
        var ids: [RecordID] = []
        for key in [3, 0, 2, 1] { ids.append(try pair.write(UInt128(key), "v\(key)")) }
        try pair.connect()
        try pair.settle()
        for id in ids {
            #expect(pair.events.filter { $0 == .settled(id, .applied) }.count == 1)
            #expect(pair.sender.status(of: id) == .settled(.applied))
        }
        #expect(pair.delivered.count == 4 && !pair.sender.hasUnsettled)
        // The names of this opening and the versions of the lost one never meet.
        #expect(pair.sender.values.table.values.allSatisfy { $0.version > 4 })
        pair.restartSender()
        try pair.connect()
        #expect(pair.sender.session?.comparison == nil, "both are in step")
    }

    @Test("A value equal to one that the receiver left pending is decided anew (L-18, L-32)")
    func equalPending() throws {
        var pair = ValuePair()
        pair.disposition = { _ in .pending }
        try pair.connect()
        try pair.write(1, "v")
        try pair.settle()
        pair.senderJournal = TestJournal()
        pair.restartSender()
        let id = try pair.write(1, "v")
        try pair.connect()
        try pair.settle()
        let present = try #require(pair.sender.newest(Self.name(1))).id
        #expect(pair.sender.status(of: id) == .settled(.superseded))
        #expect(pair.events.contains(.renumbered(id, as: present)))
        pair.receiver.decide(present, .rejected(code: 9))
        try pair.settle()
        #expect(pair.sender.status(of: present) == .settled(.rejected(code: 9)))
    }

    @Test("A crash between mending and its report leaves no name unknown (L-17)")
    func mendedBeforeCrash() throws {
        var pair = ValuePair(block: 2)
        try pair.connect()
        try pair.write(1, "common")
        try pair.settle()
        let backup = pair.senderJournal
        for index in 0..<10 { try pair.write(2, "abandoned \(index)") }
        try pair.settle()
        pair.senderJournal = backup
        pair.restartSender()
        let id = try pair.write(1, "since")
        pair.commitSender()
        #expect(pair.events.contains(.progress(id, .queued)), "it is promised")
        try pair.connect()
        for _ in 0..<4 {
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            try pair.transmitReceiver()
            while !pair.toSender.isEmpty { try pair.deliverBackward() }
        }
        #expect(pair.sender.session?.verdict == .mending)
        // The batch becomes durable; nobody hears of it.
        pair.formSender()
        _ = pair.senderJournal.commit()
        pair.restartSender()
        #expect(pair.sender.status(of: id) == .settled(.superseded))
        let present = try #require(pair.sender.newest(Self.name(1)))
        #expect(present.id != id && present.payload == Array("since".utf8))
        try pair.connect()
        try pair.settle()
        #expect(pair.held(1) == "since" && pair.own(2) == "abandoned 9")
    }

    @Test("An adopted value that the receiver loses comes back under its new name (L-37, L-38)")
    func adoptedAndLost() throws {
        var pair = ValuePair()
        try pair.connect()
        try pair.write(1, "v")
        try pair.settle()
        pair.senderJournal = TestJournal()
        pair.restartSender()
        try pair.connect()
        try pair.settle()
        pair.receiverJournal = TestJournal()
        pair.restartReceiver()
        try pair.connect()
        try pair.settle()
        #expect(pair.held(1) == "v")
        let own = try #require(pair.sender.values[Self.name(1)])
        #expect(own.versionThere == pair.receiver.values[Self.name(1)]?.version)
        try pair.connect()
        #expect(pair.sender.session?.comparison == nil, "both are in step")
    }

    @Test("Keys removed at one watermark get names of their own (L-42, L-43)")
    func removalsAtOneWatermark() throws {
        var pair = ValuePair()
        try pair.connect()
        for key in 0..<4 { try pair.write(UInt128(key), "v") }
        try pair.settle()
        let (sender, receiver) = (pair.senderJournal, pair.receiverJournal)
        for key in 1..<4 { try pair.remove(UInt128(key)) }
        try pair.settle()
        #expect(pair.receiver.values.table.count == 1)
        // The receiver holds them again: they are removed once more.
        pair.receiverJournal = receiver
        pair.restartReceiver()
        pair.delivered = []
        try pair.connect()
        try pair.settle()
        #expect(Set(pair.delivered.map { $0.id }).count == 3)
        #expect(pair.receiver.values.table.count == 1)
        // The sender holds them again: it learns that they are removed.
        pair.senderJournal = sender
        pair.restartSender()
        pair.events = []
        try pair.connect()
        try pair.settle()
        let recovered = pair.events.compactMap { event -> RecordID? in
            if case .recovered(let record) = event { record.id } else { nil }
        }
        #expect(Set(recovered).count == 3)
        #expect(pair.own(1) == nil && pair.own(0) == "v" && pair.held(0) == "v")
    }

    @Test("The top counts a value that was given, and one that was not comes again (L-20)")
    func topOfUnanswered() throws {
        var pair = ValuePair()
        try pair.connect()
        let id = try pair.write(1, "v")
        try pair.transmitSender()
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        // It was not given to the application: the end of the session drops it.
        #expect(pair.receiver.presentation.top == nil)
        try pair.connect()
        #expect(pair.receiver.takeDeliveries().isEmpty)
        try pair.transmitSender()
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        #expect(pair.receiver.takeDeliveries().map(\.id) == [id])
        let top = VersionMark(epoch: id.epoch, version: id.number.rawValue)
        #expect(pair.receiver.presentation.top == top)
    }
}
