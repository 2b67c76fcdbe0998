import Testing
import WatchSecurity

@testable import FormerCore

/// A counterpart that starts over while the handshake is not complete: nothing of its former life
/// may pass for something of the new one.
@Suite struct StartedOverTests {
    private func begin(_ role: DeviceRole, _ box: PairInABox) {
        let side = role == .phone ? box.phone : box.watch
        side.peer.activate(at: box.now)
        side.drain(at: box.now)
        side.peer.linkUp(.lossyDatagram, at: box.now)
        side.drain(at: box.now)
    }

    /// The process ends and starts again on its journal; the counterpart does not hear of it.
    private func startOver(_ role: DeviceRole, epoch: UInt64, _ box: PairInABox) {
        let old = role == .phone ? box.phone : box.watch
        let fresh = BoxSide(old.configuration, epoch: epoch, image: old.host.image, at: box.now)
        if role == .phone { box.phone = fresh } else { box.watch = fresh }
        begin(role, box)
    }

    private func texts(_ side: BoxSide) -> [String] {
        side.host.delivered.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// Seeds 303396, 336820 and 460959: a late packet of the former life opened the session with
    /// the new one. What it held got the names of other records, which were never accepted, and
    /// the new life's packet of that number was dropped as a repetition, and acknowledged.
    @Test(arguments: [true, false]) func a_late_packet_of_a_former_life_opens_nothing(
        isCommitted: Bool
    ) throws {
        let box = PairInABox(.lossyDatagram)
        box.watch.commitsAtOnce = isCommitted
        _ = try box.watch.send(userInfo("before"), at: box.now)
        box.watch.drain(at: box.now)
        begin(.phone, box)
        box.phone.host.wire = []
        begin(.watch, box)
        box.carry(from: box.watch, to: box.phone)
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.activationState == .activated)
        let late = box.watch.host.wire
        #expect(!late.isEmpty)
        #expect(box.phone.activationState == .inactive)
        startOver(.watch, epoch: 0x7001, box)
        box.carry(from: box.watch, to: box.phone)
        box.phone.host.wire = []
        for packet in late {
            box.phone.peer.receive(packet.span, at: box.now)
            box.phone.drain(at: box.now)
        }
        #expect(box.phone.activationState == .inactive)
        #expect(texts(box.phone).isEmpty)
        _ = try box.watch.send(userInfo("after"), at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(texts(box.phone) == (isCommitted ? ["before", "after"] : ["after"]))
        #expect(box.watch.outstanding.isEmpty)
        for side in [box.phone, box.watch] {
            #expect(!side.host.events.contains { if case .linkClosed = $0 { true } else { false } })
        }
    }

    /// Seed 319190: both have heard a session of the other that is gone. Each named that one in its
    /// flights, and dropped the other's for it, for ever.
    @Test func two_that_heard_sessions_that_are_gone_find_each_other() throws {
        let box = PairInABox(.lossyDatagram)
        begin(.phone, box)
        begin(.watch, box)
        let flights = (phone: box.phone.host.wire, watch: box.watch.host.wire)
        startOver(.phone, epoch: 0x7001, box)
        startOver(.watch, epoch: 0x7002, box)
        box.phone.host.wire = flights.phone
        box.watch.host.wire = flights.watch
        box.settle()
        #expect(box.phone.activationState == .inactive)
        #expect(box.watch.activationState == .inactive)
        box.advance(by: .seconds(10))
        #expect(box.phone.activationState == .activated)
        #expect(box.watch.activationState == .activated)
    }
}
