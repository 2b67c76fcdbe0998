import Testing

@testable import WatchProtoCore

/// Keys, numbers and ages of one session.
@Suite struct SessionTests {
    private func joined(_ isLossy: Bool) -> TestPair<ToySecurity> {
        var pair = toyPair(seed: 60)
        if !isLossy { pair.useStream() }
        pair.start()
        pair.join(within: .seconds(1))
        pair.run(for: .milliseconds(100))
        return pair
    }

    /// Delivers a packet of the phone and gives what the watch read; nil where it opened nothing.
    private func deliver(_ packet: [UInt8]?, _ pair: inout TestPair<ToySecurity>) -> [UInt8]? {
        guard let packet else { return nil }
        pair.sides[1].connection.receive(
            packet.span, from: TestPair<ToySecurity>.phoneAddress, at: pair.now)
        while let event = pair.sides[1].connection.nextEvent(at: pair.now) {
            if case .packet(let received) = event {
                return Array(received.bytes[received.start...])
            }
        }
        return nil
    }

    @Test("on a stream an announced key update moves both sides to the next key")
    func announcedKeyUpdate() throws {
        var pair = joined(false)
        let later = pair.now.advanced(by: .seconds(3601))
        #expect(!pair.sides[0].connection.isKeyUpdateDue(at: pair.now))
        #expect(pair.sides[0].connection.isKeyUpdateDue(at: later))
        let isReady = pair.sides[0].connection.prepareKeyUpdate()
        #expect(isReady)
        let announcement = pair.sides[0].connection.seal([6], at: later)
        pair.sides[0].connection.keyUpdated(at: later)
        #expect(deliver(announcement, &pair) == [6])
        let isUpdated = pair.sides[1].connection.counterpartUpdatedKey()
        #expect(isUpdated)
        let next = pair.sides[0].connection.seal([7], at: later)
        #expect(deliver(next, &pair) == [7])
        #expect(pair.sides[0].connection.currentSession?.nextSent == 65_537)
        #expect(!pair.sides[0].connection.isKeyUpdateDue(at: later))
    }

    @Test("on datagrams the key phase of a packet is that of its number (C-8)")
    func keyPhase() throws {
        var pair = joined(true)
        let first = pair.sides[0].connection.seal([1], number: 900, at: pair.now)
        let border = pair.sides[0].connection.seal(
            [2], number: 1 << 16, largestAcknowledged: 900, at: pair.now)
        #expect(try #require(first)[0] & 0x10 == 0)
        #expect(try #require(border)[0] & 0x10 != 0)
        var wrong = try #require(border)
        wrong[0] ^= 0x10
        #expect(deliver(wrong, &pair) == nil)
        #expect(deliver(border, &pair) == [2])
        // A number so far below has another phase by now, and the same one comes twice.
        #expect(deliver(first, &pair) == nil)
        #expect(deliver(border, &pair) == nil)
        #expect(pair.sides[1].connection.counters.packetsRepeated == 1)
        let refused = pair.sides[1].connection.counterpartUpdatedKey()
        #expect(!refused)
        let later = pair.now.advanced(by: .seconds(3601))
        let due = pair.sides[0].connection
        #expect(!due.isKeyUpdateDue(next: 65_540, largestAcknowledged: 900, at: later))
        #expect(due.isKeyUpdateDue(next: 65_540, largestAcknowledged: 65_536, at: later))
    }

    @Test("a session is due for renewal after 24 hours, once (C-26)")
    func renewal() throws {
        for isLossy in [false, true] {
            var pair = joined(isLossy)
            let since = pair.now
            pair.run(for: .seconds(24 * 3600 - 10))
            #expect(!pair.sides[0].events.contains(.renewalDue))
            pair.run(for: .seconds(20))
            #expect(pair.sides[0].events.count { $0 == .renewalDue } == 1)
            let ticket = pair.sides[0].current?.ticket
            pair.sides[0].connection.close(.renewal, at: pair.now)
            pair.settle(.phone)
            pair.followStream()
            pair.join(within: .seconds(1))
            #expect(pair.took != nil)
            #expect(pair.sides[0].current?.ticket != ticket)
            #expect(since.duration(to: pair.now) < .seconds(24 * 3600 + 20))
        }
    }

    @Test("without a session nothing is sealed")
    func nothingSealed() {
        var pair = toyPair(seed: 61)
        #expect(pair.sides[0].connection.plaintextLimit == 0)
        let early = pair.sides[0].connection.sealEarly([1], number: 0)
        let packet = pair.sides[0].connection.seal([1], at: pair.now)
        #expect(early == nil && packet == nil)
    }

    @Test("early packets that come before their message 1 are stored, four at most (C-28)")
    func earlyBeforeInitiation() throws {
        var pair = toyPair(seed: 62)
        pair.start()
        for _ in 0..<6 { pair.sendEarly(.phone) }
        let said = pair.capture.map { $0.bytes }
        #expect(said.count == 7)
        pair.flights = []
        for packet in said.dropFirst() {
            pair.inject(packet, to: .watch, from: TestPair<ToySecurity>.phoneAddress)
        }
        #expect(pair.sides[1].early.isEmpty)
        pair.inject(said[0], to: .watch, from: TestPair<ToySecurity>.phoneAddress)
        #expect(pair.sides[1].early.count == 4)
        // One that came twice is taken once.
        pair.inject(said[6], to: .watch, from: TestPair<ToySecurity>.phoneAddress)
        pair.inject(said[1], to: .watch, from: TestPair<ToySecurity>.phoneAddress)
        #expect(pair.sides[1].early.count == 5)
    }
}
