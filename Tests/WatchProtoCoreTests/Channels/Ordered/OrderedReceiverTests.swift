import Testing

@testable import WatchProtoCore

@Suite("An ordered channel on its way in")
struct OrderedReceiverTests {
    private func record(
        _ number: UInt64, after: UInt64? = nil, bytes: Int = 4
    ) -> RecordFrame {
        RecordFrame(
            channel: .background, address: RecordAddress(epochIndex: 0, number: number),
            predecessor: after.map { RecordAddress(epochIndex: 0, number: $0) }, kind: .opaque,
            payload: [UInt8](repeating: 1, count: bytes))
    }

    /// Shows OC-3, OC-4.
    @Test("A record waits for its live predecessor, and numbers jumped over are skipped")
    func order() throws {
        let machines = OrderedMachines()
        try machines.world.receiver.receive(record(5, after: 2), at: .zero)
        #expect(machines.dispose { _ in .applied }.isEmpty)
        try machines.world.receiver.receive(record(2), at: .zero)
        let given = machines.dispose { _ in .applied }.map { $0.id.number.rawValue }
        #expect(given == [2, 5])
        machines.commitReceiver()
        let numbers = try #require(machines.receiver.durable.numbers.first)
        #expect(numbers.through == 5 && numbers.exceptions[1] == .skipped)
        #expect(numbers.exceptions[3] == .skipped && numbers.exceptions[5] == nil)
    }

    /// Shows OC-7, OC-8, OC-9.
    @Test("Nothing is stated before the journal holds it, and a repetition is answered")
    func commit() throws {
        let machines = OrderedMachines()
        try machines.world.receiver.receive(record(1), at: .zero)
        machines.dispose { _ in .applied }
        try machines.world.receiver.receive(record(1), at: .zero)
        #expect(!machines.receiver.hasStatements)
        machines.commitReceiver()
        #expect(machines.receiver.hasStatements)
        var writer = WireWriter()
        _ = machines.receiver.writeStatements(to: &writer, room: 100)
        #expect(writer.bytes == [0x30, 2 | 8, 0, 1, 0, 0])
        #expect(!machines.receiver.hasStatements)
        try machines.world.receiver.receive(record(1), at: .zero)
        #expect(machines.receiver.hasStatements && machines.dispose { _ in .applied }.isEmpty)
    }

    @Test("A slow commit is told once as received, and again only for more or after a loss")
    func receivedOnce() throws {
        let machines = OrderedMachines()
        /// The frames that report received records; empty for none.
        func told() -> [UInt8] {
            machines.receiver.oweReceived()
            var writer = WireWriter()
            _ = machines.receiver.writeHints(to: &writer, room: 100)
            return writer.bytes
        }
        try machines.world.receiver.receive(record(1), at: .zero)
        #expect(!told().isEmpty && told().isEmpty)
        try machines.world.receiver.receive(record(2, after: 1), at: .zero)
        #expect(!told().isEmpty && told().isEmpty)
        machines.receiver.lost(.received(epochIndex: 0))
        #expect(!told().isEmpty && told().isEmpty)
    }

    @Test("A pending record stops no other: 100,000 go past it, and memory stays flat")
    func pendingStopsNobody() throws {
        let machines = OrderedMachines()
        let first = try machines.accept(OrderedMachines.draft())
        try machines.settle { _ in .pending }
        var most = 0
        for round in 0..<1000 {
            for _ in 0..<100 { try machines.accept(OrderedMachines.draft(bytes: 2)) }
            for _ in 0..<20 where machines.sender.unsettledCount > 1 {
                try machines.world.pump()
                machines.dispose { _ in .applied }
                machines.commitReceiver()
            }
            try machines.world.pump()
            #expect(machines.sender.unsettledCount == 1, "round \(round)")
            if machines.sender.unsettledCount != 1 { return }
            most = max(most, machines.sender.epochs.last?.items.slotCount ?? 0)
        }
        #expect(machines.sender.epochs.last?.last == 100_001)
        #expect(machines.sender.epochs.last?.watermark == 0)
        #expect(most <= 300)
        #expect(machines.sender.waiting.count <= 300)
        #expect(machines.receiver.durable.numbers[0].exceptions.count == 1)
        #expect(machines.receiver.takenAt.count <= 300 && machines.receiver.deliveries.count <= 300)
        machines.world.receiver.decide(first, .applied)
        machines.commitReceiver()
        try machines.settle()
        #expect(machines.sender.status(of: first) == .settled(.applied))
        #expect(machines.sender.epochs.last?.watermark == 100_001)
    }

