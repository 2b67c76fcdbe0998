import Testing
import WatchSecurity

@testable import WatchProto

/// Records behind the first flight of a reconnection.
@Suite struct EarlyDataTests {
    static let carriers: [CarrierTraits] = [
        CarrierTraits(framing: .stream), .seqpacket, .lossyDatagram, .bleDatagram,
    ]

    private func dose(_ text: String) -> RecordDraft {
        RecordDraft(lane: .background, kind: .userInfo, payload: Array(text.utf8))
    }

    private func value(_ key: UInt64, _ text: String) -> RecordDraft {
        RecordDraft(
            lane: .context, kind: .applicationContext, key: RecordKey(rawValue: UInt128(key)),
            payload: Array(text.utf8))
    }

    /// A pair that has met, whose link is gone.
    private func apart(
        _ carrier: CarrierTraits, configure: (inout PeerConfiguration) -> Void = { _ in }
    ) throws -> SealedPair {
        let box = try SealedPair(sealed: carrier, configure: configure)
        box.connect()
        #expect(box.isActive)
        box.cut()
        return box
    }

    private func send(
        _ draft: RecordDraft, from role: DeviceRole, of box: SealedPair
    ) throws -> RecordID {
        let id = try box.side(role).peer.send(draft, at: box.now)
        box.side(role).drain(at: box.now)
        return id
    }

    /// Opens the link; nothing crosses it yet.
    private func open(_ box: SealedPair) {
        for side in [box.phone, box.watch] {
            side.peer.activate(at: box.now)
            side.drain(at: box.now)
            side.peer.linkUp(box.carrier, at: box.now)
            side.drain(at: box.now)
        }
    }

    private func texts(_ side: SideInABox<PairedSecurity>) -> [String] {
        side.host.delivered.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// One way, from either side, whichever of the two is the one that is answered.
    @Test(arguments: carriers, [DeviceRole.phone, .watch])
    func a_change_arrives_in_half_a_round_trip(
        _ carrier: CarrierTraits, _ sender: DeviceRole
    ) throws {
        let box = try apart(carrier)
        let receiver = box.side(sender.counterpart)
        let taken = try send(dose("taken"), from: sender, of: box)
        let next = try send(value(1, "next"), from: sender, of: box)
        open(box)
        box.carry(from: box.side(sender), to: receiver)
        #expect(texts(receiver) == ["taken", "next"])
        #expect(receiver.activationState != .activated)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.isActive)
        #expect(texts(receiver) == ["taken", "next"], "each counts once")
        for id in [taken, next] {
            #expect(box.side(sender).status(of: id) == .settled(.applied))
        }
        #expect(box.side(sender).counters.framesResent == 0)
    }

    @Test(arguments: carriers) func both_sides_do_it_at_once(_ carrier: CarrierTraits) throws {
        let box = try apart(carrier)
        _ = try send(dose("of the watch"), from: .watch, of: box)
        _ = try send(value(1, "of the phone"), from: .phone, of: box)
        open(box)
        let (ofPhone, ofWatch) = (box.phone.host.wire, box.watch.host.wire)
        for bytes in ofPhone { box.watch.peer.receive(bytes.span, at: box.now) }
        for bytes in ofWatch { box.phone.peer.receive(bytes.span, at: box.now) }
        (box.phone.host.wire, box.watch.host.wire) = ([], [])
        for side in [box.phone, box.watch] { side.drain(at: box.now) }
        #expect(texts(box.watch) == ["of the phone"])
        #expect(texts(box.phone) == ["of the watch"])
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.isActive)
        #expect(texts(box.watch).count == 1 && texts(box.phone).count == 1)
        #expect(box.phone.outstanding.isEmpty && box.watch.outstanding.isEmpty)
    }

    @Test(arguments: [DeviceRole.phone, .watch])
    func either_side_can_do_without(_ off: DeviceRole) throws {
        for carrier in Self.carriers {
            let box = try apart(carrier) { side in
                if side.role == off { side.usesEarlyData = false }
            }
            _ = try send(dose("later"), from: .phone, of: box)
            open(box)
            box.carry(from: box.phone, to: box.watch)
            #expect(texts(box.watch).isEmpty)
            #expect((box.phone.counters.earlyPacketsSent == 0) == (off == .phone))
            box.settle()
            box.advance(by: .seconds(5))
            #expect(texts(box.watch) == ["later"])
            #expect(box.phone.outstanding.isEmpty)
        }
    }

