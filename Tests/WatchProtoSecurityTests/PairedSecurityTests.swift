import Testing

@testable import WatchProtoCore
@testable import WatchProtoSecurity

/// The sealed security under the connection's protocols.
@Suite struct PairedSecurityTests {
    private func pair(_ seed: UInt64 = 1) throws -> (phone: PairedSecurity, watch: PairedSecurity) {
        let pair = try SimulatedPair(seed: seed)
        return (try pair.security(of: .phone, life: 1), try pair.security(of: .watch, life: 1))
    }

    @Test(
        "a handshake gives both sides one ticket and matching keys"
    )
    func handshake() throws {
        var (phone, watch) = try pair()
        let id = ConnectionID(rawValue: 0x0102_0304)
        var initiation = try phone.initiate(id, counter: 77, payload: [1, 2, 3])
        #expect(initiation.message.body.count == 3 + PairedSecurity.initiationOverheadBytes)
        #expect(PairedSecurity.initiationOverheadBytes == 64)
        #expect(watch.counter(of: initiation.message) == 77)
        #expect(phone.counter(of: initiation.message) == nil)
        var response = try watch.open(initiation.message)
        #expect(response.payload == [1, 2, 3])
        let answer = try response.respond([4, 5])
        #expect(answer.body.count == 2 + 48)
        #expect(throws: HandshakeFailure.notAuthentic) { try response.respond([6]) }
        let opened = try initiation.open(answer.body)
        #expect(opened.payload == [4, 5])
        #expect(opened.keys.ticket == answer.keys.ticket)
        var (sealing, opening) = (opened.keys.sending, answer.keys.receiving)
        var packet: [UInt8] = [9, 8, 7]
        let isReady = sealing.prepare(0)
        #expect(isReady)
        sealing.seal(&packet, from: 1, number: 0)
        let sealed = packet
        let isOpen = opening.open(&packet, from: 1, number: 0)
        #expect(isOpen && packet == [9, 8, 7])
        packet = sealed
        packet[0] ^= 1
        let isAltered = opening.open(&packet, from: 1, number: 0)
        #expect(!isAltered)
        var (early, earlyOpening) = (initiation.earlySealer, response.earlySealer)
        packet = [3, 3]
        _ = early.prepare(0)
        early.seal(&packet, from: 0, number: 0)
        let isEarly = earlyOpening.open(&packet, from: 0, number: 0)
        #expect(isEarly && packet == [3, 3])
    }

