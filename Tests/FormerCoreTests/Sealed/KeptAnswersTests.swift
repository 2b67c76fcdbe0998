import Testing
import WatchSecurity

@testable import FormerCore

/// Which of the sessions that a side has answered it keeps until one of them is confirmed.
@Suite struct KeptAnswersTests {
    /// First flights of one side in the order of their numbers, of which the other has heard none.
    private static func flights(_ count: Int, of role: DeviceRole, in box: SealedPair) -> [[UInt8]]
    {
        let side = box.side(role)
        return (0..<count).compactMap { _ in
            side.peer.activate(at: box.now)
            side.drain(at: box.now)
            side.peer.linkUp(box.carrier, at: box.now)
            side.drain(at: box.now)
            let flight = side.host.wire.first(where: isFlight)
            side.peer.linkDown(CarrierFailure(call: "read", errorNumber: 5), at: box.now)
            side.drain(at: box.now)
            side.host.wire = []
            return flight
        }
    }

    @Test func the_newest_is_kept_and_of_those_that_are_old_the_last() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        // The other side has opened as well, and yields.
        let opener = try box.winner
        let flights = Self.flights(8, of: opener, in: box)
        #expect(Set(flights).count == 8)
        let side = box.side(opener.counterpart)
        side.peer.activate(at: box.now)
        side.drain(at: box.now)
        side.peer.linkUp(box.carrier, at: box.now)
        side.drain(at: box.now)
        /// Which flights the answers are of, after another one came.
        func kept(after number: Int) -> [Int?] {
            let packet = flights[number]
            side.peer.receive(packet.span, at: box.now)
            side.drain(at: box.now)
            return side.answeredFlights.map { flight in
                flights.firstIndex { Array($0.suffix(flight.count)) == flight }
            }
        }
        #expect(kept(after: 4) == [4])
        // Their numbers show that these are old.
        #expect(kept(after: 0) == [4, 0])
        #expect(kept(after: 1) == [4, 0, 1])
        #expect(kept(after: 2) == [4, 0, 1, 2])
        #expect(kept(after: 3) == [4, 1, 2, 3])
        // One that came before is answered as before, and takes nobody's place.
        #expect(kept(after: 1) == [4, 1, 2, 3])
        // Its sender has left the session that the one before it opened.
        #expect(kept(after: 5) == [1, 2, 3, 5])
        #expect(kept(after: 4) == [1, 2, 3, 5])
        #expect(kept(after: 7) == [1, 2, 3, 7])
        #expect(kept(after: 6) == [2, 3, 7, 6])
        #expect(side.activationState != .activated)
        side.host.wire = []
        box.connect()
        box.advance(by: .seconds(20))
        #expect(box.isActive)
        try box.exchange()
    }
}

extension SideInABox {
    // Expectations cannot look into a noncopyable value themselves.
    fileprivate var answeredFlights: [[UInt8]] { peer.answers.map(\.answeredFlight) }
}