    @Test("The sender waits at half of the bound on exceptions, and goes on when it may")
    func exceptionBound() throws {
        var limits = Limits()
        limits.exceptionRanges = 16
        let machines = OrderedMachines(limits: limits)
        for _ in 0..<30 { try machines.accept(OrderedMachines.draft()) }
        try machines.settle { _ in .pending }
        // Another eight were under way when the sender heard of the first eight.
        #expect(machines.receiver.pendingCount == 16)
        for id in machines.receiver.pending.keys { machines.world.receiver.decide(id, .applied) }
        try machines.settle()
        #expect(machines.sender.unsettledCount == 0)
    }

    /// Shows OC-43, OC-44, OC-45.
    @Test("An idempotency key counts once, joins a pending record, and keeps at most 64 waiting")
    func keys() throws {
        let machines = OrderedMachines()
        try machines.accept(OrderedMachines.draft(key: 3))
        try machines.settle { _ in .pending }
        // The sender's journal is wiped, and the act is done again.
        var given = 0
        for _ in 0..<66 {
            machines.world.senderJournal.restore(to: 0)
            machines.world.openSender()
            machines.world.connect()
            try machines.accept(OrderedMachines.draft(key: 3))
            try machines.settle { _ in
                given += 1
                return .applied
            }
        }
        #expect(given == 0)
        #expect(machines.receiver.followers.values.first?.count == 64)
        let rejected = machines.world.senderJournal.durable.contains {
            if case .settled(_, .rejected(code: 65_535)) = $0 { return true }
            return false
        }
        #expect(rejected)
        // A restart keeps all of it.
        machines.world.openReceiver()
        #expect(machines.receiver.followers.values.first?.count == 64)
    }

    @Test("A restart gives pending records to the application again, in order")
    func pendingAgain() throws {
        let machines = OrderedMachines()
        for _ in 0..<5 { try machines.accept(OrderedMachines.draft()) }
        try machines.settle { $0.id.number.rawValue == 3 ? .applied : .pending }
        machines.world.openReceiver()
        let again = machines.dispose { _ in .pending }.map { $0.id.number.rawValue }
        #expect(again == [1, 2, 4, 5])
        #expect(machines.takeReceiverEntries().isEmpty)
        machines.world.connect()
        for id in machines.receiver.pending.keys { machines.world.receiver.decide(id, .applied) }
        try machines.settle()
        #expect(machines.sender.unsettledCount == 0)
    }

    /// Shows OC-40.
    @Test("A record that has expired at its turn is not delivered")
    func expired() throws {
        let machines = OrderedMachines()
        let start = machines.world.clock.milliseconds
        let id = try machines.accept(OrderedMachines.draft(expires: start + 100))
        let packet = try #require(machines.send())
        machines.world.clock.milliseconds += 100
        try machines.world.deliverToReceiver(packet)
        #expect(machines.dispose { _ in .applied }.isEmpty)
        try machines.settle()
        #expect(machines.sender.status(of: id) == .settled(.expired))
    }

    /// Shows OC-28.
    @Test("Credit follows what the journal holds, and returns when it does")
    func credit() throws {
        let machines = OrderedMachines(.bulk)
        for _ in 0..<40 { try machines.accept(OrderedMachines.draft(.bulk, bytes: 100)) }
        for _ in 0..<5 {
            machines.world.sendOffers()
            while !machines.world.toReceiver.isEmpty {
                try machines.world.movePacket(toReceiver: true)
            }
        }
        #expect(machines.receiver.credit.heldRecords == 16)
        #expect(!machines.hasOffer() && !machines.receiver.hasHints)
        machines.dispose { _ in .applied }
        #expect(!machines.receiver.hasHints)
        machines.commitReceiver()
        #expect(machines.receiver.hasHints && machines.receiver.credit.heldRecords == 0)
        try machines.settle()
        #expect(machines.sender.unsettledCount == 0)
    }

