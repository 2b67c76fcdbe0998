import Testing
import WatchSecurity

@testable import FormerCore

/// A side whose link comes up by its counterpart's first packet answers, and opens only where
/// nothing comes of that.
@Suite struct CalledSideTests {
    /// A pair that has met; the caller's link is up, and what it sent was not received yet.
    private static func call(
        by caller: DeviceRole, queued: RecordDraft? = nil
    ) throws -> (box: SealedPair, packets: [[UInt8]]) {
        let box = try SealedPair.apart(.lossyDatagram)
        if let queued { _ = try box.send(queued, from: caller.counterpart) }
        let side = box.side(caller)
        side.peer.activate(at: box.now)
        side.drain(at: box.now)
        side.peer.linkUp(box.carrier, at: box.now)
        side.drain(at: box.now)
        defer { side.host.wire = [] }
        return (box, side.host.wire)
    }

    private static func comeUp(_ side: SideInABox<PairedSecurity>, _ box: SealedPair) {
        side.peer.activate(at: box.now)
        side.drain(at: box.now)
        side.peer.linkUp(box.carrier, isCalled: true, at: box.now)
        side.drain(at: box.now)
    }

    /// Whichever key is the lower.
    @Test(arguments: [DeviceRole.phone, .watch])
    func who_calls_has_a_session_after_one_round_trip(_ caller: DeviceRole) throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            let box = try SealedPair(sealed: .lossyDatagram, seed: seed)
            box.connect()
            box.cut()
            let near = box.side(caller)
            let far = box.side(caller.counterpart)
            near.peer.activate(at: box.now)
            near.drain(at: box.now)
            near.peer.linkUp(box.carrier, at: box.now)
            near.drain(at: box.now)
            Self.comeUp(far, box)
            #expect(far.host.wire.isEmpty)
            box.carry(from: near, to: far)
            #expect(!far.host.wire.isEmpty)
            #expect(far.attempt?.lastFlight == [])
            box.carry(from: far, to: near)
            #expect(near.activationState == .activated)
            box.settle()
            #expect(far.activationState == .activated)
            try box.exchange()
        }
    }

    @Test func who_is_called_by_nothing_of_use_opens_soon() throws {
        let (box, _) = try Self.call(by: .phone)
        let garbage: [UInt8] = [1, 2, 3]
        Self.comeUp(box.watch, box)
        box.watch.peer.receive(garbage.span, at: box.now)
        box.watch.drain(at: box.now)
        #expect(!box.watch.host.wire.contains(where: isFlight))
        box.now = box.now.advanced(by: .milliseconds(50))
        box.watch.peer.wake(at: box.now)
        box.watch.drain(at: box.now)
        #expect(box.watch.host.wire.contains(where: isFlight))
    }

    @Test func an_old_flight_sent_again_keeps_nobody_from_opening() throws {
        let (box, packets) = try Self.call(by: .phone)
        let old = packets[0]
        Self.comeUp(box.watch, box)
        box.watch.peer.receive(old.span, at: box.now)
        box.watch.drain(at: box.now)
        #expect(box.watch.attempt?.lastFlight == [])
        box.cut()
        Self.comeUp(box.watch, box)
        box.watch.peer.receive(old.span, at: box.now)
        box.watch.drain(at: box.now)
        box.now = box.now.advanced(by: .milliseconds(50))
        box.watch.peer.wake(at: box.now)
        box.watch.drain(at: box.now)
        #expect(box.watch.attempt?.lastFlight.isEmpty == false)
    }

    @Test func who_is_called_and_has_something_to_say_says_it_early() throws {
        let draft = RecordDraft(lane: .background, kind: .opaque, payload: [1])
        let (box, packets) = try Self.call(by: .phone, queued: draft)
        Self.comeUp(box.watch, box)
        for packet in packets { box.watch.peer.receive(packet.span, at: box.now) }
        box.watch.drain(at: box.now)
        box.carry(from: box.watch, to: box.phone)
        #expect(box.phone.host.delivered.map(\.payload) == [[1]])
    }

    /// The answers are lost, and so is all that the caller repeats.
    @Test func who_is_called_opens_when_nothing_comes_of_its_answer() throws {
        let (box, packets) = try Self.call(by: .phone)
        Self.comeUp(box.watch, box)
        for packet in packets { box.watch.peer.receive(packet.span, at: box.now) }
        box.watch.drain(at: box.now)
        box.watch.host.wire = []
        box.arrivals = { role, bytes in role == .watch ? [bytes] : [] }
        box.advance(by: .seconds(2))
        #expect(box.watch.attempt?.lastFlight.isEmpty == false)
        box.arrivals = { [$1] }
        box.advance(by: .seconds(10))
        #expect(box.isActive)
        try box.exchange()
    }
}