    @Test("no changed byte of message 1 passes the MAC, and none of message 2 opens")
    func damage() throws {
        var (phone, watch) = try pair(2)
        let initiation = try phone.initiate(
            ConnectionID(rawValue: 5), counter: 1 << 40, payload: [UInt8](repeating: 7, count: 21))
        for place in initiation.message.body.indices {
            var damaged = initiation.message
            damaged.body[place] ^= 0x10
            #expect(watch.counter(of: damaged) == nil)
            #expect(throws: HandshakeFailure.notAuthentic) { try watch.open(damaged) }
        }
        var moved = initiation.message
        moved.connectionID = ConnectionID(rawValue: 6)
        #expect(watch.counter(of: moved) == nil)
        for cut in 0..<initiation.message.body.count {
            moved = initiation.message
            moved.body = Array(moved.body.prefix(cut))
            #expect(watch.counter(of: moved) == nil)
        }
        var response = try watch.open(initiation.message)
        let answer = try response.respond([1, 2, 3, 4])
        for place in answer.body.indices {
            var body = answer.body
            body[place] ^= 0x10
            var waiting = initiation
            #expect(throws: HandshakeFailure.notAuthentic) { try waiting.open(body) }
        }
        for cut in 0..<answer.body.count {
            var waiting = initiation
            #expect(throws: HandshakeFailure.notAuthentic) {
                try waiting.open(Array(answer.body.prefix(cut)))
            }
        }
    }

    @Test("counters are masked: equal and consecutive ones look alike to nobody")
    func mask() throws {
        var (phone, watch) = try pair(3)
        var seen: Set<[UInt8]> = []
        for counter in [1, 1, 2, 3] as [UInt64] {
            let message = try phone.initiate(
                ConnectionID(rawValue: 1), counter: counter, payload: []
            ).message
            #expect(seen.insert(Array(message.body[32..<40])).inserted)
            #expect(watch.counter(of: message) == counter)
        }
    }

    @Test("refusals and reset tokens are good for one message or identifier of one side")
    func outside() throws {
        var (phone, watch) = try pair(4)
        let id = ConnectionID(rawValue: 9)
        let initiation = try phone.initiate(id, counter: 3, payload: [1])
        let other = try phone.initiate(id, counter: 4, payload: [1])
        let mac = watch.refusalMAC(of: initiation.message, naming: 50)
        let refusal = RefusalPacket(connectionID: id, highest: 50, mac: mac)
        #expect(initiation.isAuthentic(refusal))
        #expect(!other.isAuthentic(refusal))
        #expect(
            !initiation.isAuthentic(RefusalPacket(connectionID: id, highest: 51, mac: mac)))
        let reflected = phone.refusalMAC(of: initiation.message, naming: 50)
        #expect(
            !initiation.isAuthentic(RefusalPacket(connectionID: id, highest: 50, mac: reflected)))
        let token = watch.resetToken(for: id, of: .own)
        #expect(token == phone.resetToken(for: id, of: .counterpart))
        #expect(token != phone.resetToken(for: id, of: .own))
        #expect(token != watch.resetToken(for: ConnectionID(rawValue: 8), of: .own))
        let (stranger, _) = try pair(5)
        #expect(token != stranger.resetToken(for: id, of: .counterpart))
        #expect(stranger.counter(of: initiation.message) == nil)
        #expect(phone.winsCrossing != watch.winsCrossing)
    }

    @Test(
        "two connections exchange sealed packets; message 1 in step has 91 bytes")
    func connection() throws {
        let (phone, watch) = try pair(6)
        var one = Connection(
            ConnectionConfiguration(), security: phone, highestCounter: 0, seed: 1)
        var two = Connection(
            ConnectionConfiguration(), security: watch, highestCounter: 0, seed: 2)
        let carrier = CarrierTraits(framing: .datagram(largestBytes: 1200), isLossy: true)
        let address = PathAddress(host: 1, port: 2)
        let now = Instant.zero
        one.activate(at: now)
        two.activate(at: now)
        one.carrierUp(carrier, address: address, initiation: .atOnce, at: now)
        two.carrierUp(carrier, initiation: .whenCalled, at: now)
        let hello = [UInt8](repeating: 1, count: 13)
        one.initiate(hello: hello, epoch: EpochID(rawValue: 1), counter: 1, at: now)
        let first = one.nextOutgoing()?.bytes ?? []
        #expect(first.count == 91)
        two.receive(first.span, from: address, at: now)
        let info = two.respond(
            hello: hello, epoch: EpochID(rawValue: 2), counter: 0, keepsTicket: true, at: now)
        let second = two.nextOutgoing()?.bytes ?? []
        #expect(second.count <= 104)
        one.receive(second.span, from: address, at: now)
        var tickets: [Ticket] = []
        while let event = one.nextEvent(at: now) {
            if case .established(let info) = event { tickets.append(info.ticket) }
        }
        #expect(tickets == [info?.ticket])
        let packet = one.seal([1, 2, 3], number: 0, at: now) ?? []
        #expect(packet.count == 7 + 64 + 16)
        two.receive(packet.span, from: address, at: now)
        #expect(two.phase == .established)
        var frames: [[UInt8]] = []
        while let event = two.nextEvent(at: now) {
            guard case .packet(let packet) = event else { continue }
            frames.append(Array(packet.bytes[packet.start...]))
        }
        #expect(frames == [[1, 2, 3]])
    }
}
