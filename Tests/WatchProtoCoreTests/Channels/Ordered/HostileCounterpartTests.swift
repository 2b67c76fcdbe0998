import Testing

@testable import WatchProtoCore

/// A counterpart that is authenticated and breaks rules costs its own link, and nothing more.
@Suite("An ordered channel with a hostile counterpart")
struct HostileCounterpartTests {
    private func record(_ number: UInt64, after: UInt64? = nil) -> RecordFrame {
        RecordFrame(
            channel: .background, address: RecordAddress(epochIndex: 0, number: number),
            predecessor: after.map { RecordAddress(epochIndex: 0, number: $0) }, kind: .opaque,
            payload: [1, 2, 3])
    }

    @Test("Buffered records that are cancelled count as requests to cancel")
    func cancelled() throws {
        var limits = Limits()
        limits.requests = 4
        let machines = OrderedMachines(limits: limits)
        let receive = { (number: UInt64) throws(WireError) in
            try machines.world.receiver.receive(self.record(number, after: 1000), at: .zero)
            let cancel = CancelFrame(
                channel: .background, address: RecordAddress(epochIndex: 0, number: number),
                predecessor: RecordAddress(epochIndex: 0, number: 1000), isExpired: false)
            try machines.world.receiver.receive(cancel, at: .zero)
        }
        for number in UInt64(1001)...1004 { try receive(number) }
        #expect(throws: WireError.self) { try receive(1005) }
    }

    /// Shows OC-27.
    @Test("A record that is refused gives its credit back")
    func credit() throws {
        var limits = Limits()
        limits.exceptionRanges = 1
        let machines = OrderedMachines(limits: limits)
        try machines.world.receiver.receive(record(1), at: .zero)
        machines.dispose { _ in .pending }
        machines.commitReceiver()
        let held = machines.receiver.credit.heldRecords
        for _ in 0..<10 {
            #expect(throws: WireError.self) {
                try machines.world.receiver.receive(record(2), at: .zero)
            }
        }
        #expect(machines.receiver.credit.heldRecords == held)
    }

    @Test("An epoch is closed only behind the entries of its records (OC-19)")
    func closing() throws {
        let machines = OrderedMachines()
        let epoch = try #require(machines.receiver.session?.epochs.first?.id)
        try machines.world.receiver.receive(record(1), at: .zero)
        try machines.world.receiver.receive(
            WatermarkFrame(
                channel: .background, address: RecordAddress(epochIndex: 0, number: 1)),
            at: .zero)
        #expect(!machines.receiver.canClose(epoch), "the application has not seen the record")
        machines.dispose { _ in .applied }
        machines.commitReceiver()
        #expect(machines.receiver.canClose(epoch))
    }

    /// Shows OC-21.
    @Test("A lost tail that is forgotten is forgotten in the journal, too")
    func lostTail() throws {
        let machines = OrderedMachines()
        let foreign = EpochID(rawValue: 77)
        try machines.world.sender.receiveHeld(foreign, through: 5, watermark: 0)
        machines.commitSender()
        #expect(machines.sender.lostTails[foreign] == 5)
        machines.world.sender.epochIsGone(foreign)
        #expect(machines.takeSenderEntries() == [.epoch(foreign, .gone)])
        machines.world.sender.epochIsGone(foreign)
        #expect(machines.takeSenderEntries().isEmpty)
    }
}
