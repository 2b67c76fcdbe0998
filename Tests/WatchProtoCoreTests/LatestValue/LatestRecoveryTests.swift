import Testing

@testable import WatchProtoCore

/// Lost journals: what is adopted, mended, sent again, removed; and what it costs.
@Suite struct LatestRecoveryTests {
    @Test("Both in step, a session brings no frame at all (L-35, L-50)")
    func inStep() throws {
        var pair = ValuePair()
        try pair.connect()
        for key in 0..<5 { try pair.write(UInt128(key), "v\(key)") }
        try pair.settle()
        pair.restartReceiver()
        pair.restartSender()
        try pair.connect()
        pair.sentFrames = []
        try pair.settle()
        #expect(pair.sentFrames.isEmpty && pair.delivered.count == 5)
        #expect(pair.sender.session?.comparison == nil)
    }

    /// A pair whose sender lost a value in a crash that the receiver holds.
    private func crashed() throws -> ValuePair {
        var pair = ValuePair()
        try pair.connect()
        try pair.write(1, "kept")
        try pair.settle()
        try pair.write(1, "lost")
        try pair.transmitSender()
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        pair.answerDeliveries()
        pair.commitReceiver()
        pair.restartSender()
        #expect(pair.own(1) == "kept")
        try pair.connect()
        return pair
    }

    private func isRecovery(_ event: LatestValueSender.Event) -> Bool {
        guard case .recovered(let record) = event else { return false }
        return record.payload == Array("lost".utf8)
    }

    @Test("A value lost in a crash of its sender is recovered from the receiver (L-37)")
    func crash() throws {
        var pair = try crashed()
        try pair.settle()
        #expect(pair.own(1) == "lost" && pair.held(1) == "lost")
        #expect(pair.events.count(where: isRecovery) == 1)
    }

    @Test("A recovered value is reported before the batch that adopts it is formed")
    func reportedBeforeItsBatch() throws {
        var pair = try crashed()
        for _ in 0..<50 where pair.own(1) != "lost" {
            pair.commitSender()
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            try pair.transmitReceiver()
            while pair.own(1) != "lost", !pair.toSender.isEmpty { try pair.deliverBackward() }
        }
        #expect(pair.own(1) == "lost" && pair.sender.hasEntries)
        #expect(pair.sender.takeEvents().contains(where: isRecovery))
    }

    @Test(
        "A version that the receiver refused hides neither a newer value held there nor an older one",
        arguments: [true, false])
    func refusedVersion(_ isNewer: Bool) throws {
        var pair = ValuePair()
        try pair.connect()
        if !isNewer { try pair.write(1, "held") }
        try pair.settle()
        try pair.write(1, "kept")
        if !isNewer { pair.disposition = { _ in .pending } }
        try pair.settle()
        let kept = pair.senderJournal
        if isNewer { try pair.write(1, "held") }
        try pair.settle()
        pair.disposition = { _ in .rejected(code: 7) }
        try pair.write(1, "refused")
        try pair.settle()
        pair.disposition = { _ in .applied }
        pair.senderJournal = kept
        pair.restartSender()
        try pair.connect()
        try pair.settle()
        let newest = isNewer ? "held" : "kept"
        #expect(pair.own(1) == newest && pair.held(1) == newest)
        // The application has applied the newer one, and is not given it again (L-7).
        #expect(pair.delivered.last?.payload == Array((isNewer ? "refused" : newest).utf8))
        pair.restartSender()
        try pair.connect()
        #expect(pair.sender.session?.comparison == nil, "both are in step (L-37)")
    }

