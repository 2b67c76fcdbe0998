import Testing
import WatchSecurity

@testable import FormerCore

/// What strangers can make a device do: so much at once, so much a second, and nothing that pushes
/// out what is the counterpart's.
@Suite struct StrangerWorkTests {
    @Test func a_budget_fills_with_time_and_holds_no_more_than_its_burst() {
        var budget = WorkBudget(burst: 3, perSecond: 2)
        var now = Instant(nanoseconds: 77)
        func taken(of count: Int) -> Int { (0..<count).count { _ in budget.take(at: now) } }
        #expect(taken(of: 10) == 3)
        now = now.advanced(by: .milliseconds(499))
        #expect(taken(of: 10) == 0)
        now = now.advanced(by: .milliseconds(1))
        #expect(taken(of: 10) == 1)
        now = now.advanced(by: .seconds(1_000_000))
        #expect(taken(of: 10) == 3)
        budget.giveBack()
        #expect(taken(of: 10) == 1)
        for _ in 0..<9 { budget.giveBack() }
        #expect(taken(of: 10) == 3)
    }

    private static func flight(_ sender: UInt32, _ bytes: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        DatagramHeader(unnumbered: .handshake).write(to: &writer)
        HandshakePacket(version: 1, senderSession: sender, receiverSession: 0, flight: bytes)
            .write(to: &writer)
        return writer.bytes
    }

    @Test func a_flood_of_flights_is_tried_so_often_and_no_more() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        box.connect()
        func flood(_ count: UInt32) {
            for number in 0..<count {
                let bytes = Self.flight(number << 16 | 5, [UInt8](repeating: 9, count: 120))
                box.watch.peer.receive(bytes.span, at: box.now)
                box.watch.drain(at: box.now)
            }
        }
        flood(1000)
        let burst = UInt64(WorkBudget.flights.burst)
        // The handshake before has taken of it, too.
        #expect(box.watch.counters.flightsRefused >= 1000 - burst)
        #expect(box.watch.counters.flightsRefused < 1000)
        let before = box.watch.counters.flightsRefused
        box.advance(by: .seconds(1))
        flood(1000)
        let tried = 1000 - (box.watch.counters.flightsRefused - before)
        #expect(tried == UInt64(WorkBudget.flights.perSecond))
        // The session does not mind, and when the flood is over another one opens.
        #expect(box.isActive)
        try box.exchange()
        box.cut()
        box.advance(by: .seconds(2))
        box.connect()
        box.advance(by: .seconds(2))
        #expect(box.isActive)
        try box.exchange()
    }
}
