import Testing

@testable import WatchProtoCore

/// The shortest histories in which Models/latest.h breaks without a rule of the removal watermark,
/// step by step against the machines.
@Suite struct LatestWatermarkTests {
    /// Some rounds of both sides; a planted mistake may keep them from coming to rest.
    static func exchange(_ pair: inout ValuePair, rounds: Int = 8) throws {
        for _ in 0..<rounds {
            pair.commitSender()
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            pair.answerDeliveries()
            pair.commitReceiver()
            try pair.transmitReceiver()
            while !pair.toSender.isEmpty { try pair.deliverBackward() }
        }
    }

    @Test("BUG_FLOOR_UNMATCHED: a wiped receiver is told a watermark before the values (L-40)")
    func watermarkUnmatched() throws {
        func isLost(_ mutants: LatestMutants) throws -> Bool {
            var pair = ValuePair(mutants: mutants)
            try pair.connect()
            try pair.write(1, "1")
            try pair.write(2, "2")
            try pair.settle()
            try pair.remove(2)
            try pair.settle()
            #expect(pair.sender.values.watermark == 3)
            pair.receiverJournal = TestJournal()
            pair.restartReceiver()
            try pair.connect()
            try Self.exchange(&pair)
            return pair.held(1) == nil
        }
        #expect(try isLost([]) == false)
        #expect(try isLost(.watermarkUnmatched))
    }

    @Test("BUG_FLOOR_NOT_TOP: a watermark stands on a reservation, like a value (L-41)")
    func watermarkNotTop() throws {
        func isLost(_ mutants: LatestMutants) throws -> Bool {
            var pair = ValuePair(mutants: mutants)
            try pair.connect()
            try pair.write(1, "1")
            try pair.settle()
            pair.disconnect()
            try pair.remove(1)
            // Nobody takes the highest version.
            #expect(pair.sender.cancel(try pair.write(2, "cancelled")))
            try pair.connect()
            try pair.settle()
            #expect(pair.receiver.values.watermark == 3)
            pair.senderJournal = TestJournal()
            pair.restartSender()
            try pair.write(1, "since")
            try pair.connect()
            try Self.exchange(&pair)
            return pair.held(1) == nil
        }
        #expect(try isLost([]) == false)
        #expect(try isLost(.watermarkNotTop))
    }

    @Test("BUG_FLOOR_BEFORE_KNOW: no watermark without the epoch that it stands on (L-41)")
    func watermarkBeforeKnown() throws {
        /// Whether a receiver that holds the removal as its watermark takes the value before it.
        func isOlderTaken(_ mutants: LatestMutants) throws -> Bool {
            var pair = ValuePair(block: 2, mutants: mutants)
            try pair.connect()
            try pair.write(1, "1")
            try pair.write(1, "2")
            pair.commitSender()
            let backup = pair.senderJournal
            try pair.remove(1)
            try pair.settle()
            #expect(pair.sender.values.watermark == 3)
            pair.receiverJournal = TestJournal()
            pair.restartReceiver()
            try pair.connect()
            // The sender holds nothing, like the receiver, and may tell its watermark.
            pair.toReceiver = [.watermark(RemovalWatermarkFrame(version: 3))]
            try pair.deliverForward()
            pair.commitReceiver()
            let watermark = pair.receiver.values.watermark
            pair.senderJournal = backup
            pair.restartSender()
            try pair.connect()
            try Self.exchange(&pair)
            return watermark == 3 && pair.held(1) == "2"
        }
        #expect(try isOlderTaken([]) == false)
        #expect(try isOlderTaken(.watermarkBeforeKnown))
    }

    @Test(
        "A value that was cancelled before the watermark covered it stays so (L-43; seed 2088191)")
    func cancelledUnderWatermark() throws {
        var pair = ValuePair()
        try pair.connect()
        try pair.write(1, "old")
        try pair.settle()
        pair.disconnect()
        try pair.remove(1)
        let id = try pair.write(2, "cancelled")
        pair.commitSender()
        let backup = pair.senderJournal
        let isCancelled = pair.sender.cancel(id)
        #expect(isCancelled)
        pair.commitSender()
        try pair.connect()
        try pair.settle()
        #expect(pair.receiver.values.watermark == id.number.rawValue)
        pair.senderJournal = backup
        pair.restartSender()
        try pair.connect()
        try pair.settle()
        #expect(pair.own(2) == nil && pair.held(2) == nil && !pair.sender.hasUnsettled)
    }

    @Test(
        "A refusal behind a removal brings no value from before it back (L-43; seed 2007541)",
        arguments: [true, false])
    func refusedSince(_ isApplied: Bool) throws {
        var pair = ValuePair()
        try pair.connect()
        pair.disposition = { _ in isApplied ? .applied : .rejected(code: 3) }
        let old = try pair.write(1, "old")
        try pair.settle()
        let backup = pair.senderJournal
        pair.disposition = { _ in .applied }
        try pair.remove(1)
        try pair.settle()
        #expect(pair.receiver.values.watermark > old.number.rawValue)
        pair.disposition = { _ in .rejected(code: 7) }
        try pair.write(1, "refused")
        try pair.settle()
        pair.disposition = { _ in .applied }
        let shown = pair.delivered.count
        pair.senderJournal = backup
        pair.restartSender()
        try pair.connect()
        try pair.settle()
        #expect(pair.delivered.count == shown && pair.held(1) == nil)
        #expect(pair.own(1) == (isApplied ? nil : "old") && !pair.sender.hasUnsettled)
        pair.restartSender()
        try pair.connect()
        // Of a key that it has forgotten as removed, this side knows no refusal.
        #expect((pair.sender.session?.comparison == nil) == !isApplied)
        try pair.write(1, "new")
        try pair.settle()
        #expect(pair.held(1) == "new")
    }

    @Test("A key adopted as removed stays removed when the receiver goes back (L-43)")
    func adoptedRemoval() throws {
        var pair = ValuePair()
        try pair.connect()
        try pair.write(1, "1")
        try pair.settle()
        let receiverBackup = pair.receiverJournal
        try pair.remove(1)
        try Self.exchange(&pair, rounds: 1)
        pair.formSender()
        let batch = pair.senderJournal.commit()
        let senderBackup = pair.senderJournal
        pair.sender.committed(through: try #require(batch))
        try pair.settle()
        #expect(pair.receiver.values.watermark == 2 && pair.sender.values.watermark == 2)
        // The sender goes back to before its watermark. It does not match: a value is under way.
        pair.senderJournal = senderBackup
        pair.restartSender()
        try pair.connect()
        pair.commitSender()
        try pair.transmitSender()
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        pair.commitReceiver()
        try pair.transmitReceiver()
        try pair.write(2, "2")
        try Self.exchange(&pair, rounds: 1)
        pair.commitSender()
        #expect(pair.own(1) == nil && pair.sender.values.watermark == 0)
        pair.receiverJournal = receiverBackup
        pair.restartReceiver()
        #expect(pair.held(1) == "1")
        try pair.connect()
        try Self.exchange(&pair)
        #expect(pair.own(1) == nil && pair.held(1) == nil)
        #expect(!pair.events.contains { if case .recovered = $0 { true } else { false } })
    }
}