    /// Everything that was sent is sent again on a later link, to the same process and to the next.
    @Test(arguments: [false, true]) func a_replay_brings_nothing(_ restarts: Bool) throws {
        let box = try apart(.lossyDatagram)
        _ = try send(value(1, "old"), from: .phone, of: box)
        open(box)
        let captured = box.phone.host.wire
        box.settle()
        box.advance(by: .seconds(5))
        _ = try send(value(1, "new"), from: .phone, of: box)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(texts(box.watch) == ["old", "new"])
        box.cut()
        // The answers to as many flights are remembered, and the number of the last alone.
        for _ in 0...ReconnectResponder.cacheLimit {
            box.connect()
            box.cut()
        }
        if restarts { box.restart(.watch, epoch: 0x7777) }
        let taken = box.watch.counters.earlyRecordsReceived
        open(box)
        box.watch.host.wire = []
        for bytes in captured { box.watch.peer.receive(bytes.span, at: box.now) }
        box.watch.drain(at: box.now)
        #expect(box.watch.counters.earlyRecordsReceived == taken, "the flight is known to be old")
        box.settle()
        box.advance(by: .seconds(20))
        #expect(box.isActive)
        #expect(texts(box.watch) == ["old", "new"])
    }

    @Test func what_is_lost_of_it_leaves_again() throws {
        let box = try apart(.bleDatagram)
        var sent: [RecordID] = []
        for index in 0..<12 {
            let text = "\(index) " + String(repeating: "x", count: 90)
            sent.append(try send(dose(text), from: .phone, of: box))
        }
        open(box)
        #expect(box.phone.counters.earlyPacketsSent > 4)
        box.phone.host.wire.remove(at: 3)
        box.carry(from: box.phone, to: box.watch)
        let early = box.watch.counters.earlyRecordsReceived
        #expect(early > 0 && early < 12)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.map { $0.id } == sent)
        #expect(box.phone.outstanding.isEmpty)
        #expect(box.phone.counters.framesResent == UInt64(12 - early), "as the verdict says")
    }

    @Test func what_comes_before_its_flight_waits_for_it() throws {
        let box = try apart(.lossyDatagram)
        _ = try send(dose("first"), from: .phone, of: box)
        open(box)
        box.phone.host.wire.reverse()
        box.carry(from: box.phone, to: box.watch)
        #expect(texts(box.watch) == ["first"])
        box.settle()
        box.advance(by: .seconds(5))
        #expect(texts(box.watch) == ["first"] && box.phone.outstanding.isEmpty)
    }

