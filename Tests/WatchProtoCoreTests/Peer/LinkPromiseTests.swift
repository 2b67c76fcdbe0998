import Testing

@testable import WatchProtoCore

/// The promises of a peer about links that come and go, and about counterparts that do not fit.
@Suite("Promises of a peer about its links")
struct LinkPromiseTests {
    private func isReachable(_ pair: PeerPair) -> Bool {
        pair.isActive && pair.phone.peer?.isReachable == true
    }

    @Test("After a flap the counterpart is reachable behind a hold, which a lasting link ends")
    func hysteresis() throws {
        let pair = PeerPair()
        pair.activate()
        var isUp = pair.run { isReachable(pair) }
        #expect(isUp)
        for hold in [Duration.milliseconds(500), .seconds(1), .seconds(2)] {
            pair.run(for: .seconds(1))
            pair.cutLink()
            _ = pair.run { pair.phone.peer?.activationState == .activated }
            let begin = pair.now
            // A durable record leaves at once all the same; a message does not.
            #expect(throws: SendRefusal.notReachable) {
                try pair.send(pair.phone, [1], .interactive)
            }
            let id = try pair.send(pair.phone, [2])
            isUp = pair.run { isReachable(pair) }
            #expect(isUp && pair.phone.settled(id) == .applied)
            #expect(begin.duration(to: pair.now) == hold)
        }
        var flaps: [Int] = []
        for case .reachability(true, let evidence) in pair.phone.events {
            flaps.append(evidence.flapCount)
        }
        #expect(flaps == [0, 1, 2, 3])
        pair.run(for: .seconds(6))
        pair.cutLink()
        _ = pair.run { pair.phone.peer?.activationState == .activated }
        let begin = pair.now
        isUp = pair.run { isReachable(pair) }
        #expect(isUp && begin.duration(to: pair.now) < .milliseconds(50))
    }

    @Test("A link that cannot be had is wanted again at doubling intervals, up to a minute")
    func backOff() throws {
        let pair = PeerPair()
        pair.isLinkPossible = false
        pair.activate()
        func wanted() -> Int { pair.phone.events.count { $0 == .linkWanted } }
        /// The time until the next link is wanted, where this one failed.
        func wait(_ fails: () -> Void) -> Duration {
            let (begin, count) = (pair.now, wanted())
            fails()
            if wanted() == count { _ = pair.run { wanted() > count } }
            return begin.duration(to: pair.now)
        }
        // The first wait of this pair takes 100 ms.
        var full = Duration.milliseconds(100)
        for _ in 0..<12 {
            let time = wait {
                pair.input(pair.phone) {
                    $0.linkDown(CarrierFailure(call: "connect", errorNumber: 111), at: $1)
                }
            }
            #expect(time <= full && time >= full * 3 / 4, "\(time) of \(full)")
            full = min(full * 2, .seconds(60))
        }
        pair.isLinkPossible = true
        pair.linkWanted()
        let isUp = pair.run { isReachable(pair) }
        #expect(isUp)
        pair.run(for: .seconds(1))
        // After a session of use the next one is wanted at once.
        #expect(wait { pair.cutLink() } == .zero)
    }

    @Test("A message 1 of another version is reported to both sides, once, and changes nothing")
    func otherVersion() throws {
        let pair = PeerPair(.datagrams())
        pair.phone.capture = []
        pair.activate()
        let isUp = pair.run { isReachable(pair) }
        #expect(isUp)
        var message = try #require(pair.phone.capture?.first)
        #expect(message[0] == PacketKind.initiation.rawValue)
        message[1] = 9
        for _ in 0..<3 {
            pair.input(pair.watch) {
                $0.receive(message.span, from: pair.phone.address, at: $1)
            }
        }
        pair.run(for: .seconds(1))
        func advisories(_ side: PeerPair.Side) -> [PeerEvent] {
            side.events.filter { if case .advisory = $0 { true } else { false } }
        }
        #expect(advisories(pair.watch) == [.advisory(version: 9, .incompatible)])
        #expect(advisories(pair.phone) == [.advisory(version: 0, .incompatible)])
        #expect(isReachable(pair) && pair.phone.peer?.counters.advisoriesReceived != 0)
    }

    @Test(
        "A counterpart of another pairing is refused, and both sides hear of it",
        arguments: PeerTests.carriers.indices)
    func wrongPeer(_ index: Int) throws {
        let pairings = [PeerPair.pairing, PairingID(rawValue: 8)]
        let pair = PeerPair(PeerTests.carriers[index]) { role, seed in
            NullSecurity(
                PeerLabel(role: role, pairing: pairings[Int(role.rawValue)]), seed: seed)
        }
        pair.activate()
        pair.run(for: .seconds(3))
        let found = PeerLabel(role: .phone, pairing: pairings[0])
        let expected = PeerLabel(role: .phone, pairing: pairings[1])
        // Anybody can send a datagram: it is answered, and no more.
        #expect(
            pair.watch.events.contains(.linkClosed(.wrongPeer(expected: expected, found: found)))
                == (index == 0))
        #expect(pair.phone.events.contains(.advisory(version: 0, .wrongPeer)))
        #expect(pair.phone.changes == [] && pair.watch.changes == [])
        #expect(pair.phone.peer?.activationState != .activated)
    }

    @Test(
        "Bytes and packets are counted by their cause: sent, early, repaired, sent again",
        arguments: [0, 0.1])
    func counts(_ loss: Double) throws {
        let pair = PeerPair(.datagrams(loss: loss))
        let ids = try (UInt8(0)..<3).map { try pair.send(pair.phone, [$0]) }
        pair.activate()
        var isOver = pair.run { ids.allSatisfy { pair.phone.settled($0) == .applied } }
        for number in UInt8(0)..<100 {
            try pair.send(pair.watch, [number])
            pair.run(for: .milliseconds(20))
        }
        isOver = isOver && pair.run { pair.phone.delivered.count == 100 }
        #expect(isOver)
        pair.run(for: .seconds(1))
        let sent = pair.watch.peer?.counters ?? PeerCounters()
        let received = pair.phone.peer?.counters ?? PeerCounters()
        #expect(sent.bytesSent == pair.watch.bytesSent)
        #expect(sent.packetsSent == pair.watch.packetsSent.count)
        #expect(sent.recordsAccepted == 100 && received.recordsAccepted == 3)
        #expect((sent.framesResent > 0) == (loss > 0))
        #expect((received.packetsRecovered > 0) == (loss > 0))
        #expect(sent.repairPacketsSent > 0)
        #expect((received.bytesReceived < sent.bytesSent) == (loss > 0))
        pair.cutLink()
        _ = pair.run { isReachable(pair) }
        try pair.send(pair.phone, [9])
        pair.isLinkPossible = false
        pair.cutLink()
        let waits = try pair.send(pair.phone, [10])
        pair.isLinkPossible = true
        pair.linkWanted()
        isOver = pair.run { pair.phone.settled(waits) == .applied }
        #expect(isOver)
        pair.run(for: .seconds(2))
        let early = pair.phone.peer?.counters ?? PeerCounters()
        // The repair of an early packet is sent early, too, and counts for itself.
        #expect(early.earlyPacketsTaken + early.earlyPacketsReturned <= early.earlyPacketsSent)
        #expect(early.linksOpened == 3)
        let records = pair.watch.peer?.counters.earlyRecordsReceived ?? 0
        #expect(early.earlyPacketsTaken > 0 && records > 0)
    }

    @Test("A dead idle link is noticed with a keep-alive, and without one it is not")
    func keepAlive() throws {
        for interval in [Duration.seconds(60), nil] {
            var conditions = PairConditions.datagrams()
            conditions.keepAlive = interval
            let pair = PeerPair.connected(conditions)
            // A link that answers costs two packets a ping.
            let sent = pair.phone.packetsSent.count
            pair.run(for: .seconds(630))
            #expect(isReachable(pair))
            let pings = interval == nil ? 0 : 10
            #expect(pair.phone.packetsSent.count - sent >= pings)
            #expect(pair.phone.packetsSent.count - sent <= 2 * pings)
            pair.conditions.loss = 1
            pair.run(for: .seconds(75))
            #expect(isReachable(pair) == (interval == nil))
        }
    }

    @Test("Records leave room for message 2 at an address that nothing has shown (C-31)")
    func unproven() throws {
        let pair = PeerPair(.datagrams())
        let ids = try (UInt8(0)..<20).map {
            try pair.send(pair.watch, [UInt8](repeating: $0, count: 100))
        }
        pair.activate()
        _ = pair.run { pair.phone.bytesSent > 0 }
        // Message 2 is lost, with all behind it.
        pair.conditions.loss = 1
        _ = pair.run { pair.watch.bytesSent > 0 }
        #expect(pair.watch.bytesSent <= 3 * pair.phone.bytesSent)
        pair.run(for: .milliseconds(50))
        #expect(pair.watch.bytesSent <= 3 * pair.phone.bytesSent)
        pair.conditions.loss = 0
        let began = pair.now
        _ = pair.run { pair.isActive }
        let waited = began.duration(to: pair.now)
        #expect(waited < .seconds(2), "\(waited)")
        let isDone = pair.run { ids.allSatisfy { pair.watch.settled($0) == .applied } }
        #expect(isDone)
    }
}
