import Testing

@testable import WatchProtoCore

/// Histories that random walks meet too rarely, from counterexamples of Models/latest.h: each shows
/// a planted mistake, and that the rule prevents it.
@Suite struct LatestHistoryTests {
    /// The writes that the receiver's application saw, in order.
    static func texts(_ pair: ValuePair) -> [String] {
        pair.delivered.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test("A version that mending alone gave out is not given out again (L-2, L-3)")
    func noReservation() throws {
        func isHidden(_ mutants: LatestMutants) throws -> Bool {
            var pair = ValuePair(mutants: mutants)
            try pair.connect()
            try pair.write(1, "1")
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            pair.answerDeliveries()
            pair.commitReceiver()
            // The sender lost the write, mends, and loses what it adopts.
            pair.restartSender()
            try pair.connect()
            for _ in 0..<20 where pair.own(1) == nil {
                pair.commitSender()
                try pair.transmitSender()
                while !pair.toReceiver.isEmpty { try pair.deliverForward() }
                pair.commitReceiver()
                try pair.transmitReceiver()
                while pair.own(1) == nil, !pair.toSender.isEmpty { try pair.deliverBackward() }
            }
            #expect(pair.own(1) == "1")
            pair.restartSender()
            try pair.write(1, "2")
            try pair.connect()
            try LatestWatermarkTests.exchange(&pair)
            return pair.held(1) == "1"
        }
        #expect(try isHidden([]) == false)
        #expect(try isHidden(.noReservation))
    }

    @Test("A forgotten removal stays newer than the value before it (L-41, L-43)")
    func noWatermark() throws {
        func isOlderTaken(_ mutants: LatestMutants) throws -> Bool {
            var pair = ValuePair(mutants: mutants)
            try pair.write(1, "1")
            pair.commitSender()
            let backup = pair.senderJournal
            try pair.connect()
            try pair.remove(1)
            try pair.settle()
            #expect(pair.receiver.values.table.isEmpty)
            pair.senderJournal = backup
            pair.restartSender()
            try pair.connect()
            try pair.settle()
            return pair.held(1) != nil
        }
        #expect(try isOlderTaken([]) == false)
        #expect(try isOlderTaken(.noWatermark))
    }

    @Test("A receiver tells no value before all that it held is durable (L-36)")
    func tellDirty() throws {
        func isOlderAdopted(_ mutants: LatestMutants) throws -> Bool {
            var pair = ValuePair(mutants: mutants)
            try pair.connect()
            try pair.write(1, "1")
            try pair.settle()
            try pair.write(1, "2")
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            pair.answerDeliveries()
            // The second write is in the receiver's memory alone; the sender knows none of both.
            pair.senderJournal = TestJournal()
            pair.restartSender()
            try pair.connect()
            for _ in 0..<4 {
                pair.commitSender()
                try pair.transmitSender()
                while !pair.toReceiver.isEmpty { try pair.deliverForward() }
                try pair.transmitReceiver()
                while !pair.toSender.isEmpty { try pair.deliverBackward() }
            }
            return pair.own(1) == "1"
        }
        #expect(try isOlderAdopted([]) == false)
        #expect(try isOlderAdopted(.tellDirty))
    }

    @Test("A receiver that went back does not conclude that nothing is lost (L-13)")
    func coverUnknown() throws {
        func order(_ mutants: LatestMutants) throws -> [String] {
            var pair = ValuePair(mutants: mutants)
            let empty = pair.receiverJournal
            try pair.connect()
            try pair.write(1, "1")
            try pair.settle()
            let backup = pair.senderJournal
            pair.restartSender()
            try pair.write(1, "2")
            pair.commitSender()
            pair.receiverJournal = empty
            pair.restartReceiver()
            pair.delivered = []
            pair.beginReceiver()
            pair.sender.beginEarly(isLossless: true, epochs: pair.listed)
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            pair.answerDeliveries()
            pair.commitReceiver()
            pair.senderJournal = backup
            pair.restartSender()
            try pair.connect()
            try pair.settle()
            return Self.texts(pair)
        }
        #expect(try order([]) == ["1"])
        #expect(try order(.coverUnknown) == ["2", "1"], "an older write after a newer one")
    }

    @Test("Early data does not hide the top of the sender's copy (L-11, L-12; seed 87899)")
    func takeUnjudged() throws {
        func topAfterEarlyData(_ mutants: LatestMutants) throws -> (String?, Bool) {
            var pair = ValuePair(block: 2, mutants: mutants)
            try pair.connect()
            // The receiver knows the epoch; the sender was not told so.
            try pair.write(1, "of both")
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            pair.answerDeliveries()
            pair.formReceiver()
            pair.commitReceiver()
            pair.commitSender()
            let backup = pair.senderJournal
            pair.disconnect()
            // One device goes on offline in this epoch.
            for text in ["a", "b", "c", "of this device"] {
                try pair.write(2, text)
                pair.commitSender()
            }
            let offline = pair.senderJournal
            // The other one takes up the backup, and gives out a version that the first one has.
            pair.senderJournal = backup
            pair.restartSender()
            try pair.connect()
            try pair.write(3, "of the copy")
            try pair.settle()
            let top = pair.receiver.presentation.top
            pair.senderJournal = offline
            pair.restartSender()
            pair.disconnect()
            pair.beginReceiver()
            pair.sender.beginEarly(isLossless: true, epochs: pair.listed)
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            pair.answerDeliveries()
            let isTop = pair.receiver.presentation.top == top
            try pair.connect()
            try pair.settle()
            return (pair.held(2), isTop)
        }
        #expect(try topAfterEarlyData([]) == ("of this device", true))
        #expect(try topAfterEarlyData(.takeUnknown) == ("of this device", false))
    }
}

/// Values that a session leaves under way.
@Suite struct LatestMendTests {
    @Test("The verdict waits for the mending of its own session (L-16)")
    func mendedTwice() throws {
        var pair = ValuePair()
        try pair.connect()
        try pair.write(1, "abandoned")
        try pair.settle()
        pair.senderJournal = TestJournal()
        pair.restartSender()
        try pair.write(1, "since")
        pair.commitSender()
        func exchange(_ pair: inout ValuePair) throws {
            for _ in 0..<4 {
                try pair.transmitSender()
                while !pair.toReceiver.isEmpty { try pair.deliverForward() }
                try pair.transmitReceiver()
                while !pair.toSender.isEmpty { try pair.deliverBackward() }
            }
        }
        try pair.connect()
        try exchange(&pair)
        #expect(pair.sender.session?.verdict == .mending)
        pair.formSender()
        let first = pair.senderJournal.formed
        try pair.connect()
        try exchange(&pair)
        #expect(pair.sender.session?.verdict == .mending)
        pair.formSender()
        pair.sender.committed(through: first)
        #expect(pair.sender.session?.verdict == .mending)
        try pair.settle()
        #expect(pair.held(1) == "since" && pair.own(1) == "since")
    }
}
