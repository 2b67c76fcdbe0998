import Testing

@testable import WatchProtoCore

/// Deltas, handles and fragments.
@Suite struct LatestDeltaTests {
    static let long = String(repeating: "x", count: 120)

    @Test("Later values in flight are deltas against the same committed base (L-21)")
    func sameBase() throws {
        var pair = ValuePair()
        try pair.connect()
        try pair.write(1, Self.long + "0")
        try pair.settle()
        pair.sentFrames = []
        for index in 1...5 {
            try pair.write(1, Self.long + "\(index)")
            try pair.transmitSender()
        }
        #expect(pair.sentFrames.count == 5)
        #expect(pair.sentFrames.allSatisfy { $0.isDelta && $0.base == pair.sentFrames[0].base })
        #expect(pair.sentFrames.filter { $0.marksBase }.count == 1)
        try pair.settle()
        #expect(pair.held(1) == Self.long + "5" && pair.needBases == 0)
        // The marked one is the base from now on.
        try pair.write(1, Self.long + "6")
        pair.sentFrames = []
        try pair.settle()
        #expect(pair.sentFrames.count == 1 && pair.sentFrames[0].isDelta)
        #expect(pair.held(1) == Self.long + "6" && pair.needBases == 0)
    }

    @Test("Deltas that arrive out of order, or one alone, give the newest value (L-21)")
    func reordered() throws {
        var pair = ValuePair()
        try pair.connect(lossless: false)
        try pair.write(1, Self.long + "0")
        try pair.settle()
        for index in 1...4 {
            try pair.write(1, Self.long + "\(index)")
            try pair.transmitSender()
        }
        pair.toReceiver = [pair.toReceiver[3], pair.toReceiver[0]]
        try pair.settle()
        #expect(pair.held(1) == Self.long + "4")
        try pair.write(1, Self.long + "5")
        try pair.settle()
        #expect(pair.held(1) == Self.long + "5" && pair.needBases == 0)
    }

    /// A pair whose receiver lost the value of key 1 that the sender takes for its base. The sender
    /// was not told.
    private func withoutBase() throws -> ValuePair {
        var pair = ValuePair()
        try pair.connect(lossless: false)
        try pair.write(1, Self.long + "0")
        try pair.settle()
        pair.restartReceiver()
        pair.receiver = LatestValueReceiver(
            limits: pair.limits, restoring: LatestValueReceiver.Image(kinds: TestKinds.table))
        pair.receiverJournal = TestJournal()
        try pair.connect(lossless: false, presents: false)
        return pair
    }

    @Test("Three deltas on a missing base bring one request (L-22, M-26)")
    func oneRequest() throws {
        var pair = try withoutBase()
        for index in 1...3 {
            try pair.write(1, Self.long + "\(index)")
            try pair.transmitSender()
        }
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        try pair.transmitReceiver()
        #expect(pair.needBases == 1)
        try pair.settle()
        #expect(pair.needBases == 1 && pair.held(1) == Self.long + "3")
    }

    @Test("A lost request is sent again though an older value came whole meanwhile (L-22)")
    func lostRequest() throws {
        var pair = try withoutBase()
        try pair.remove(1)
        try pair.transmitSender()
        try pair.write(1, Self.long + "1")
        try pair.transmitSender()
        #expect(pair.sentFrames.last?.isDelta == true && pair.toReceiver.count == 2)
        try pair.deliverForward(at: 1)
        try pair.transmitReceiver()
        #expect(pair.needBases == 1)
        pair.toSender = []
        try pair.deliverForward()
        pair.answerDeliveries()
        pair.commitReceiver()
        pair.receiver.lost(
            .needBase(.key(ValueName(channel: .context, key: RecordKey(rawValue: 1)))))
        try pair.settle()
        #expect(pair.needBases == 2 && pair.held(1) == Self.long + "1")
    }

    @Test("A delta behind a whole value is asked for, though an earlier request is due (L-22)")
    func laterDelta() throws {
        var pair = try withoutBase()
        for text in [Self.long + "1", nil, Self.long + "2"] {
            if let text { try pair.write(1, text) } else { try pair.remove(1) }
            try pair.transmitSender()
        }
        #expect(pair.sentFrames.suffix(3).map { $0.isDelta } == [true, false, true])
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        try pair.settle()
        #expect(pair.held(1) == Self.long + "2")
    }

    @Test("A key travels once a session; then its handle stands for it (L-23, M-26)")
    func handles() throws {
        var pair = ValuePair()
        try pair.connect()
        for index in 0..<3 {
            try pair.write(7, "v\(index)")
            try pair.settle()
        }
        #expect(pair.sentFrames.map { $0.key == nil } == [false, true, true])
        #expect(pair.sentFrames.allSatisfy { $0.handle == 0 })
        try pair.connect()
        try pair.write(7, "v3")
        try pair.settle()
        #expect(pair.sentFrames.last?.key?.rawValue == 7)
    }

