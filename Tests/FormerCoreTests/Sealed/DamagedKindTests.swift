import Testing
import WatchSecurity

@testable import FormerCore

/// A carrier that cannot lose may still damage, and what it says next may be nothing for long.
@Suite struct DamagedKindTests {
    /// A packet whose kind was damaged is not taken for early data that came late: its sender would
    /// never repeat it, and its receiver not miss it. (Seed 562429, sealed.)
    @Test(arguments: [CarrierTraits(framing: .stream), .seqpacket])
    func no_packet_of_a_session_becomes_early_data(_ carrier: CarrierTraits) throws {
        let box = try SealedPair(sealed: carrier)
        box.connect()
        try box.exchange()
        let id = try box.send(userInfo("damaged"), from: .watch)
        var packet = try #require(box.watch.host.wire.first)
        box.watch.host.wire = []
        // Both framings have the kind in the two lowest bits.
        packet[0] ^= PacketKind.transport.rawValue ^ PacketKind.early.rawValue
        box.phone.peer.receive(packet.span, at: box.now)
        box.phone.drain(at: box.now)
        let closed = LinkCloseReason.unexpected(frame: PacketKind.early.rawValue)
        let hasClosed = box.phone.host.events.contains { event in
            if case .linkClosed(closed) = event { true } else { false }
        }
        #expect(hasClosed)
        box.cut()
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.watch.status(of: id) == .settled(.applied))
    }
}
