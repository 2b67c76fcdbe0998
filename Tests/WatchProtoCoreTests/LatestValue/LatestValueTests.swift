import Testing

@testable import WatchProtoCore

/// The two machines together; the numbers are rules of the article *Latest-value channels*.
@Suite struct LatestValueTests {
    @Test("A value arrives, is applied, and its sender hears of each stage (L-5, L-30)")
    func stages() throws {
        var pair = ValuePair()
        try pair.connect()
        let id = try pair.write(1, "one")
        #expect(pair.sender.status(of: id) == .underWay(.queued))
        try pair.settle()
        #expect(pair.held(1) == "one")
        #expect(pair.sender.status(of: id) == .settled(.applied))
        #expect(
            pair.events == [
                .progress(id, .queued), .progress(id, .sent), .progress(id, .committed),
                .settled(id, .applied),
            ])
        #expect(!pair.sender.hasUnsettled)
    }

    @Test("The status of a value that left before its commit says nothing of the link (L-4, L-5)")
    func leftBeforeCommit() throws {
        var pair = ValuePair()
        try pair.connect()
        try pair.write(1, "one")
        try pair.settle()
        let id = try pair.write(1, "two")
        try pair.transmitSender()
        #expect(!pair.toReceiver.isEmpty && pair.sender.status(of: id) == .underWay(.queued))
        pair.commitSender()
        #expect(pair.sender.status(of: id) == .underWay(.sent))
    }

    @Test("A newer value settles the older one once the journal holds it (L-6)")
    func superseded() throws {
        var pair = ValuePair()
        let first = try pair.write(1, "one")
        pair.commitSender()
        let second = try pair.write(1, "two")
        #expect(pair.sender.status(of: first) == .underWay(.queued))
        #expect(!pair.events.contains(.settled(first, .superseded)))
        pair.commitSender()
        #expect(pair.events.contains(.settled(first, .superseded)))
        #expect(pair.sender.status(of: first) == .settled(.superseded))
        try pair.connect()
        try pair.settle()
        #expect(pair.delivered.map { $0.id } == [second], "only the newest left")
    }

    @Test("A settled value whose outcome is forgotten is not settled again")
    func forgottenOutcome() throws {
        var pair = ValuePair()
        try pair.connect()
        let first = try pair.write(1, "one")
        try pair.settle()
        #expect(pair.events.contains(.settled(first, .applied)))
        pair.sender.outcomes = RecordRuns<Outcome>()
        try pair.write(1, "two")
        try pair.settle()
        #expect(!pair.events.contains(.settled(first, .superseded)))
    }

    @Test("The content of a removal counts for the size of the set")
    func removalBytes() {
        let record = InboundRecord(
            id: RecordID(
                epoch: EpochID(rawValue: 1), channel: .context, number: RecordNumber(1)),
            kind: TestKinds.removal, key: RecordKey(rawValue: 1), payload: [1, 2, 3])
        #expect(ReceivedValues(kinds: TestKinds.table).charge(record) == 3)
    }

    @Test("A value that waits for its own commit leaves only then (L-4)")
    func waits() throws {
        var pair = ValuePair()
        try pair.connect()
        try pair.settle()
        try pair.write(1, "waits", waits: true)
        try pair.write(2, "overlaps")
        try pair.transmitSender()
        #expect(pair.sentFrames.map { $0.key?.rawValue } == [2])
        pair.commitSender()
        try pair.transmitSender()
        #expect(pair.sentFrames.map { $0.key?.rawValue } == [2, 1])
    }

    @Test("No version leaves before a durable reservation covers it (L-2)")
    func reservation() throws {
        var pair = ValuePair()
        try pair.connect()
        for index in 0..<70 { try pair.write(UInt128(index), "v\(index)") }
        try pair.transmitSender()
        #expect(pair.sentFrames.count == 64, "the first block has 64 versions")
        pair.commitSender()
        try pair.transmitSender()
        #expect(pair.sentFrames.count == 70)
    }

    #if DEBUG
        static let updates = 100_000
    #else
        static let updates = 1_000_000
    #endif

    @Test("Many updates of one key beside an outstanding other key cost nothing (L-6)")
    func flatMemory() throws {
        var pair = ValuePair()
        try pair.write(1, "outstanding")
        pair.commitSender()
        for index in 0..<Self.updates {
            try pair.write(2, "v")
            guard index % 1000 == 0 else { continue }
            _ = pair.sender.takeEntries()
            pair.sender.batchFormed(UInt64(index + 2))
            pair.sender.committed(through: UInt64(index + 2))
            _ = pair.sender.takeEvents()
        }
        _ = pair.sender.takeEntries()
        pair.sender.batchFormed(.max)
        pair.sender.committed(through: .max)
        let sender = pair.sender
        #expect(sender.values.table.count == 2 && sender.transmissions.count == 2)
        #expect(sender.replaced.isEmpty && sender.commits.isEmpty && sender.markedNames.isEmpty)
        #expect(sender.outcomes.count <= LatestValueSender.outcomeLimit)
    }

    @Test("Values equal to the newest of a key get no version (L-7)")
    func equalStates() throws {
        var pair = ValuePair()
        try pair.connect()
        let first = try pair.write(1, "same", .complication)
        let again = try pair.write(1, "same", .complication)
        let one = try pair.write(1, "same", .context)
        let other = try pair.write(1, "same", .context)
        #expect(again == first && other == one)
        try pair.settle()
        #expect(pair.delivered.count == 2)
    }

    /// (Seed 246.)
    @Test("A value equal to the applied one is not given, also behind one that waits (L-7)")
    func equalBehindWaiting() throws {
        var pair = ValuePair()
        try pair.connect()
        try pair.write(1, "same")
        try pair.settle()
        for text in ["other", "same"] {
            try pair.write(1, text)
            pair.commitSender()
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        }
        pair.answerDeliveries()
        #expect(pair.delivered.count == 1 && pair.held(1) == "same")
        try pair.settle()
        #expect(pair.delivered.count == 1 && pair.sender.unsettledCount == 0)
    }

    @Test("A value that has not left can be cancelled; one that may have left cannot (L-8)")
    func cancel() throws {
        var pair = ValuePair()
        let first = try pair.write(1, "one")
        let isCancelled = pair.sender.cancel(first)
        #expect(isCancelled)
        pair.commitSender()
        #expect(pair.sender.status(of: first) == .settled(.cancelled))
        try pair.connect()
        try pair.settle()
        #expect(pair.delivered.isEmpty)
        let second = try pair.write(1, "two")
        try pair.transmitSender()
        let isTooLate = !pair.sender.cancel(second)
        #expect(isTooLate)
        try pair.settle()
        #expect(pair.held(1) == "two")
    }

    @Test("A rejected value ends with its code; the next value of the key is taken (L-31)")
    func rejected() throws {
        var pair = ValuePair()
        pair.disposition = { $0.payload == Array("bad".utf8) ? .rejected(code: 7) : .applied }
        try pair.connect()
        try pair.write(1, "good")
        try pair.settle()
        let bad = try pair.write(1, "bad")
        try pair.settle()
        #expect(pair.sender.status(of: bad) == .settled(.rejected(code: 7)))
        #expect(pair.held(1) == "good")
        let set = [SyncValue(key: RecordKey(rawValue: 1), kind: TestKinds.text, payload: [1])]
        let result = try pair.sender.synchronize(
            .context, set, kinds: [TestKinds.text], removalKind: TestKinds.removal,
            clock: pair.clock)
        guard case .queued = result else {
            Issue.record("a rejected value counts as held")
            return
        }
        try pair.settle()
        #expect(pair.receiver.held(ValueName(channel: .context, key: set[0].key))?.payload == [1])
    }

    @Test("A pending value is committed, and applied after the application's word (L-32)")
    func pending() throws {
        var pair = ValuePair()
        pair.disposition = { _ in .pending }
        try pair.connect()
        let id = try pair.write(1, "one")
        try pair.write(2, "other")
        try pair.settle()
        #expect(pair.sender.status(of: id) == .underWay(.committed))
        #expect(pair.held(1) == nil)
        // The word falls without a link, and after a restart of both.
        pair.restartReceiver()
        let again = pair.receiver.takeDeliveries()
        #expect(again.count == 2, "pending values are given again")
        pair.receiver.decide(id, .applied)
        pair.commitReceiver()
        pair.restartSender()
        try pair.connect()
        try pair.settle()
        #expect(pair.sender.status(of: id) == .settled(.applied))
        #expect(pair.held(1) == "one")
    }

    @Test("A newer value takes the place of a pending one")
    func pendingReplaced() throws {
        var pair = ValuePair()
        pair.disposition = { $0.payload.count == 3 ? .pending : .applied }
        try pair.connect()
        let first = try pair.write(1, "one")
        try pair.settle()
        try pair.write(1, "second")
        try pair.settle()
        pair.receiver.decide(first, .applied)
        #expect(pair.held(1) == "second")
    }

    @Test("Beyond two sets a value is rejected with 65,535, and nothing is held of it (L-33)")
    func noRoom() throws {
        var pair = ValuePair()
        try pair.connect()
        var limits = Limits()
        limits.setsHeld = 0
        pair.receiver = LatestValueReceiver(
            limits: limits, restoring: LatestValueReceiver.Image(kinds: TestKinds.table))
        pair.beginReceiver()
        let id = try pair.write(1, "one")
        try pair.settle()
        #expect(pair.sender.status(of: id) == .settled(.rejected(code: Outcome.noRoomCode)))
        #expect(pair.receiver.values.table.isEmpty && pair.receiver.values.top == nil)
    }

    @Test("A set over the limit is refused, and nothing has changed (L-9)")
    func setLimit() throws {
        var pair = ValuePair()
        let payload = [UInt8](repeating: 1, count: 4000)
        let most = Channel.complication.traits.setByteLimit / (4000 + Channel.keyBytes)
        for index in 0..<most {
            _ = try pair.sender.accept(
                RecordDraft(
                    channel: .complication, kind: .opaque,
                    key: RecordKey(rawValue: UInt128(index)), payload: payload), clock: pair.clock)
        }
        let entries = pair.sender.entries.count
        #expect(throws: SendRefusal.setTooLarge(limit: 1 << 18)) {
            try pair.sender.accept(
                RecordDraft(
                    channel: .complication, kind: .opaque, key: RecordKey(rawValue: 9999),
                    payload: payload), clock: pair.clock)
        }
        #expect(pair.sender.entries.count == entries)
        try pair.remove(0, .complication)
        _ = try pair.sender.accept(
            RecordDraft(
                channel: .complication, kind: .opaque, key: RecordKey(rawValue: 9999),
                payload: payload), clock: pair.clock)
    }

    @Test("A whole set sends what differs, and nothing when it is held (L-10)")
    func synchronize() throws {
        var pair = ValuePair()
        func set(_ texts: [String]) -> [SyncValue] {
            texts.enumerated().map { index, text in
                SyncValue(
                    key: RecordKey(rawValue: UInt128(index)), kind: TestKinds.text,
                    payload: Array(text.utf8))
            }
        }
        func synchronize(_ texts: [String]) throws -> SyncResult {
            try pair.sender.synchronize(
                .context, set(texts), kinds: [TestKinds.text], removalKind: TestKinds.removal,
                clock: pair.clock)
        }
        #expect(try synchronize([]) == .notModified(isHeld: true))
        guard case .queued(let all) = try synchronize(["a", "b", "c"]), all.count == 3 else {
            Issue.record("nothing was queued")
            return
        }
        #expect(try synchronize(["a", "b", "c"]) == .notModified(isHeld: false))
        try pair.connect()
        try pair.settle()
        #expect(try synchronize(["a", "b", "c"]) == .notModified(isHeld: true))
        guard case .queued(let changed) = try synchronize(["a", "x"]), changed.count == 2 else {
            Issue.record("two keys differ")
            return
        }
        try pair.settle()
        #expect(pair.held(0) == "a" && pair.held(1) == "x" && pair.held(2) == nil)
        #expect(pair.delivered.count == 5)
    }

    @Test("Of a large set only so much goes to the application as the journal keeps up with")
    func largeSet() throws {
        var pair = ValuePair(block: 4096)
        try pair.connect()
        let limit = LatestValueReceiver.entriesUnderWay
        // The values that wait are longer than the face's whole set may be.
        let text = String(repeating: "x", count: 6000)
        for key in 0..<limit + 100 { try pair.write(UInt128(key), "\(key)" + text) }
        try pair.transmitSender()
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        pair.answerDeliveries()
        #expect(pair.delivered.count == limit && !pair.receiver.hasDeliveries)
        #expect(pair.receiver.takeDeliveries().isEmpty)
        // A complication does not wait for them.
        try pair.write(1, "face", .complication)
        try pair.transmitSender()
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        #expect(pair.receiver.hasDeliveries)
        pair.answerDeliveries()
        #expect(pair.delivered.count == limit + 1 && pair.held(1, .complication) == "face")
        pair.commitReceiver()
        #expect(pair.receiver.hasDeliveries)
        try pair.settle()
        #expect(pair.delivered.count == limit + 101 && !pair.sender.hasUnsettled)
        #expect(Set(pair.delivered.map(\.id)).count == limit + 101)
        #expect(pair.receiver.deliveries.bytes == Array(repeating: 0, count: Channel.count))
    }
}
