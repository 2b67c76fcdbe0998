import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

@Suite("Sealed handshakes of paired devices")
struct NoiseSecurityTests {
    private let pair: SimulatedPair
    private let id = ConnectionID(rawValue: 0x0403_0201)

    init() throws { pair = try SimulatedPair(seed: 7) }

    private func security(_ device: PairedDevice, seed: UInt64) throws -> NoiseSecurity {
        try NoiseSecurity(device, random: RandomSource(seed: seed))
    }

    private func both() throws -> (phone: NoiseSecurity, watch: NoiseSecurity) {
        (try security(pair.phone, seed: 1), try security(pair.watch, seed: 2))
    }

    private func changed(_ message: InitiationPacket, byte: Int) -> InitiationPacket {
        var body = message.body
        body[byte] ^= 0x10
        return InitiationPacket(
            version: message.version, connectionID: message.connectionID, body: body)
    }

    @Test("Both sides come to the same ticket, and each opens what the other sealed")
    func handshake() throws {
        var (phone, watch) = try both()
        var initiation = try phone.initiate(id, counter: 300, payload: [1, 2, 3])
        #expect(watch.counter(of: initiation.message) == 300)
        var response = try watch.open(initiation.message)
        #expect(response.payload == [1, 2, 3])
        let (body, theirs) = try response.respond([4, 5])
        let (payload, ours) = try initiation.open(body)
        #expect(payload == [4, 5])
        #expect(ours.ticket == theirs.ticket)
        var sending = ours.sending
        var receiving = theirs.receiving
        var packet: [UInt8] = [9, 8, 7]
        let isReady = sending.prepare(0)
        #expect(isReady)
        sending.seal(&packet, from: 1, number: 0)
        #expect(packet.count == 3 + 16)
        let isOpen = receiving.open(&packet, from: 1, number: 0)
        #expect(isOpen)
        #expect(packet == [9, 8, 7])
    }

    @Test("Early packets open at the responder alone")
    func early() throws {
        var (phone, watch) = try both()
        let initiation = try phone.initiate(id, counter: 1, payload: [])
        var sealer = initiation.earlySealer
        var packet: [UInt8] = [1, 2, 3, 4]
        let isReady = sealer.prepare(0)
        #expect(isReady)
        sealer.seal(&packet, from: 0, number: 0)
        var opener = try watch.open(initiation.message).earlySealer
        let isOpen = opener.open(&packet, from: 0, number: 0)
        #expect(isOpen)
        #expect(packet == [1, 2, 3, 4])
    }

    @Test("A message 1 takes 61 bytes beside its payload, a message 2 takes 48")
    func overhead() throws {
        var (phone, watch) = try both()
        let payload = [UInt8](repeating: 1, count: 21)
        let initiation = try phone.initiate(id, counter: 1, payload: payload)
        #expect(initiation.message.body.count == payload.count + 61)
        #expect(NoiseSecurity.initiationOverheadBytes == 61)
        var response = try watch.open(initiation.message)
        #expect(try response.respond(payload).body.count == payload.count + 48)
        #expect(NoiseSecurity.responseOverheadBytes == 48)
    }

    @Test("A change of any byte of message 1 fails at the MAC, before any agreement")
    func alteredInitiation() throws {
        var (phone, watch) = try both()
        let message = try phone.initiate(id, counter: 5, payload: [1, 2]).message
        for byte in message.body.indices {
            let altered = changed(message, byte: byte)
            #expect(watch.counter(of: altered) == nil)
            #expect(throws: HandshakeFailure.notAuthentic) { try watch.open(altered) }
        }
        let moved = InitiationPacket(
            version: message.version, connectionID: ConnectionID(rawValue: 9), body: message.body)
        #expect(watch.counter(of: moved) == nil)
        let foreign = InitiationPacket(version: 2, connectionID: id, body: message.body)
        #expect(watch.counter(of: foreign) == nil)
        #expect(watch.counter(of: message) == 5)
    }

