import Testing
import WatchSecurity

@testable import FormerCore

/// Both sides hold a session for theirs, each another one, and nothing that either says is heard.
@Suite struct DeafSessionTests {
    /// One answers a flight on its way out of a link, opens anew, and is answered: the late answer
    /// opens a session for the other that is over for the first. (Seeds 367760 and 372733, sealed.)
    @Test func two_sides_in_different_sessions_find_each_other_soon() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        box.connect()
        try box.exchange()
        let (opener, other) = (try box.winner, try box.winner == .phone ? DeviceRole.watch : .phone)
        // The other comes back; its flight reaches a link that the opener is about to leave.
        box.replaceProcess(of: other, epoch: 0x7777)
        let first = box.side(opener)
        let second = box.side(other)
        for bytes in second.host.wire { give(bytes, to: first, box) }
        let late = first.host.wire
        #expect(!late.isEmpty)
        first.host.wire = []
        second.host.wire = []
        first.peer.linkDown(CarrierFailure(call: "end of stream", errorNumber: 0), at: box.now)
        first.drain(at: box.now)
        reopen(first, box)
        // The fresh flight is answered, and then the late answer is there.
        for bytes in first.host.wire + late { give(bytes, to: second, box) }
        first.host.wire = []
        box.settle()
        #expect(first.activationState == .activated)
        #expect(second.activationState == .activated)
        #expect(!first.isReachable && !second.isReachable)
        #expect(first.peer.ids.theirs != second.peer.ids.mine)
        // As long as a link may be silent before its end they would have said nothing.
        for _ in 0..<8 where !(first.isReachable && second.isReachable) {
            box.advance(by: .milliseconds(500))
            for side in [first, second] where side.peer.link.state == .opening {
                side.peer.linkUp(box.carrier, at: box.now)
                side.drain(at: box.now)
            }
            box.settle()
        }
        #expect(first.isReachable && second.isReachable)
        try box.exchange()
    }

    private func reopen(_ side: SideInABox<PairedSecurity>, _ box: SealedPair) {
        side.peer.activate(at: box.now)
        side.drain(at: box.now)
        side.peer.linkUp(box.carrier, at: box.now)
        side.drain(at: box.now)
    }

    private func give(_ bytes: [UInt8], to side: SideInABox<PairedSecurity>, _ box: SealedPair) {
        side.peer.receive(bytes.span, at: box.now)
        side.drain(at: box.now)
    }
}
