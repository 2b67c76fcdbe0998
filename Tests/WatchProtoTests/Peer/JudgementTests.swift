import Testing
import WatchProto
import WatchSecurity

/// What a greeting shows of the counterpart's past counts with the session's first packet: where
/// the link dies before that, the next greeting shows it again.
@Suite struct JudgementTests {
    private func send<Security>(_ text: String, _ box: Pair<Security>) throws {
        _ = try box.phone.peer.send(userInfo(text), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
    }

    /// Opens the link and carries flights to the watch until its session stands, and nothing more.
    private func cutBeforeTheFirstPacket<Security>(_ box: Pair<Security>) {
        for side in [box.phone, box.watch] {
            side.peer.activate(at: box.now)
            side.drain(at: box.now)
            side.peer.linkUp(box.carrier, at: box.now)
            side.drain(at: box.now)
        }
        let before = box.watch.host.events.count
        func isActive() -> Bool { box.watch.activationState == .activated }
        for _ in 0..<4 where !isActive() {
            for (from, to) in [(box.watch, box.phone), (box.phone, box.watch)] {
                guard !isActive(), !from.host.wire.isEmpty else { continue }
                let chunk = from.host.wire.removeFirst()
                to.peer.receive(chunk.span, at: box.now)
                to.drain(at: box.now)
            }
        }
        #expect(isActive())
        let changes = box.watch.host.events.dropFirst(before).compactMap { event in
            if case .counterpartChanged(let change) = event { change } else { nil }
        }
        #expect(!changes.contains(.rolledBack) && !changes.contains(.cloned))
        box.cut()
    }

    private func rollsBack<Security>(_ box: Pair<Security>, times: Int) throws {
        box.connect()
        try send("1", box)
        let backup = box.phone.host.image
        try send("2", box)
        box.restart(.phone, epoch: 0x7001, on: backup)
        for _ in 0..<times { cutBeforeTheFirstPacket(box) }
        box.connect()
        #expect(box.watch.host.events.contains(.counterpartChanged(.rolledBack)))
        // It is told once.
        box.cut()
        box.connect()
        let told = box.watch.host.events.filter { $0 == .counterpartChanged(.rolledBack) }
        #expect(told.count == 1)
    }

    @Test(arguments: 0...2) func a_restored_counterpart_is_noticed(_ times: Int) throws {
        try rollsBack(PairInABox(), times: times)
    }

    /// Where the watch opens and is answered, its session stands before any packet.
    @Test(arguments: 0...2) func a_restored_counterpart_is_noticed_in_a_sealed_session(
        _ times: Int
    ) throws {
        let box = try SealedPair(sealed: .seqpacket)
        guard try box.winner == .phone else { return }
        try rollsBack(box, times: times)
    }

    /// It opens a second time before a packet of the first came through.
    @Test func a_restored_counterpart_that_restarts_is_noticed() throws {
        let box = PairInABox()
        box.connect()
        try send("1", box)
        let backup = box.phone.host.image
        box.restart(.phone, epoch: 0x7001)
        box.connect()
        try send("2", box)
        box.restart(.phone, epoch: 0x7002, on: backup)
        // A record that waits makes its opening one that the next goes on from.
        _ = try box.phone.peer.send(userInfo("3"), at: box.now)
        box.phone.drain(at: box.now)
        cutBeforeTheFirstPacket(box)
        box.restart(.phone, epoch: 0x7003)
        cutBeforeTheFirstPacket(box)
        box.connect()
        #expect(box.watch.host.events.contains(.counterpartChanged(.rolledBack)))
    }

    /// A copied device is let in neither at the second greeting nor after it was found once.
    @Test(arguments: 0...2) func a_copied_counterpart_is_noticed(_ times: Int) throws {
        let box = PairInABox()
        box.connect()
        try send("1", box)
        let backup = box.phone.host.image
        box.restart(.phone, epoch: 0x7001)
        box.connect()
        try send("2", box)
        let branch = box.phone.host.image
        box.restart(.phone, epoch: 0x7002, on: backup)
        box.connect()
        try send("3", box)
        box.restart(.phone, epoch: 0x7003, on: branch)
        for _ in 0..<times { cutBeforeTheFirstPacket(box) }
        for found in 1...2 {
            box.connect()
            let told = box.watch.host.events.filter { $0 == .counterpartChanged(.cloned) }
            #expect(told.count == found)
            #expect(box.watch.activationState == .notActivated)
            box.cut()
        }
    }
}