    @Test("A change of any byte of message 2 is refused, and the right one still opens")
    func alteredResponse() throws {
        var (phone, watch) = try both()
        var initiation = try phone.initiate(id, counter: 5, payload: [])
        var response = try watch.open(initiation.message)
        let body = try response.respond([1]).body
        for byte in body.indices {
            var altered = body
            altered[byte] ^= 1
            #expect(throws: HandshakeFailure.notAuthentic) { try initiation.open(altered) }
        }
        #expect(try initiation.open(body).payload == [1])
    }

    @Test("A message that is reflected to its sender has no counter there")
    func reflection() throws {
        var (phone, watch) = try both()
        let message = try phone.initiate(id, counter: 5, payload: []).message
        #expect(phone.counter(of: message) == nil)
        #expect(throws: HandshakeFailure.notAuthentic) { try phone.open(message) }
        #expect(watch.counter(of: message) == 5)
    }

    @Test("Another pairing recognises nothing")
    func otherPairing() throws {
        var phone = try security(pair.phone, seed: 1)
        let message = try phone.initiate(id, counter: 5, payload: []).message
        let other = try NoiseSecurity(try SimulatedPair(seed: 8).watch)
        #expect(other.counter(of: message) == nil)
    }

    @Test("The counter is masked: equal counters look different, and differ from their value")
    func mask() throws {
        var phone = try security(pair.phone, seed: 1)
        let masked = try (0..<8).map { _ in
            Array(try phone.initiate(id, counter: 1, payload: []).message.body[32..<37])
        }
        #expect(Set(masked).count == 8)
        #expect(!masked.contains([1, 0, 0, 0, 0]))
    }

    @Test("A refusal counts for the message it refuses, from the counterpart, for its counter")
    func refusal() throws {
        var (phone, watch) = try both()
        let initiation = try phone.initiate(id, counter: 5, payload: [])
        let other = try phone.initiate(id, counter: 6, payload: [])
        func refusal(_ mac: UInt128, _ highest: UInt64 = 70) -> RefusalPacket {
            RefusalPacket(connectionID: id, highest: highest, mac: mac)
        }
        let mac = watch.refusalMAC(of: initiation.message, naming: 70)
        #expect(initiation.isAuthentic(refusal(mac)))
        #expect(!initiation.isAuthentic(refusal(mac, 71)))
        #expect(!other.isAuthentic(refusal(mac)))
        let own = phone.refusalMAC(of: initiation.message, naming: 70)
        #expect(!initiation.isAuthentic(refusal(own)))
    }

    @Test("Both sides compute one reset token of an ID, a packet and an owner, and no other's")
    func resetToken() throws {
        let (phone, watch) = try both()
        let token = phone.resetToken(for: id, answering: 9, of: .own)
        #expect(token == watch.resetToken(for: id, answering: 9, of: .counterpart))
        #expect(token != phone.resetToken(for: id, answering: 9, of: .counterpart))
        #expect(token != phone.resetToken(for: id, answering: 8, of: .own))
        let other = ConnectionID(rawValue: 1)
        #expect(token != phone.resetToken(for: other, answering: 9, of: .own))
    }

    @Test("Exactly one side of a pairing wins where both open at once")
    func crossing() throws {
        for seed in UInt64(0)..<8 {
            let pair = try SimulatedPair(seed: seed)
            let phone = try NoiseSecurity(pair.phone)
            let watch = try NoiseSecurity(pair.watch)
            #expect(phone.winsCrossing != watch.winsCrossing)
        }
    }

    /// Shows S-9.
    @Test("Message 2 is made once")
    func once() throws {
        var (phone, watch) = try both()
        var response = try watch.open(try phone.initiate(id, counter: 5, payload: []).message)
        var copy = response
        _ = try response.respond([1])
        #expect(throws: HandshakeFailure.notAuthentic) { try response.respond([2]) }
        #expect(throws: HandshakeFailure.notAuthentic) { try copy.respond([2]) }
    }
}