    /// A phone that was restored counts from where its backup did: its early data is refused once,
    /// and it learns.
    @Test(arguments: carriers) func a_stale_counter_is_taught(_ carrier: CarrierTraits) throws {
        let box = try SealedPair(sealed: carrier)
        let backup = box.phone.host.image
        for round in 0..<3 {
            box.connect()
            _ = try send(dose("\(round)"), from: .phone, of: box)
            box.settle()
            box.cut()
        }
        _ = try send(dose("3"), from: .phone, of: box)
        box.connect()
        box.cut()
        box.restart(.phone, epoch: 0x8888, on: backup)
        let early = box.watch.counters.earlyRecordsReceived
        _ = try send(value(8, "not early"), from: .phone, of: box)
        box.connect()
        #expect(box.watch.counters.earlyRecordsReceived == early)
        box.cut()
        let count = box.watch.host.delivered.count
        _ = try send(value(9, "after"), from: .phone, of: box)
        open(box)
        box.carry(from: box.phone, to: box.watch)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.count == count + 1)
        box.cut()
        _ = try send(value(9, "early again"), from: .phone, of: box)
        open(box)
        box.carry(from: box.phone, to: box.watch)
        #expect(texts(box.watch).last == "early again")
    }

    /// The number of a flight is in the journal no later than what it brought.
    @Test func the_gate_is_as_durable_as_the_records() throws {
        let box = try apart(.lossyDatagram)
        _ = try send(dose("kept"), from: .phone, of: box)
        box.watch.commitsAtOnce = false
        open(box)
        box.watch.host.entries = []
        box.carry(from: box.phone, to: box.watch)
        #expect(texts(box.watch) == ["kept"])
        let entries = box.watch.host.entries.flatMap { $0.1 }
        let gate = entries.firstIndex { if case .handshakeTaken = $0 { true } else { false } }
        let record = entries.firstIndex { if case .received = $0 { true } else { false } }
        #expect(try #require(gate) < (try #require(record)))
    }

    /// Numbers are reserved before they are used, and never used twice.
    @Test func numbers_are_reserved_in_the_journal() throws {
        let box = try apart(.lossyDatagram)
        #expect(box.phone.host.image.handshakesReserved > 0)
        let before = box.phone.host.image.handshakesReserved
        box.restart(.phone, epoch: 0x9999)
        box.connect()
        #expect(box.phone.host.image.handshakesReserved > before)
        // Those of the former life are not given again: the watch would refuse what came behind.
        box.cut()
        _ = try send(dose("after"), from: .phone, of: box)
        open(box)
        box.carry(from: box.phone, to: box.watch)
        #expect(texts(box.watch) == ["after"])
    }

    /// Records that had arrived before, whose receipts were cut off, leave early and are not taken:
    /// the session's credit knows nothing of them.
    @Test(arguments: carriers) func what_is_not_taken_costs_no_credit(
        _ carrier: CarrierTraits
    ) throws {
        let box = try apart(carrier) { side in
            if side.role == .watch { side.usesEarlyData = false }
        }
        func bulk(_ index: Int) -> RecordDraft {
            RecordDraft(lane: .bulk, kind: .userInfo, payload: Array("\(index)".utf8))
        }
        box.connect()
        for index in 0..<16 { _ = try send(bulk(index), from: .phone, of: box) }
        while !box.phone.host.wire.isEmpty { box.carry(from: box.phone, to: box.watch) }
        #expect(box.watch.host.delivered.count == 16)
        box.watch.host.wire = []
        box.cut()
        #expect(box.phone.outstanding.count == 16)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.phone.counters.earlyPacketsSent > 0 && box.phone.outstanding.isEmpty)
        _ = try send(bulk(16), from: .phone, of: box)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.count == 17)
    }

    /// A flight that somebody kept, played when nobody is there any more: what has expired since is
    /// not taken.
    @Test func what_has_expired_on_the_way_is_not_taken() throws {
        let box = try apart(.lossyDatagram)
        var draft = dose("now")
        draft.expiresAt = WallTime(milliseconds: Int64(box.now.nanoseconds / 1_000_000) + 5000)
        _ = try send(draft, from: .phone, of: box)
        open(box)
        let kept = box.phone.host.wire
        box.phone.host.wire = []
        box.now = box.now.advanced(by: .seconds(60))
        for bytes in kept { box.watch.peer.receive(bytes.span, at: box.now) }
        box.watch.drain(at: box.now)
        #expect(box.watch.host.delivered.isEmpty)
        #expect(box.watch.counters.earlyRecordsReceived == 0)
    }

    /// An old flight between the new one and what follows it changes nothing.
    @Test func an_old_flight_takes_no_place() throws {
        let box = try apart(.lossyDatagram)
        open(box)
        let old = box.phone.host.wire.filter(isFlight)
        box.settle()
        box.cut()
        for _ in 0...ReconnectResponder.cacheLimit {
            box.connect()
            box.cut()
        }
        _ = try send(dose("new"), from: .phone, of: box)
        open(box)
        let new = box.phone.host.wire
        box.phone.host.wire = []
        #expect(new.count >= 2 && !old.isEmpty)
        for bytes in [new[0]] + old + new[1...] {
            box.watch.peer.receive(bytes.span, at: box.now)
        }
        box.watch.drain(at: box.now)
        #expect(texts(box.watch) == ["new"])
    }
}
