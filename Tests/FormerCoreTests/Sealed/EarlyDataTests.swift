import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// Records behind the first flight of a reconnection.
@Suite struct EarlyDataTests {
    /// One way, from either side, whichever of the two is the one that is answered.
    @Test(arguments: earlyCarriers, [DeviceRole.phone, .watch])
    func a_change_arrives_in_half_a_round_trip(
        _ carrier: CarrierTraits, _ sender: DeviceRole
    ) throws {
        let box = try SealedPair.apart(carrier)
        let receiver = box.side(sender.counterpart)
        let taken = try box.send(userInfo("taken"), from: sender)
        let next = try box.send(context(1, "next"), from: sender)
        box.open()
        box.carry(from: box.side(sender), to: receiver)
        #expect(receiver.texts == ["taken", "next"])
        #expect(receiver.activationState != .activated)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.isActive)
        #expect(receiver.texts == ["taken", "next"], "each counts once")
        for id in [taken, next] {
            #expect(box.side(sender).status(of: id) == .settled(.applied))
        }
        #expect(box.side(sender).counters.framesResent == 0)
    }

    @Test(arguments: earlyCarriers) func both_sides_do_it_at_once(_ carrier: CarrierTraits) throws {
        let box = try SealedPair.apart(carrier)
        _ = try box.send(userInfo("of the watch"), from: .watch)
        _ = try box.send(context(1, "of the phone"), from: .phone)
        box.open()
        let (ofPhone, ofWatch) = (box.phone.host.wire, box.watch.host.wire)
        for bytes in ofPhone { box.watch.peer.receive(bytes.span, at: box.now) }
        for bytes in ofWatch { box.phone.peer.receive(bytes.span, at: box.now) }
        (box.phone.host.wire, box.watch.host.wire) = ([], [])
        for side in [box.phone, box.watch] { side.drain(at: box.now) }
        #expect(box.watch.texts == ["of the phone"])
        #expect(box.phone.texts == ["of the watch"])
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.isActive)
        #expect(box.watch.texts.count == 1 && box.phone.texts.count == 1)
        #expect(box.phone.outstanding.isEmpty && box.watch.outstanding.isEmpty)
    }

    @Test(arguments: [DeviceRole.phone, .watch])
    func either_side_can_do_without(_ off: DeviceRole) throws {
        for carrier in earlyCarriers {
            let box = try SealedPair.apart(carrier) { side in
                if side.role == off { side.usesEarlyData = false }
            }
            _ = try box.send(userInfo("later"), from: .phone)
            box.open()
            box.carry(from: box.phone, to: box.watch)
            #expect(box.watch.texts.isEmpty)
            #expect((box.phone.counters.earlyPacketsSent == 0) == (off == .phone))
            box.settle()
            box.advance(by: .seconds(5))
            #expect(box.watch.texts == ["later"])
            #expect(box.phone.outstanding.isEmpty)
        }
    }

    private func sendTwelve(_ box: SealedPair) throws -> [RecordID] {
        var sent: [RecordID] = []
        for index in 0..<12 {
            let text = "\(index) " + String(repeating: "x", count: 90)
            sent.append(try box.send(userInfo(text), from: .phone))
        }
        box.open()
        #expect(box.phone.counters.earlyPacketsSent > 4)
        return sent
    }

    /// One lost packet of a flight is put together from its parity.
    @Test func what_is_lost_of_it_comes_all_the_same() throws {
        let box = try SealedPair.apart(.bleDatagram)
        let sent = try sendTwelve(box)
        box.phone.host.wire.remove(at: 3)
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.host.delivered.map { $0.id } == sent)
        #expect(box.watch.counters.packetsRestored == 1)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.phone.outstanding.isEmpty)
        #expect(box.phone.counters.framesResent == 0)
    }

    @Test func what_is_lost_of_it_leaves_again() throws {
        let box = try SealedPair.apart(.bleDatagram)
        let sent = try sendTwelve(box)
        let early = box.phone.host.wire.indices.filter {
            PacketKind(rawValue: box.phone.host.wire[$0][0] & 3) == .early
        }
        let parity = Int(box.phone.counters.paritySent)
        #expect(parity > 0)
        for index in early.suffix(parity).reversed() { box.phone.host.wire.remove(at: index) }
        box.phone.host.wire.remove(at: 3)
        box.carry(from: box.phone, to: box.watch)
        let taken = box.watch.counters.earlyRecordsReceived
        #expect(taken > 0 && taken < 12)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.map { $0.id } == sent)
        #expect(box.phone.outstanding.isEmpty)
        #expect(box.phone.counters.framesResent == UInt64(12 - taken), "as the verdict says")
    }

    @Test func what_comes_before_its_flight_waits_for_it() throws {
        let box = try SealedPair.apart(.lossyDatagram)
        _ = try box.send(userInfo("first"), from: .phone)
        box.open()
        box.phone.host.wire.reverse()
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts == ["first"])
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.texts == ["first"] && box.phone.outstanding.isEmpty)
    }

    /// Records that had arrived before, whose receipts were cut off, leave early and are not taken:
    /// the session's credit knows nothing of them.
    @Test(arguments: earlyCarriers) func what_is_not_taken_costs_no_credit(
        _ carrier: CarrierTraits
    ) throws {
        let box = try SealedPair.apart(carrier) { side in
            if side.role == .watch { side.usesEarlyData = false }
        }
        func bulk(_ index: Int) -> RecordDraft {
            RecordDraft(lane: .bulk, kind: .userInfo, payload: Array("\(index)".utf8))
        }
        box.connect()
        for index in 0..<16 { _ = try box.send(bulk(index), from: .phone) }
        while !box.phone.host.wire.isEmpty { box.carry(from: box.phone, to: box.watch) }
        #expect(box.watch.host.delivered.count == 16)
        box.watch.host.wire = []
        box.cut()
        #expect(box.phone.outstanding.count == 16)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.phone.counters.earlyPacketsSent > 0 && box.phone.outstanding.isEmpty)
        _ = try box.send(bulk(16), from: .phone)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.count == 17)
    }
}
