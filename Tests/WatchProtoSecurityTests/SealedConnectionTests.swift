import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// Two connections with the true cryptography, on datagrams.
@Suite struct SealedConnectionTests {
    private static let here = PathAddress(host: 1, port: 1)
    private static let there = PathAddress(host: 2, port: 2)
    private static let now = Instant(nanoseconds: 1_000_000_000)

    private var phone: Connection
    private var watch: Connection
    /// Message 2, which has not been given to the phone.
    private var response: [UInt8] = []

    init() throws {
        let pair = try SimulatedPair(seed: 5)
        func connection(_ role: DeviceRole) -> Connection {
            Connection(
                ConnectionConfiguration(), security: pair.security(of: role, life: 0).erased,
                highestCounter: 0)
        }
        (phone, watch) = (connection(.phone), connection(.watch))
        let carrier = CarrierTraits(framing: .datagram(largestBytes: 1200), isLossy: true)
        phone.activate(at: Self.now)
        watch.activate(at: Self.now)
        phone.carrierUp(carrier, address: Self.there, initiation: .atOnce, at: Self.now)
        watch.carrierUp(carrier, initiation: .whenCalled, at: Self.now)
        let epoch = EpochID(rawValue: 3)
        phone.initiate(hello: [1], epoch: epoch, counter: 1, at: Self.now)
        let outgoing = phone.nextOutgoing()
        let message = try #require(outgoing)
        watch.receive(message.bytes.span, from: Self.here, at: Self.now)
        let info = watch.respond(
            hello: [2], epoch: epoch, counter: 0, keepsTicket: false, at: Self.now)
        #expect(info != nil)
        let answer = watch.nextOutgoing()
        response = try #require(answer).bytes
        while phone.nextEvent(at: Self.now) != nil {}
    }

    private mutating func give(_ bytes: [UInt8]) -> [ConnectionEvent] {
        phone.receive(bytes.span, from: Self.there, at: Self.now)
        var events: [ConnectionEvent] = []
        while let event = phone.nextEvent(at: Self.now) { events.append(event) }
        return events
    }

    /// Shows S-10. A message 2 costs a key agreement only if it names the message 1 that is on its
    /// way, by 32 random bits; the true one opens behind any number of others.
    @Test mutating func forged_messages_2_keep_no_true_one_out() {
        var random = SeededGenerator(seed: 9)
        for count in 0..<1000 {
            var forged = response
            let place = 5 + Int(random.uniform(in: 0...UInt64(response.count - 6)))
            forged[place] ^= UInt8(random.uniform(in: 1...255))
            #expect(give(forged) == [], "forgery \(count)")
        }
        for place in 1..<5 {
            var other = response
            other[place] ^= 1
            #expect(give(other) == [])
        }
        #expect(phone.phase == .handshaking)
        #expect(phone.counters.packetsDropped == 1004)
        let events = give(response)
        #expect(phone.phase == .established && events.count == 1)
        // It means nothing any more.
        #expect(give(response) == [])
        #expect(phone.phase == .established)
    }

    /// Shows S-17.
    @Test mutating func packets_have_the_lengths_of_their_classes() throws {
        _ = give(response)
        let header = 7
        var number: UInt64 = 0
        for (frames, padded) in [
            (0, 64), (1, 64), (63, 64), (64, 128), (150, 192), (255, 256), (256, 512), (511, 512),
            (1000, 1024), (1023, 1024), (1024, 1175), (1174, 1175),
        ] {
            let sealed = phone.seal(
                [UInt8](repeating: 1, count: frames), number: number, at: Self.now)
            let packet = try #require(sealed)
            #expect(packet.count == header + padded + 16, "\(frames) bytes of frames")
            watch.receive(packet.span, from: Self.here, at: Self.now)
            var opened: Int?
            while let event = watch.nextEvent(at: Self.now) {
                if case .packet(let packet) = event { opened = packet.bytes.count - packet.start }
            }
            #expect(opened == frames)
            number += 1
        }
    }
}