    @Test("A wiped receiver is sent all values again (L-38)")
    func wipedReceiver() throws {
        var pair = ValuePair()
        try pair.connect()
        for key in 0..<5 { try pair.write(UInt128(key), "v\(key)") }
        try pair.settle()
        pair.receiverJournal = TestJournal()
        pair.restartReceiver()
        try pair.connect()
        try pair.settle()
        for key in 0..<5 { #expect(pair.held(UInt128(key)) == "v\(key)") }
    }

    @Test("After a restore, a value written since meets one of the abandoned branch (L-17, L-19)")
    func conflict() throws {
        var pair = ValuePair(block: 2)
        try pair.connect()
        try pair.write(1, "common")
        try pair.settle()
        let backup = pair.senderJournal
        for index in 0..<10 { try pair.write(1, "abandoned \(index)") }
        try pair.settle()
        #expect(pair.held(1) == "abandoned 9")
        pair.senderJournal = backup
        pair.restartSender()
        let id = try pair.write(1, "since")
        try pair.connect()
        try pair.settle()
        #expect(pair.own(1) == "since" && pair.held(1) == "since")
        let conflicts = pair.events.compactMap { event in
            if case .conflict(let ours, let theirs) = event { (ours, theirs) } else { nil }
        }
        #expect(conflicts.count == 1)
        #expect(conflicts.first?.0.payload == Array("since".utf8))
        #expect(conflicts.first?.1.payload == Array("abandoned 9".utf8))
        let isRenumbered = pair.events.contains {
            if case .renumbered(let former, _) = $0 { former == id } else { false }
        }
        #expect(isRenumbered)
    }

    @Test("A wiped sender adopts what the receiver holds, and sends no equal value (L-18, L-37)")
    func wipedSender() throws {
        var pair = ValuePair()
        try pair.connect()
        for key in 0..<40 { try pair.write(UInt128(key), "v\(key)") }
        try pair.settle()
        pair.senderJournal = TestJournal()
        pair.restartSender()
        for key in 0..<30 { try pair.write(UInt128(key), key == 3 ? "new" : "v\(key)") }
        pair.sentFrames = []
        try pair.connect()
        try pair.settle()
        #expect(pair.sentFrames.count == 1, "only what differs is sent")
        #expect(pair.held(3) == "new" && pair.own(35) == "v35" && !pair.sender.hasUnsettled)
    }

    @Test("Removed keys are forgotten on both sides, and stay removed (L-39 to L-41)")
    func watermark() throws {
        var pair = ValuePair()
        try pair.connect()
        for key in 0..<4 { try pair.write(UInt128(key), "v") }
        try pair.settle()
        let backup = pair.receiverJournal
        try pair.remove(1)
        try pair.remove(2)
        try pair.settle()
        #expect(pair.sender.values.table.count == 2 && pair.receiver.values.table.count == 2)
        #expect(pair.sender.values.watermark == pair.receiver.values.watermark)
        // A receiver that holds them again gets removals at the watermark.
        pair.receiverJournal = backup
        pair.restartReceiver()
        try pair.connect()
        try pair.settle()
        #expect(pair.held(0) == "v" && pair.held(1) == nil && pair.held(2) == nil)
    }

    @Test(
        "A name that two devices of one backup gave out stands for one value (L-17; seed 107561)",
        arguments: [0, 40])
    func nameOfTwoDevices(_ others: UInt128) throws {
        var pair = ValuePair()
        try pair.connect()
        // Among many keys that are equal, ranges are compared (L-46).
        for key in 0..<others { try pair.write(100 + key, "v") }
        try pair.settle()
        let copy = pair.senderJournal
        // One device is met, and accepts a value without a link.
        pair.restartSender()
        try pair.connect()
        pair.formReceiver()
        pair.commitReceiver()
        pair.disconnect()
        let ours = try pair.write(1, "ours")
        pair.commitSender()
        let device = pair.senderJournal
        pair.senderJournal = copy
        pair.restartSender()
        try pair.connect()
        let theirs = try pair.write(1, "theirs")
        try pair.settle()
        #expect(pair.held(1) == "theirs" && ours.number == theirs.number)
        pair.senderJournal = device
        pair.restartSender()
        pair.events = []
        try pair.connect()
        try pair.settle()
        #expect(pair.held(1) == "ours" && pair.own(1) == "ours" && !pair.sender.hasUnsettled)
        let isTold = pair.events.contains { if case .conflict = $0 { true } else { false } }
        #expect(isTold)
    }

    @Test("A rejected value that a wiped receiver lacks is not taken for a removed one (L-43)")
    func rejectedAndWiped() throws {
        var pair = ValuePair()
        pair.disposition = { _ in .rejected(code: 3) }
        try pair.connect()
        try pair.write(1, "refused")
        try pair.settle()
        pair.disposition = { _ in .applied }
        let backup = pair.senderJournal
        pair.receiverJournal = TestJournal()
        pair.restartReceiver()
        try pair.connect()
        try pair.write(2, "v")
        try pair.settle()
        try pair.remove(2)
        try pair.settle()
        #expect(pair.receiver.values.watermark > 1)
        pair.senderJournal = backup
        pair.restartSender()
        try pair.connect()
        try pair.settle()
        #expect(pair.own(1) == "refused" && pair.sender.session?.comparison == nil)
    }

    @Test("A long value is recovered piece by piece on small packets (L-37)")
    func pieces() throws {
        var pair = ValuePair()
        pair.largestPacket = 244
        let text = String(repeating: "0123456789", count: 300)
        try pair.connect()
        for key in 0..<30 { try pair.write(UInt128(key), text + "\(key)") }
        try pair.settle()
        pair.senderJournal = TestJournal()
        pair.restartSender()
        try pair.connect()
        try pair.settle()
        for key in 0..<30 { #expect(pair.own(UInt128(key)) == text + "\(key)") }
    }

    private static let long = String(repeating: "0123456789", count: 300)

    /// A pair whose sender was restored, and has got a piece of a long value that the receiver left
    /// pending behind another one, which the backup has or not.
    private func fetching(knowsOld: Bool = false) throws -> ValuePair {
        var pair = ValuePair()
        pair.largestPacket = 244
        try pair.connect()
        var backup = pair.senderJournal
        try pair.write(1, "old")
        try pair.settle()
        if knowsOld { backup = pair.senderJournal }
        pair.disposition = { _ in .pending }
        try pair.write(1, Self.long)
        try pair.settle()
        pair.senderJournal = backup
        pair.restartSender()
        try pair.connect()
        func hasPiece() -> Bool {
            let asked = pair.sender.session?.comparison?.asked.values.first ?? nil
            return asked?.payload.isEmpty == false
        }
        for _ in 0..<50 where !hasPiece() {
            pair.commitSender()
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            try pair.transmitReceiver()
            while !pair.toSender.isEmpty { try pair.deliverBackward() }
        }
        #expect(hasPiece())
        pair.disposition = { _ in .applied }
        return pair
    }

    @Test(
        "A value refused while it is fetched leaves a refusal behind (L-37; seed 3028176)",
        arguments: [true, false])
    func refusedMeanwhile(_ isLost: Bool) throws {
        var pair = ValuePair()
        try pair.connect()
        pair.disposition = { _ in .rejected(code: 3) }
        try pair.write(1, "old")
        pair.commitSender()
        let backup = pair.senderJournal
        try pair.settle()
        pair.disposition = { _ in .pending }
        let id = try pair.write(1, "lost")
        // While this one is fetched the comparison goes on.
        try pair.write(2, "lost, too")
        try pair.settle()
        pair.senderJournal = backup
        if !isLost { pair.senderJournal.durable.append([.numbered(id.epoch, .context, last: 3)]) }
        pair.restartSender()
        try pair.connect()
        func isFetching() -> Bool { pair.sender.session?.comparison?.asked.values.isEmpty == false }
        for _ in 0..<9 where !isFetching() {
            try pair.transmitSender()
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            try pair.transmitReceiver()
            while !pair.toSender.isEmpty { try pair.deliverBackward() }
        }
        #expect(isFetching() && (pair.sender.session?.verdict == .lost) == isLost)
        pair.disposition = { _ in .applied }
        pair.receiver.decide(id, .rejected(code: 7))
        try pair.settle()
        #expect(pair.own(1) == "old" && pair.held(1) == "old" && !pair.sender.hasUnsettled)
    }

    @Test("A value that takes the place of the one asked for is fetched from its start (L-37)")
    func piecesOfAnother() throws {
        var pair = try fetching()
        let id = try #require(pair.delivered.last?.id)
        pair.receiver.decide(id, .rejected(code: 7))
        try pair.settle()
        #expect(pair.own(1) == "old" && pair.held(1) == "old")
        #expect(pair.sender.session?.comparison == nil)
    }

    @Test("A value written while one lost here is fetched waits for it, and both are told (L-19)")
    func writtenMeanwhile() throws {
        var pair = try fetching()
        try pair.write(1, "new")
        try pair.settle()
        #expect(pair.own(1) == "new" && pair.held(1) == "new")
        let told = pair.events.compactMap { event -> [[UInt8]]? in
            guard case .conflict(let ours, let theirs) = event else { return nil }
            return [ours.payload, theirs.payload]
        }
        #expect(told == [[Array("new".utf8), Array(Self.long.utf8)]])
    }

    @Test("A value written after a cut waits for the one lost here, and both are told (L-19, L-51)")
    func writtenAfterCut() throws {
        var pair = try fetching()
        pair.disconnect()
        try pair.write(1, "new")
        try pair.write(2, "another key")
        pair.isSameOpening = true
        try pair.connect()
        try pair.settle()
        #expect(pair.own(1) == "new" && pair.held(1) == "new" && pair.held(2) == "another key")
        let conflicts = pair.events.compactMap { event -> [UInt8]? in
            if case .conflict(_, let theirs) = event { theirs.payload } else { nil }
        }
        #expect(conflicts == [Array(Self.long.utf8)])
    }

    @Test("A value that this side knew, and that comes for a refused one, is no conflict (L-19)")
    func knownInstead() throws {
        var pair = try fetching(knowsOld: true)
        let id = try #require(pair.delivered.last?.id)
        try pair.write(1, "new")
        pair.receiver.decide(id, .rejected(code: 7))
        try pair.settle()
        #expect(pair.own(1) == "new" && pair.held(1) == "new")
        #expect(!pair.events.contains { if case .conflict = $0 { true } else { false } })
    }

    @Test("A decision told before versions are mended is asked for again (L-32; seed 36413)")
    func decidedMeanwhile() throws {
        var pair = ValuePair()
        try pair.connect()
        pair.disposition = { _ in .pending }
        let id = try pair.write(1, "v")
        try pair.settle()
        let backup = pair.senderJournal
        try pair.write(2, "lost")
        try pair.settle()
        pair.senderJournal = backup
        pair.restartSender()
        pair.disconnect()
        let presented = pair.receiver.presentation
        pair.beginReceiver()
        // The hello names the epochs of the values that the sender offers.
        pair.receiver.listed(
            [id.epoch], announced: [], known: &pair.receiverEpochs, clock: pair.clock)
        pair.listed.append(id.epoch)
        pair.sender.beginEarly(isLossless: true, epochs: pair.listed)
        try pair.transmitSender()
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        try pair.join(presented)
        try pair.transmitSender()
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        try pair.transmitReceiver()
        let listing = pair.toSender
        pair.toSender = []
        pair.receiver.decide(id, .applied)
        pair.commitReceiver()
        try pair.transmitReceiver()
        pair.toSender += listing
        try pair.settle()
        #expect(pair.sender.status(of: id) == .settled(.applied))
    }

    @Test("A watermark above all that an opening gave out is no lost version later (L-17)")
    func watermarkOfAnEmptyOpening() throws {
        var pair = ValuePair()
        try pair.connect()
        for key in [1, 2] as [UInt128] {
            try pair.write(key, "taken")
            try pair.remove(key)
            try pair.settle()
        }
        pair.disconnect()
        let id = try pair.write(3, "never sent")
        let isCancelled = pair.sender.cancel(id)
        #expect(isCancelled)
        for _ in 0..<2 {
            pair.restartSender()
            try pair.connect()
            #expect(pair.sender.session?.verdict == .nothingLost)
            try pair.settle()
        }
    }

    @Test("A version that no sender can reach is a violation, and nothing traps (L-3)")
    func hugeTop() throws {
        var pair = ValuePair()
        let top = VersionMark(epoch: EpochID(rawValue: 9), version: RecordNumber.largest)
        #expect(throws: WireError.self) {
            try pair.join(HeldPresentation(top: top, digest: 1))
        }
    }
}
