@testable import WatchProtoCore

/// A sender and a receiver whose every step a test chooses.
final class OrderedMachines {
    var world: OrderedWorld

    init(_ channel: Channel = .background, limits: Limits = Limits()) {
        world = OrderedWorld(channel, seed: 1, faults: [])
        world.limits = limits
        world.openSender()
        world.openReceiver()
        world.isHealing = true
        world.connect()
    }

    var sender: OrderedSender {
        get { world.sender }
        set { world.sender = newValue }
    }
    var receiver: OrderedReceiver {
        get { world.receiver }
        set { world.receiver = newValue }
    }

    static func draft(
        _ channel: Channel = .background, bytes: Int = 10, key: UInt128? = nil,
        expires: Int64? = nil, waits: Bool = false
    ) -> RecordDraft {
        RecordDraft(
            channel: channel, kind: .opaque, payload: [UInt8](repeating: 5, count: bytes),
            expiresAt: expires.map { WallTime(milliseconds: $0) }, idempotencyKey: key,
            waitsForCommit: waits)
    }

    @discardableResult
    func accept(_ draft: RecordDraft) throws(SendRefusal) -> RecordID {
        try world.sender.accept(draft, isReachable: true, clock: world.clock, at: world.now)
    }

    /// Answers of machines that change by being asked, for use in expectations.
    func hasOffer() -> Bool { world.sender.hasOffer() }
    func takeEvents() -> [OrderedSender.Event] { world.sender.takeEvents() }
    func takeSenderEntries() -> [JournalEntry] { world.sender.takeEntries() }
    func takeReceiverEntries() -> [JournalEntry] { world.receiver.takeEntries() }
    func oldestUncommitted() -> (id: RecordID, age: Duration)? {
        world.sender.oldestUncommitted(at: world.now)
    }

    func commitSender() {
        world.formSenderBatch()
        while !world.senderJournal.underWay.isEmpty { world.commitSender() }
    }

    func commitReceiver() {
        world.formReceiverBatch()
        while !world.receiverJournal.underWay.isEmpty { world.commitReceiver() }
    }

    /// The application says this of every record that waits; gives the records.
    @discardableResult
    func dispose(_ word: (InboundRecord) -> Disposition) -> [InboundRecord] {
        var given: [InboundRecord] = []
        while let record = world.receiver.nextDelivery(clock: world.clock, at: world.now) {
            given.append(record)
            world.receiver.disposed(record, word(record), clock: world.clock, at: world.now)
        }
        return given
    }

    /// Sends what may leave, and gives the packet without delivering it; nil where nothing leaves.
    func send() -> OrderedWorld.Packet? {
        world.sendOffers()
        return world.toReceiver.popLast()
    }

    /// Exchanges until nothing more happens; the application applies everything.
    func settle(_ word: (InboundRecord) -> Disposition = { _ in .applied }) throws {
        for _ in 0..<50 {
            try world.pump()
            dispose(word)
            commitReceiver()
            try world.pump()
        }
    }
}
