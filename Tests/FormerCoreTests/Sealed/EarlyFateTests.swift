import Testing
import WatchSecurity

@testable import FormerCore

/// What becomes of a record that left early and is taken back, has expired or is replaced before
/// the session begins; and of one that its receiver turns away.
@Suite struct EarlyFateTests {
    /// A pair of which the watch takes early data, or does not.
    private func apart(_ isTaken: Bool, _ carrier: CarrierTraits) throws -> SealedPair {
        try SealedPair.apart(carrier) { side in
            if side.role == .watch { side.usesEarlyData = isTaken }
        }
    }

    /// What the phone has out reaches the watch, and no answer comes back yet.
    private func carryEarly(_ box: SealedPair, _ isTaken: Bool) {
        #expect(box.phone.counters.earlyPacketsSent > 0)
        for bytes in box.phone.host.wire {
            box.watch.peer.receive(bytes.span, at: box.now)
            box.watch.drain(at: box.now)
        }
        box.phone.host.wire = []
        #expect((box.watch.counters.earlyRecordsReceived > 0) == isTaken)
        #expect(!box.isActive)
    }

    @Test(arguments: earlyCarriers, [true, false])
    func what_is_asked_back(_ carrier: CarrierTraits, _ isTaken: Bool) throws {
        let box = try apart(isTaken, carrier)
        let id = try box.send(userInfo("asked back"), from: .phone)
        let next = try box.send(userInfo("next"), from: .phone)
        box.open()
        carryEarly(box, isTaken)
        box.phone.peer.cancel(id, at: box.now)
        box.phone.drain(at: box.now)
        box.goOn(for: .seconds(20))
        #expect(box.watch.texts == (isTaken ? ["asked back", "next"] : ["next"]))
        #expect(box.phone.status(of: id) == .settled(isTaken ? .applied : .cancelled))
        #expect(box.phone.status(of: next) == .settled(.applied))
    }

    @Test(arguments: [CarrierTraits.lossyDatagram, .bleDatagram], [true, false])
    func what_expires(_ carrier: CarrierTraits, _ isTaken: Bool) throws {
        let box = try apart(isTaken, carrier)
        var draft = userInfo("for now")
        draft.expiresAt = WallTime(milliseconds: Int64(box.now.nanoseconds / 1_000_000) + 2_000)
        let id = try box.send(draft, from: .phone)
        box.open()
        carryEarly(box, isTaken)
        box.loses = { _ in true }
        box.advance(by: .seconds(4))
        #expect(!box.isActive)
        box.loses = { _ in false }
        box.goOn(for: .seconds(20))
        #expect(box.watch.texts == (isTaken ? ["for now"] : []))
        #expect(box.phone.status(of: id) == .settled(isTaken ? .applied : .expired))
    }

    @Test(arguments: earlyCarriers, [true, false])
    func what_is_replaced(_ carrier: CarrierTraits, _ isTaken: Bool) throws {
        let box = try apart(isTaken, carrier)
        let old = try box.send(context(1, "old"), from: .phone)
        box.open()
        carryEarly(box, isTaken)
        let new = try box.send(context(1, "new"), from: .phone)
        box.goOn(for: .seconds(20))
        #expect(box.watch.texts == (isTaken ? ["old", "new"] : ["new"]))
        let end = box.phone.status(of: old)
        #expect(
            end == .settled(.superseded) || isTaken && end == .settled(.applied), "\(end)")
        #expect(box.phone.status(of: new) == .settled(.applied))
    }

    /// The application refuses it before there is a session that could say so.
    @Test(arguments: earlyCarriers) func what_is_refused(_ carrier: CarrierTraits) throws {
        let box = try apart(true, carrier)
        box.watch.host.disposition = { record in
            record.payload == Array("no".utf8) ? .rejected(code: 7) : .applied
        }
        let refused = try box.send(userInfo("no"), from: .phone)
        let taken = try box.send(userInfo("yes"), from: .phone)
        box.open()
        carryEarly(box, true)
        #expect(box.watch.texts == ["no", "yes"])
        box.goOn(for: .seconds(20))
        #expect(box.watch.texts == ["no", "yes"], "each is given once")
        #expect(box.phone.status(of: refused) == .settled(.rejected(code: 7)))
        #expect(box.phone.status(of: taken) == .settled(.applied))
    }

    /// The application leaves it pending, and decides before or after the session has begun.
    @Test(arguments: [true, false]) func what_is_decided_later(_ isBefore: Bool) throws {
        let box = try apart(true, .lossyDatagram)
        box.watch.host.disposition = { _ in .pending }
        let id = try box.send(userInfo("wait"), from: .phone)
        box.open()
        carryEarly(box, true)
        if !isBefore {
            box.settle()
            #expect(box.isActive)
        }
        box.watch.peer.applied(id, at: box.now)
        box.watch.drain(at: box.now)
        box.goOn(for: .seconds(20))
        #expect(box.phone.status(of: id) == .settled(.applied))
        #expect(box.watch.texts == ["wait"])
    }

    /// A set that has no room for a second value says so in the session.
    @Test(arguments: earlyCarriers) func what_finds_no_room(_ carrier: CarrierTraits) throws {
        let box = try SealedPair.apart(carrier) { side in
            if side.role == .watch { (side.limits.keys, side.limits.handles) = (1, 1) }
        }
        let first = try box.send(context(1, "one"), from: .phone)
        let second = try box.send(context(2, "two"), from: .phone)
        box.open()
        carryEarly(box, true)
        #expect(box.watch.texts == ["one"])
        box.goOn(for: .seconds(20))
        #expect(box.phone.status(of: first) == .settled(.applied))
        #expect(
            box.phone.status(of: second) == .settled(.rejected(code: Outcome.noRoomCode)))
    }

    /// A journal that is behind has no room for more: what is turned away is called again.
    @Test func what_the_journal_has_no_room_for() throws {
        let box = try apart(true, .lossyDatagram)
        let window = Lane.bulk.traits.offerWindow
        box.watch.commitsAtOnce = false
        box.open()
        let early = try (0..<3 as Range<UInt64>).map { packet in
            try box.earlyPacket(
                packet,
                (0..<UInt64(window)).map {
                    box.earlyRecord(packet * UInt64(window) + $0 + 1, bytes: 1)
                })
        }
        box.phone.host.wire += early
        carryUncounted(box)
        #expect(box.watch.counters.earlyRecordsReceived == UInt64(3 * window))
        #expect(box.watch.host.delivered.count == 2 * window, "the rest has to come again")
        // All of it was acknowledged as packets, so that only the lane can call it again.
        #expect(box.watch.turnedAway(.bulk) == window)
    }

    private func carryUncounted(_ box: SealedPair) {
        for bytes in box.phone.host.wire {
            box.watch.peer.receive(bytes.span, at: box.now)
            box.watch.drain(at: box.now)
        }
        box.phone.host.wire = []
    }
}
