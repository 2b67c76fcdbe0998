import Testing

@testable import WatchProtoCore

/// The bytes that a value holds, found by reflection: each leaf with its stride.
enum Footprint {
    static func bytes(of value: Any) -> Int {
        func stride<T>(_: T) -> Int { MemoryLayout<T>.stride }
        let children = Mirror(reflecting: value).children
        guard !children.isEmpty else { return stride(value) }
        var total = 0
        for child in children { total += bytes(of: child.value) }
        return total
    }
}

/// Memory follows what is outstanding, not how many values there were; no key waits for another.
@Suite struct LatestMemoryTests {
    #if DEBUG
        static let updates = 100_000
    #else
        static let updates = 1_000_000
    #endif

    static func draft(_ key: UInt128, _ text: String) -> RecordDraft {
        RecordDraft(
            channel: .context, kind: TestKinds.text, key: RecordKey(rawValue: key),
            payload: Array(text.utf8))
    }

    @Test("A key outstanding beside a million updates of another costs nothing (L-6)")
    func outstandingKey() throws {
        var image = LatestValueSender.Image(kinds: TestKinds.table)
        var sender = LatestValueSender(
            limits: Limits(), present: EpochID(rawValue: 1), versionsAbove: 0, reservationEnd: 64,
            restoring: image)
        let clock = WallTime(milliseconds: 1000)
        func write(_ key: UInt128, _ batch: UInt64) throws {
            _ = try sender.accept(Self.draft(key, "value"), clock: clock)
            for entry in sender.takeEntries() { image.apply(entry) }
            sender.batchFormed(batch)
            sender.committed(through: batch)
            _ = sender.takeEvents()
        }
        try write(1, 1)
        // Until as many outcomes are remembered as there may be.
        for batch in 2...10_000 as ClosedRange<UInt64> { try write(2, batch) }
        let before = Footprint.bytes(of: sender) + Footprint.bytes(of: image)
        for batch in 10_001...UInt64(Self.updates) { try write(2, batch) }
        let after = Footprint.bytes(of: sender) + Footprint.bytes(of: image)
        #expect(after <= before + 256)
        #expect(after < 16_384, "\(after) bytes")
        #expect(sender.outstanding(.context).count == 2)
    }

    @Test("A value left pending stops no other key, and costs no memory (L-32)")
    func pendingKey() throws {
        var pair = ValuePair()
        pair.disposition = { $0.key == RecordKey(rawValue: 1) ? .pending : .applied }
        try pair.connect()
        let id = try pair.write(1, "pending")
        try pair.settle()
        var before = 0
        for round in 0..<20_000 {
            try pair.write(2, "value \(round % 100)")
            pair.commitSender()
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            pair.answerDeliveries()
            pair.commitReceiver()
            try pair.transmitReceiver()
            while !pair.toSender.isEmpty { try pair.deliverBackward() }
            (pair.senderJournal.durable, pair.receiverJournal.durable) = ([], [])
            (pair.events, pair.delivered, pair.sentFrames) = ([], [], [])
            guard round == 10_000 else { continue }
            before = Footprint.bytes(of: pair.sender) + Footprint.bytes(of: pair.receiver)
        }
        pair.commitSender()
        #expect(pair.held(2) == "value 99")
        #expect(pair.sender.outstanding(.context) == [id])
        let after = Footprint.bytes(of: pair.sender) + Footprint.bytes(of: pair.receiver)
        #expect(after <= before + 256, "\(after) bytes, \(before) before")
        pair.receiver.decide(id, .applied)
        try pair.settle()
        #expect(pair.sender.status(of: id) == .settled(.applied))
    }

    @Test("Either side keeps two bases of a key, however many values leave unanswered (L-6, L-21)")
    func bases() throws {
        var pair = ValuePair()
        try pair.connect()
        try pair.write(1, "a long value, number 0")
        try pair.settle()
        for round in 1...500 {
            try pair.write(1, "a long value, number \(round)")
            pair.commitSender()
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            pair.answerDeliveries()
            pair.commitReceiver()
            pair.toSender = []
        }
        #expect(pair.held(1) == "a long value, number 500" && pair.needBases == 0)
        #expect(pair.sender.markedNames.count == 1 && pair.sender.transmissions.count == 1)
        #expect(pair.receiver.bases.count == 1)
        #expect(Footprint.bytes(of: pair.receiver.bases) < 1024)
        #expect(Footprint.bytes(of: pair.sender.transmissions) < 1024)
    }

    @Test("An outcome that is forgotten is told truly of a newest value, and never twice (L-5)")
    func forgottenOutcome() throws {
        var pair = ValuePair()
        try pair.connect()
        let id = try pair.write(1, "kept")
        try pair.settle()
        for round in 0...LatestValueSender.outcomeLimit {
            try pair.write(2, "other \(round)")
            pair.commitSender()
        }
        #expect(pair.sender.outcomes[id] == nil)
        #expect(pair.sender.status(of: id) == .settled(.applied))
        pair.events = []
        try pair.write(1, "newer")
        pair.commitSender()
        #expect(!pair.events.contains(.settled(id, .superseded)))
        #expect(pair.sender.status(of: id) == .unknown, "no more is known of it")
    }
}
