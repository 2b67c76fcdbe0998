import Testing
import WatchProto

/// Somebody wants to pair with a side that does not.
@Suite struct RefusedPairingTests {
    private static let carriers: [CarrierTraits] = [
        .stream, CarrierTraits(framing: .datagram(largestBytes: 512)),
        CarrierTraits(framing: .datagram(largestBytes: 512), isLossy: true),
    ]

    /// A first message of a pairing, as an unpaired phone sends it.
    private func hello(on carrier: CarrierTraits) -> [UInt8] {
        PairingPacket.packet([1] + [UInt8](repeating: 7, count: 34), on: carrier.framing)
    }

    @Test(arguments: carriers)
    func it_is_told_so_and_the_session_to_come_is_not_harmed(_ carrier: CarrierTraits) {
        let pair = PairInABox(carrier)
        let watch = pair.watch
        watch.peer.activate(at: pair.now)
        watch.peer.linkUp(carrier, at: pair.now)
        watch.drain(at: pair.now)
        watch.host.wire = []
        watch.peer.receive(hello(on: carrier).span, at: pair.now)
        watch.drain(at: pair.now)
        let notice = NoticePacket(version: 0, code: .wrongPeer).packet(on: carrier.framing)
        #expect(watch.host.wire == [notice])
        #expect(watch.counters.packetsDropped == 1)
        let isClosed = watch.host.events.contains(.linkClosed(.counterpartPairs))
        #expect(isClosed == !carrier.isLossy)
        watch.host.wire = []
        if isClosed { watch.host.events = [] }
        if carrier.isLossy {
            pair.phone.peer.activate(at: pair.now)
            pair.phone.peer.linkUp(carrier, at: pair.now)
            pair.phone.drain(at: pair.now)
            pair.settle()
            pair.advance(by: .seconds(3))
        } else {
            pair.connect()
        }
        #expect(pair.phone.isReachable && watch.isReachable)
    }

    @Test func on_an_open_session_that_can_lose_it_is_dropped_and_counted() {
        let carrier = Self.carriers[2]
        let pair = PairInABox(carrier)
        pair.connect()
        #expect(pair.watch.isReachable)
        for _ in 0..<100 {
            pair.watch.peer.receive(hello(on: carrier).span, at: pair.now)
            pair.watch.drain(at: pair.now)
        }
        #expect(pair.watch.counters.packetsDropped == 100)
        #expect(pair.watch.isReachable)
    }

    @Test func a_message_is_found_in_its_packet_and_a_flight_is_none() throws {
        let message: [UInt8] = [5, 6, 7]
        for carrier in Self.carriers {
            let packet = PairingPacket.packet(message, on: carrier.framing)
            // The prefix of a packet so short, and a header without a number, are one byte.
            #expect(PairingPacket.message(in: packet.span.extracting(1...)) == message)
        }
        let flight: [UInt8] = [1, 1, 0, 0, 0, 0, 0, 0, 0]
        let none: [UInt8] = []
        #expect(PairingPacket.message(in: flight.span) == nil)
        #expect(PairingPacket.message(in: none.span) == nil)
        let long = [PairingPacket.mark] + [UInt8](repeating: 0, count: 128)
        #expect(PairingPacket.message(in: long.span) == nil)
        #expect(PairingPacket.message(in: Array(long.dropLast()).span)?.count == 127)
    }
}