    /// Shows OC-26, OC-32, OC-35.
    @Test("A record of 4 MB goes in fragments, over losses, with a window of 1 MiB")
    func fragments() throws {
        let machines = OrderedMachines(.bulk)
        try machines.accept(OrderedMachines.draft(.bulk, bytes: 4_000_000))
        var random = SeededGenerator(seed: 3)
        var given: [InboundRecord] = []
        for _ in 0..<40_000 where machines.sender.unsettledCount > 0 {
            machines.world.sendOffers()
            if let packet = machines.world.toReceiver.popLast() {
                if random.chance(0.05) {
                    machines.world.lose(packet, toReceiver: true)
                } else {
                    try machines.world.deliverToReceiver(packet)
                }
            }
            given += machines.dispose { _ in .applied }
            machines.commitReceiver()
            machines.world.sendAnswers()
            while !machines.world.toSender.isEmpty {
                try machines.world.movePacket(toReceiver: false)
            }
            machines.commitSender()
        }
        #expect(given.map { $0.payload.count } == [4_000_000])
        #expect(machines.sender.unsettledCount == 0)
    }

    @Test("A lost fragment interrupts the record whose fragments are leaving, and does not end it")
    func interruptedFragments() throws {
        let machines = OrderedMachines(.bulk)
        try machines.accept(OrderedMachines.draft(.bulk, bytes: 3000))
        try machines.accept(OrderedMachines.draft(.bulk, bytes: 3000))
        var packets: [OrderedWorld.Packet] = []
        for _ in 0..<4 {
            let packet = try #require(machines.send())
            packets.append(packet)
        }
        machines.world.lose(packets.removeFirst(), toReceiver: true)
        for packet in packets { try machines.world.deliverToReceiver(packet) }
        try machines.settle()
        #expect(machines.sender.unsettledCount == 0)
    }

    /// Shows OC-29, OC-31.
    @Test("A sender that is turned away offers again when there is room")
    func tryLater() throws {
        var limits = Limits()
        limits.reorderRecords = 2
        let machines = OrderedMachines(limits: limits)
        for _ in 0..<6 { try machines.accept(OrderedMachines.draft(bytes: 900)) }
        var packets: [OrderedWorld.Packet] = []
        while let packet = machines.send() { packets.append(packet) }
        #expect(packets.count == 6)
        for packet in packets.dropFirst() { try machines.world.deliverToReceiver(packet) }
        #expect(machines.receiver.hasHints)
        machines.world.sendAnswers()
        while !machines.world.toSender.isEmpty {
            try machines.world.movePacket(toReceiver: false)
        }
        // Paused: nothing from the fourth record on.
        #expect(!machines.hasOffer())
        try machines.world.deliverToReceiver(packets[0])
        var given = machines.dispose { _ in .applied }
        for _ in 0..<20 {
            try machines.world.pump()
            given += machines.dispose { _ in .applied }
            machines.commitReceiver()
        }
        #expect(given.map { $0.id.number.rawValue } == [1, 2, 3, 4, 5, 6])
    }

    @Test("Hostile records are refused or turned away, and hold no more than the bounds")
    func hostile() throws {
        let machines = OrderedMachines()
        for number in 2...20_000 as ClosedRange<UInt64> {
            do {
                try machines.world.receiver.receive(record(number * 2, after: 1), at: .zero)
            } catch {
                break
            }
        }
        let session = try #require(machines.receiver.session)
        #expect(session.buffer.records <= 1024 && session.mustTryLater.count <= 4096)
        #expect(throws: WireError.self) {
            try machines.world.receiver.receive(
                CancelFrame(
                    channel: .background, address: RecordAddress(epochIndex: 9, number: 1),
                    predecessor: nil, isExpired: false), at: .zero)
        }
        // Questions about numbers far apart cost no more than the bound.
        try machines.world.receiver.receive(record(1), at: .zero)
        machines.dispose { _ in .applied }
        machines.commitReceiver()
        for number in 1...40_000 as ClosedRange<UInt64> where number % 2 == 1 {
            try? machines.world.receiver.receive(record(number), at: .zero)
        }
        #expect(machines.receiver.session?.due[0].ranges.count ?? 0 <= 4097)
    }
}
