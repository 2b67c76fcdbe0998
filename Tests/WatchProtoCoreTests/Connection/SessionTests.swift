import Testing

@testable import WatchProtoCore

/// Keys, numbers and ages of one session.
@Suite struct SessionTests {
    private func joined(_ isLossy: Bool) -> TestPair {
        var pair = toyPair(seed: 60)
        if !isLossy { pair.useStream() }
        pair.start()
        pair.join(within: .seconds(1))
        pair.run(for: .milliseconds(100))
        return pair
    }

    /// Delivers a packet of the phone and gives what the watch read; nil where it opened nothing.
    private func deliver(_ packet: [UInt8]?, _ pair: inout TestPair) -> [UInt8]? {
        guard let packet else { return nil }
        pair.sides[1].connection.receive(
            packet.span, from: TestPair.phoneAddress, at: pair.now)
        while let event = pair.sides[1].connection.nextEvent(at: pair.now) {
            if case .packet(let received) = event {
                return Array(received.bytes[received.start...])
            }
        }
        return nil
    }

    /// The first number of the next key, if the phone is to use it.
    private func update(
        _ pair: inout TestPair, next: UInt64? = nil, acknowledged: UInt64? = nil,
        at now: Instant
    ) -> UInt64? {
        pair.sides[0].connection.keyUpdate(next: next, largestAcknowledged: acknowledged, at: now)
    }

    @Test("on a stream an announced key update moves both sides to the next key (S-14)")
    func announcedKeyUpdate() throws {
        var pair = joined(false)
        let later = pair.now.advanced(by: .seconds(3601))
        #expect(update(&pair, at: pair.now) == nil)
        #expect(update(&pair, at: later) == 1 << 16)
        let announcement = pair.sides[0].connection.seal([6], announcesKey: true, at: later)
        #expect(deliver(announcement, &pair) == [6])
        let isUpdated = pair.sides[1].connection.counterpartUpdatedKey()
        #expect(isUpdated)
        let next = pair.sides[0].connection.seal([7], at: later)
        #expect(deliver(next, &pair) == [7])
        #expect(pair.sides[0].connection.currentSession?.nextSent == 65_537)
        #expect(update(&pair, at: later) == nil)
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
        #expect(deliver(border, &pair) == nil)
        #expect(pair.sides[1].connection.counters.packetsRepeated == 1)
        let refused = pair.sides[1].connection.counterpartUpdatedKey()
        #expect(!refused)
        let later = pair.now.advanced(by: .seconds(3601))
        #expect(update(&pair, next: 65_540, acknowledged: 900, at: later) == nil)
        #expect(update(&pair, next: 65_540, acknowledged: 65_536, at: later) == 1 << 17)
    }

    @Test("late packets of the key before are taken, once each, for ten seconds (S-15, W-9)")
    func latePackets() throws {
        var pair = joined(true)
        var late: [[UInt8]?] = []
        for number in UInt64(900)..<904 {
            late.append(
                pair.sides[0].connection.seal(
                    [UInt8(number - 900)], number: number, largestAcknowledged: 899, at: pair.now))
        }
        let sealed = pair.sides[0].connection.seal(
            [9], number: 1 << 16, largestAcknowledged: 899, at: pair.now)
        #expect(deliver(late[1], &pair) == [1])
        #expect(deliver(sealed, &pair) == [9])
        #expect(deliver(late[0], &pair) == [0])
        #expect(deliver(late[2], &pair) == [2])
        for packet in late[..<3] { #expect(deliver(packet, &pair) == nil) }
        #expect(pair.sides[1].connection.counters.packetsRepeated == 3)
        // The former key is there for a thief until its time is over, and no longer.
        let deadline = try #require(pair.sides[1].connection.nextDeadline)
        #expect(pair.now.duration(to: deadline) == .seconds(10))
        pair.now = deadline
        pair.sides[1].connection.expire(at: pair.now)
        #expect(deliver(late[3], &pair) == nil)
        let next = pair.sides[0].connection.seal(
            [5], number: 1 << 16 + 1, largestAcknowledged: 899, at: pair.now)
        #expect(deliver(next, &pair) == [5])
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

    @Test("a packet on a stream that comes in drips ends the link, and a slow one does not (C-9)")
    func drips() throws {
        for (bytes, interval, isTaken) in [
            (1, 9000, false), (1, 11, false), (40, 39, true), (400, 9000, true),
        ] {
            var pair = joined(false)
            pair.run(for: .milliseconds(100))
            let content = [UInt8](repeating: 3, count: 30_000)
            let sealed = pair.sides[0].connection.seal(content, at: pair.now)
            var rest = try #require(sealed)[...]
            let begin = pair.now
            var taken: [UInt8]?
            while !rest.isEmpty, pair.sides[1].connection.carrier != nil {
                let chunk = Array(rest.prefix(bytes))
                rest = rest.dropFirst(bytes)
                // It comes in full once it has lasted: only the first part is slow.
                taken = deliver(chunk, &pair) ?? taken
                if isTaken, bytes == 400 {
                    taken = deliver(Array(rest), &pair) ?? taken
                    rest = []
                }
                pair.now = pair.now.advanced(by: .milliseconds(interval))
                pair.sides[1].connection.expire(at: pair.now)
            }
            #expect((taken == content) == isTaken, "\(bytes) bytes each \(interval) ms")
            if !isTaken {
                #expect(begin.duration(to: pair.now) <= .seconds(20))
                #expect(pair.sides[1].connection.phase == .waiting)
            }
        }
    }

    @Test("beyond the last number nothing is sealed (S-18)")
    func lastNumber() throws {
        var pair = joined(true)
        for (number, isSealed) in [(ToySealer.lastNumber, true), (1 + ToySealer.lastNumber, false)]
        {
            let packet = pair.sides[0].connection.seal([1], number: number, at: pair.now)
            #expect((packet != nil) == isSealed)
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
        pair.inFlight = []
        for packet in said.dropFirst() {
            pair.inject(packet, to: .watch, from: TestPair.phoneAddress)
        }
        #expect(pair.sides[1].early.isEmpty)
        pair.inject(said[0], to: .watch, from: TestPair.phoneAddress)
        #expect(pair.sides[1].early.count == 4)
        // One that came twice is taken once.
        pair.inject(said[6], to: .watch, from: TestPair.phoneAddress)
        pair.inject(said[1], to: .watch, from: TestPair.phoneAddress)
        #expect(pair.sides[1].early.count == 5)
    }
}
