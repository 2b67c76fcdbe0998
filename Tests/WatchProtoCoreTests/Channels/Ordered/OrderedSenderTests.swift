import Testing

@testable import WatchProtoCore

@Suite("An ordered channel on its way out")
struct OrderedSenderTests {
    /// Shows OC-14.
    @Test("Stages are reported in order, and none before the local commit")
    func stages() throws {
        let machines = OrderedMachines()
        let id = try machines.accept(OrderedMachines.draft())
        let packet = try #require(machines.send())
        #expect(machines.sender.status(of: id) == .underWay(.queued), "it may yet be lost")
        #expect(machines.takeEvents() == [.departed(id)])
        // The commit, without the events being taken by the world.
        let entries = machines.takeSenderEntries()
        #expect(entries.count == 1)
        machines.sender.batchFormed(90)
        machines.sender.committed(through: 90)
        #expect(machines.sender.status(of: id) == .underWay(.sent))
        #expect(machines.takeEvents() == [.reached(id, .queued), .reached(id, .sent)])
        try machines.world.deliverToReceiver(packet)
        machines.receiver.oweReceived()
        machines.world.sendAnswers()
        try machines.world.deliverToSender(machines.world.toSender.removeFirst())
        #expect(machines.takeEvents() == [.reached(id, .received)])
        machines.dispose { _ in .pending }
        machines.commitReceiver()
        machines.world.sendAnswers()
        try machines.world.deliverToSender(machines.world.toSender.removeFirst())
        #expect(machines.takeEvents() == [.reached(id, .committed)])
        machines.world.receiver.decide(id, .applied)
        machines.commitReceiver()
        machines.world.sendAnswers()
        try machines.world.deliverToSender(machines.world.toSender.removeFirst())
        #expect(machines.takeEvents() == [.reached(id, .applied)])
        #expect(machines.sender.status(of: id) == .underWay(.applied))
        machines.sender.batchFormed(91)
        machines.sender.committed(through: 91)
    }

    /// Shows OC-5.
    @Test("A record that waits for its commit holds back those behind it")
    func waits() throws {
        let machines = OrderedMachines()
        try machines.accept(OrderedMachines.draft(waits: true))
        try machines.accept(OrderedMachines.draft())
        #expect(machines.send()?.sent.isEmpty ?? true)
        machines.commitSender()
        #expect(try #require(machines.send()).sent.count == 2)
    }

