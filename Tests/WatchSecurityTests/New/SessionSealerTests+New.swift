import Testing
import WatchProto

@testable import WatchSecurity

extension SessionSealerTests {
    @Test func a_packet_is_not_taken_by_its_own_side() throws {
        let pair = try SimulatedPair(seed: 1)
        var phone = pair.security(of: .phone, life: 0)
        var watch = pair.security(of: .watch, life: 0)
        var initiation = try phone.initiate(ConnectionID(rawValue: 1), counter: 1, payload: [])
        var response = try watch.open(initiation.message)
        let (body, theirs) = try response.respond([])
        var sides = [try initiation.open(body).keys, theirs]
        for number in [0, 1, SessionSealer.packetsPerKey] {
            for side in 0...1 {
                var packet = Self.header + Self.text
                sides[side].sending.seal(&packet, from: 3, number: number)
                var reflected = packet
                let isTaken = sides[side].receiving.open(&reflected, from: 3, number: number)
                #expect(!isTaken, "number \(number) of side \(side)")
                let isOpened = sides[1 - side].receiving.open(&packet, from: 3, number: number)
                #expect(isOpened && packet == Self.header + Self.text)
            }
        }
        // What goes early has no way back at all, and opens nothing of the session's.
        var early = initiation.earlySealer
        for number in [0, 1] as [UInt64] {
            var packet = Self.header + Self.text
            early.seal(&packet, from: 3, number: number)
            let isTaken = sides[0].receiving.open(&packet, from: 3, number: number)
            #expect(!isTaken)
        }
    }
}