    @Test("A handle whose definition was lost is asked for (L-23, M-26)")
    func lostHandle() throws {
        var pair = ValuePair()
        try pair.connect(lossless: false)
        try pair.write(7, "v0")
        try pair.transmitSender()
        pair.toReceiver = []
        pair.sender.acknowledged(
            .value(
                ValueName(channel: .context, key: RecordKey(rawValue: 7)), version: 1,
                definesHandle: true))
        try pair.write(7, "v1")
        try pair.settle()
        #expect(pair.needBases == 1 && pair.held(7) == "v1")
    }

    @Test(
        "A value longer than a packet arrives in fragments, in any order (L-24)",
        arguments: [true, false])
    func fragments(lossless: Bool) throws {
        var pair = ValuePair()
        pair.largestPacket = 244
        try pair.connect(lossless: lossless)
        let text = String(repeating: "abcdefgh", count: 500)
        let id = try pair.write(1, text)
        pair.commitSender()
        try pair.transmitSender()
        #expect(pair.toReceiver.count > 16)
        if !lossless { pair.toReceiver.reverse() }
        try pair.settle()
        #expect(pair.held(1) == text && pair.sender.status(of: id) == .settled(.applied))
        #expect(pair.sender.fragmented.allSatisfy { $0.isEmpty })
    }

    @Test("A value whose fragments are given up twice is asked for twice (L-24)")
    func givenUpTwice() throws {
        var pair = ValuePair()
        pair.largestPacket = 244
        try pair.connect(lossless: false)
        let text = String(repeating: "0123456789", count: 60)
        // First fragments of values that have come: they come once more, and fill both places.
        var late: [ValuePair.Carried] = []
        for key in [8, 9] {
            try pair.write(UInt128(key), text)
            pair.commitSender()
            try pair.transmitSender()
            late.append(pair.toReceiver[0])
            try pair.settle()
        }
        try pair.write(1, text)
        pair.commitSender()
        for _ in 0..<2 {
            try pair.transmitSender()
            pair.toReceiver = [pair.toReceiver[0]] + late
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            try pair.transmitReceiver()
            while !pair.toSender.isEmpty { try pair.deliverBackward() }
        }
        try pair.settle()
        #expect(pair.held(1) == text)
    }

    @Test("A lost fragment is sent again, and one of a replaced value is not (L-24)")
    func lostFragment() throws {
        var pair = ValuePair()
        pair.largestPacket = 244
        try pair.connect(lossless: false)
        let name = ValueName(channel: .context, key: RecordKey(rawValue: 1))
        try pair.write(1, String(repeating: "a", count: 1000))
        pair.commitSender()
        try pair.transmitSender()
        guard case .fragment(let lost) = pair.toReceiver.remove(at: 1) else {
            Issue.record("no fragment")
            return
        }
        let reference = LatestValueSender.Reference.fragment(
            name, version: lost.address.number, offset: lost.offset, count: lost.bytes.count)
        try pair.settle()
        #expect(pair.held(1) == nil)
        pair.sender.lost(reference)
        try pair.settle()
        #expect(pair.held(1)?.count == 1000)
        try pair.write(1, "short")
        pair.sender.lost(reference)
        pair.sentFrames = []
        try pair.transmitSender()
        #expect(pair.toReceiver.count == 1 && pair.sentFrames.count == 1)
    }

    @Test("A lost value is followed by the newest one, never by an older one (L-25)")
    func lostValue() throws {
        var pair = ValuePair()
        try pair.connect(lossless: false)
        let first = try pair.write(1, "one")
        try pair.transmitSender()
        try pair.write(1, "two")
        pair.toReceiver = []
        let name = ValueName(channel: .context, key: RecordKey(rawValue: 1))
        pair.sender.lost(
            .value(name, version: first.number.rawValue, definesHandle: true))
        try pair.settle()
        #expect(pair.delivered.map { String(decoding: $0.payload, as: UTF8.self) } == ["two"])
        pair.sender.lost(.value(name, version: 2, definesHandle: false))
        try pair.transmitSender()
        #expect(pair.toReceiver.isEmpty, "it was answered")
    }

    @Test("Early data has whole values under their keys, and is taken with the hello (L-26)")
    func early() throws {
        var pair = ValuePair()
        try pair.write(1, Self.long)
        pair.commitSender()
        let presented = pair.receiver.presentation
        pair.beginReceiver()
        pair.sender.beginEarly(isLossless: true, epochs: pair.listed)
        try pair.transmitSender()
        #expect(pair.sentFrames.allSatisfy { !$0.isDelta && $0.handle == nil && $0.key != nil })
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        pair.answerDeliveries()
        #expect(pair.held(1) == Self.long, "nothing is lost: the hello shows it")
        try pair.join(presented)
        try pair.settle()
        #expect(pair.sentFrames.count == 1 && !pair.sender.hasUnsettled)
    }
}
