import Testing

@testable import WatchProtoCore

/// Rules of the article *Connection* about numbers, candidates and repetitions.
@Suite struct ConnectionRuleTests {
    @Test("no number is used twice, whatever is lost, and numbers ascend (C-4)")
    func numbersAscend() throws {
        let pair = PeerPair(.datagrams(loss: 0.2))
        for side in [pair.phone, pair.watch] { side.capture = [] }
        pair.activate()
        for number in UInt8(0)..<50 {
            try pair.send(pair.phone, [number])
            try pair.send(pair.watch, [number])
            pair.run(for: .milliseconds(30))
        }
        for side in [pair.phone, pair.watch] {
            var next: [ConnectionID: UInt64] = [:]
            for packet in side.capture ?? [] where packet[0] & 7 == PacketKind.transport.rawValue {
                var reader = WireReader(packet.span)
                let header = try DatagramHeader.read(&reader, isLossy: true)
                let id = try #require(header.connectionID)
                #expect(header.number >= next[id] ?? 0)
                next[id] = header.number + 1
            }
            #expect(next.values.contains { $0 > 50 })
        }
    }

    @Test("a packet that does not authenticate takes no number from the one that does (C-7)")
    func forgedNumber() throws {
        var pair = toyPair(seed: 70)
        pair.start()
        pair.join(within: .seconds(1))
        let sealed = pair.sides[0].message(at: pair.now)?.bytes
        let packet = try #require(sealed)
        var forged = packet
        forged[forged.count - 1] ^= 1
        let before = pair.sides[1].received.count
        for bytes in [forged, packet, packet] {
            pair.inject(bytes, to: .watch, from: TestPair.phoneAddress)
        }
        #expect(pair.sides[1].received.count == before + 1)
        #expect(pair.sides[1].connection.counters.packetsRepeated == 1)
    }

    @Test("a responder has left its own message 1 and its former session (C-19)")
    func formerSession() throws {
        var pair = toyPair(seed: 71)
        pair.start()
        pair.join(within: .seconds(1))
        let late = pair.sides[0].message(at: pair.now)?.bytes
        let ticket = pair.sides[1].current?.ticket
        // The phone opens anew, while the watch believes in the session.
        pair.isCut = true
        pair.sides[0].connection.close(.localRequest, at: pair.now)
        pair.run(for: .seconds(2))
        let message = try #require(
            pair.capture.last {
                $0.from == .phone && $0.bytes[0] & 7 == PacketKind.initiation.rawValue
            }
        ).bytes
        #expect(pair.sides[1].connection.phase == .established)
        pair.inject(message, to: .watch, from: TestPair.phoneAddress)
        #expect(pair.sides[1].connection.phase == .responded)
        #expect(pair.sides[1].current?.ticket != ticket)
        let before = pair.sides[1].received.count
        pair.inject(try #require(late), to: .watch, from: TestPair.phoneAddress)
        #expect(pair.sides[1].received.count == before)

        var crossed = ConnectionTableTests.pair(in: .handshaking)
        let own = crossed.sides[0].connection.initiationID
        let answered = ConnectionTableTests.message1(after: &crossed)
        crossed.inject(answered, to: .phone, from: TestPair.watchAddress)
        #expect(own != nil && crossed.sides[0].connection.initiationID == nil)
        #expect(crossed.sides[0].connection.phase == .responded)
    }

    @Test("message 1 is repeated four times, each wait the double, and another one follows (C-22)")
    func repetitions() throws {
        var pair = toyPair(seed: 72)
        pair.isCut = true
        let begin = pair.now
        pair.start()
        var times: [Duration] = []
        var messages: [[UInt8]] = []
        while begin.duration(to: pair.now) < .seconds(20), messages.count < 7 {
            for packet in pair.capture where packet.from == .phone {
                times.append(begin.duration(to: pair.now))
                messages.append(packet.bytes)
            }
            pair.capture = []
            pair.run(for: .milliseconds(1))
        }
        let waits = zip(times.dropFirst(), times).map { $0 - $1 }
        // The first time-out of this pair takes 300 ms.
        let expected = [300, 600, 1200, 2400, 4800, 4800].map { Duration.milliseconds($0) }
        #expect(waits.count == expected.count)
        for (wait, due) in zip(waits, expected) {
            #expect(wait >= due && wait < due + .milliseconds(3))
        }
        #expect(messages[..<5].allSatisfy { $0 == messages[0] })
        #expect(messages[5] != messages[0] && messages[6] == messages[5])
        #expect(pair.sides[0].initiations == 2)
    }
}