    @Test("Every refusal changes nothing")
    func refusals() throws {
        var limits = Limits()
        limits.queuedRecords = 2
        limits.queuedBytes = 100
        let machines = OrderedMachines(limits: limits)
        var keyed = OrderedMachines.draft()
        keyed.key = RecordKey(rawValue: 1)
        #expect(throws: SendRefusal.channelMismatch) { try machines.accept(keyed) }
        var reply = OrderedMachines.draft()
        reply.expectsReply = true
        #expect(throws: SendRefusal.channelMismatch) { try machines.accept(reply) }
        #expect(throws: SendRefusal.tooLarge(bytes: 65_537, limit: 65_536)) {
            try machines.accept(OrderedMachines.draft(bytes: 65_537))
        }
        #expect(throws: SendRefusal.alreadyExpired) {
            try machines.accept(OrderedMachines.draft(expires: machines.world.clock.milliseconds))
        }
        #expect(throws: SendRefusal.queueFull(records: 0)) {
            try machines.accept(OrderedMachines.draft(bytes: 101))
        }
        #expect(machines.takeSenderEntries().isEmpty)
        try machines.accept(OrderedMachines.draft())
        try machines.accept(OrderedMachines.draft())
        #expect(throws: SendRefusal.queueFull(records: 2)) {
            try machines.accept(OrderedMachines.draft())
        }
        let interactive = OrderedMachines(.interactive)
        #expect(throws: SendRefusal.notReachable) {
            try interactive.world.sender.accept(
                OrderedMachines.draft(.interactive), isReachable: false,
                clock: WallTime(milliseconds: 0), at: .zero)
        }
    }

    /// Shows OC-46.
    @Test("A draft whose idempotency key is under way is that record, also after a restart")
    func underWay() throws {
        let machines = OrderedMachines()
        let id = try machines.accept(OrderedMachines.draft(key: 7))
        #expect(try machines.accept(OrderedMachines.draft(bytes: 3, key: 7)) == id)
        machines.commitSender()
        machines.world.openSender()
        #expect(try machines.accept(OrderedMachines.draft(key: 7)) == id)
        machines.world.connect()
        try machines.settle()
        #expect(try machines.accept(OrderedMachines.draft(key: 7)) != id)
    }

    /// Shows OC-21.
    @Test("A session goes on from the tail that its hello stated of an epoch that is gone")
    func statedTail() throws {
        let machines = OrderedMachines()
        let gone = EpochID(rawValue: 77)
        let listing = [try #require(machines.sender.epochs.last?.id), gone]
        machines.world.sender.begin(listing: listing, gone: [gone])
        var numbers = NumberRanges()
        numbers.insert(1...5)
        try machines.world.sender.receive(
            AcknowledgementFrame(
                channel: .background, isApplied: true, epochIndex: 1, numbers: numbers))
        let stated = machines.sender.state(of: gone)
        #expect(stated.last == 5 && stated.watermark == 5)
        machines.world.sender.begin(listing: listing, gone: [gone])
        #expect(machines.sender.state(of: gone).last == stated.last)
        #expect(machines.sender.hasStatements, "the receiver learns the watermark")
    }

    /// Shows OC-36, OC-38.
    @Test("A record is cancelled at once before it leaves, and by the receiver's answer after")
    func cancel() throws {
        let machines = OrderedMachines()
        let first = try machines.accept(OrderedMachines.draft())
        machines.world.sender.cancel(first)
        #expect(machines.sender.entries.contains(.settled(first, .cancelled)))
        let second = try machines.accept(OrderedMachines.draft())
        machines.commitSender()
        _ = machines.send()
        machines.world.sender.cancel(second)
        #expect(machines.sender.entries.contains(.cancellationAsked(second, .cancelled)))
        #expect(machines.sender.status(of: second) == .underWay(.sent))
        try machines.settle()
        #expect(machines.sender.status(of: first) == .settled(.cancelled))
        #expect(machines.sender.status(of: second) == .settled(.cancelled))
        #expect(machines.world.truth.states[second] == .notApplied)
        // One that was taken is applied, whatever was asked.
        let third = try machines.accept(OrderedMachines.draft())
        try machines.world.deliverToReceiver(try #require(machines.send()))
        machines.dispose { _ in .applied }
        machines.world.sender.cancel(third)
        try machines.settle()
        #expect(machines.sender.status(of: third) == .settled(.applied))
    }

    @Test(
        "A record that ended before it left holds back those behind it until the commit (OC-5)"
    )
    func endedBeforeItLeft() throws {
        let machines = OrderedMachines()
        machines.world.sender.cancel(try machines.accept(OrderedMachines.draft()))
        try machines.accept(OrderedMachines.draft())
        #expect(!machines.hasOffer())
        machines.commitSender()
        #expect(machines.hasOffer())
    }

    @Test("A skipped record is unknown to a sender whose journal lost how it ended (OC-12)")
    func skippedThere() throws {
        let machines = OrderedMachines()
        let first = try machines.accept(OrderedMachines.draft())
        machines.commitSender()
        let backup = machines.world.senderJournal.durable.count
        try machines.settle()
        machines.world.receiverJournal.restore(to: 0)
        machines.world.receiverLosses += 1
        machines.world.openReceiver()
        machines.world.connect()
        try machines.accept(OrderedMachines.draft())
        try machines.settle()
        machines.world.senderJournal.restore(to: backup)
        machines.world.senderWentBack = true
        machines.world.openSender()
        machines.world.connect()
        try machines.settle()
        #expect(machines.sender.status(of: first) == .settled(.unknown))
    }

    @Test("A request to cancel survives a restart of the sender")
    func cancelAfterRestart() throws {
        let machines = OrderedMachines()
        let id = try machines.accept(OrderedMachines.draft())
        _ = machines.send()
        machines.world.sender.cancel(id)
        machines.commitSender()
        machines.world.openSender()
        machines.world.connect()
        #expect(machines.sender.hasHints && !machines.hasOffer())
        try machines.settle()
        #expect(machines.sender.status(of: id) == .settled(.cancelled))
    }

    @Test("A record expires at its moment, with an outcome, and nobody is woken after its end")
    func expiry() throws {
        let machines = OrderedMachines()
        let start = machines.world.clock.milliseconds
        let kept = try machines.accept(OrderedMachines.draft(expires: start + 50))
        let late = try machines.accept(OrderedMachines.draft(expires: start + 20))
        #expect(machines.sender.nextExpiry?.milliseconds == start + 20)
        machines.sender.expire(at: WallTime(milliseconds: start + 20))
        #expect(machines.sender.nextExpiry?.milliseconds == start + 50)
        try machines.settle()
        #expect(machines.sender.status(of: late) == .settled(.expired))
        #expect(machines.sender.status(of: kept) == .settled(.applied))
        machines.sender.expire(at: machines.world.clock)
        #expect(machines.sender.nextExpiry == nil)
    }

    @Test("4,096 outcomes are remembered across a restart, and older ones are unknown")
    func outcomes() throws {
        var image = OrderedSender.Image(channel: .background)
        let epoch = EpochID(rawValue: 5)
        for number in 1...5000 as ClosedRange<UInt64> {
            let id = RecordID(epoch: epoch, channel: .background, number: RecordNumber(number))
            image.apply(.settled(id, number % 2 == 0 ? .applied : .expired))
        }
        let sender = OrderedSender(
            channel: .background, limits: Limits(), presentEpoch: EpochID(rawValue: 6),
            restoring: image, clock: WallTime(milliseconds: 0), at: .zero)
        func status(_ number: UInt64) -> RecordStatus {
            sender.status(
                of: RecordID(epoch: epoch, channel: .background, number: RecordNumber(number)))
        }
        #expect(status(5000) == .settled(.applied) && status(4999) == .settled(.expired))
        #expect(status(905) == .settled(.expired) && status(904) == .unknown)
    }

    /// Shows OC-47, OC-48.
    @Test(
        "A counterpart that lost state: applied records are lost since, the rest is offered again")
    func lostSince() throws {
        let machines = OrderedMachines()
        let applied = try machines.accept(OrderedMachines.draft())
        try machines.settle()
        let pending = try machines.accept(OrderedMachines.draft())
        try machines.settle { _ in .pending }
        #expect(machines.sender.status(of: pending) == .underWay(.committed))
        machines.world.receiverJournal.restore(to: 0)
        machines.world.receiverLosses = 1
        machines.world.openReceiver()
        machines.world.connect()
        #expect(machines.sender.status(of: applied) == .lostSince)
        #expect(machines.hasOffer())
        #expect(machines.oldestUncommitted()?.id == pending)
        try machines.settle()
        #expect(machines.sender.status(of: pending) == .settled(.applied))
        machines.world.openSender()
        #expect(machines.sender.status(of: applied) == .lostSince)
    }

    /// Shows OC-47.
    @Test("A record whose end is not durable when the counterpart lost state is lost since")
    func lostBeforeItsEndIsDurable() throws {
        let machines = OrderedMachines()
        let id = try machines.accept(OrderedMachines.draft())
        machines.commitSender()
        machines.world.sendOffers()
        while !machines.world.toReceiver.isEmpty { try machines.world.movePacket(toReceiver: true) }
        machines.dispose { _ in .applied }
        machines.commitReceiver()
        machines.world.sendAnswers()
        while !machines.world.toSender.isEmpty { try machines.world.movePacket(toReceiver: false) }
        #expect(machines.sender.status(of: id) == .underWay(.applied))
        machines.world.formSenderBatch()
        machines.sender.counterpartLostState()
        machines.commitSender()
        #expect(machines.sender.status(of: id) == .lostSince)
    }

    @Test("The age of the oldest uncommitted record counts on over a restart")
    func ages() throws {
        let machines = OrderedMachines()
        let id = try machines.accept(OrderedMachines.draft())
        machines.commitSender()
        machines.world.clock.milliseconds += 60_000
        machines.world.now = .zero
        machines.world.openSender()
        let oldest = try #require(machines.oldestUncommitted())
        #expect(oldest.id == id && oldest.age == .seconds(60))
        machines.world.connect()
        try machines.settle()
        #expect(machines.oldestUncommitted() == nil)
    }

    /// Shows OC-49.
    @Test("An interactive record ends with its session: not delivered, or outcome unknown")
    func interactive() throws {
        let machines = OrderedMachines(.interactive)
        let sent = try machines.accept(OrderedMachines.draft(.interactive))
        _ = machines.send()
        let unsent = try machines.accept(OrderedMachines.draft(.interactive))
        machines.sender.end()
        #expect(machines.sender.status(of: sent) == .settled(.outcomeUnknown))
        #expect(machines.sender.status(of: unsent) == .settled(.notDelivered))
        #expect(machines.takeSenderEntries().isEmpty && machines.takeReceiverEntries().isEmpty)
        machines.world.connect()
        let next = try machines.accept(OrderedMachines.draft(.interactive))
        try machines.settle()
        #expect(machines.sender.status(of: next) == .settled(.applied))
    }

    /// Shows OC-23.
    @Test("An answer about a record of the present epoch that never left breaks the rules")
    func neverSent() throws {
        let machines = OrderedMachines()
        try machines.accept(OrderedMachines.draft())
        var numbers = NumberRanges()
        numbers.insert(2)
        #expect(throws: WireError.self) {
            try machines.world.sender.receive(
                AcknowledgementFrame(
                    channel: .background, isApplied: true, epochIndex: 0, numbers: numbers))
        }
    }
}
