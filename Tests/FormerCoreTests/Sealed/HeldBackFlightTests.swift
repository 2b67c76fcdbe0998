import Testing
import WatchSecurity

@testable import FormerCore

/// Flights, early data and sessions that somebody held back, or that meet a side which has
/// forgotten what it knew. Found by sealed seeds of the world, whose numbers stand with them.
@Suite struct HeldBackFlightTests {
    /// A pair of which `role` has had one record delivered, whose link is gone.
    private func met(
        _ role: DeviceRole, _ carrier: CarrierTraits = .lossyDatagram
    ) throws -> SealedPair {
        let box = try SealedPair.apart(carrier)
        _ = try box.send(userInfo("met"), from: role)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.side(role).outstanding.isEmpty)
        box.cut()
        return box
    }

    private func give(_ packets: [[UInt8]], to side: SideInABox<PairedSecurity>, _ now: Instant) {
        for bytes in packets {
            side.peer.receive(bytes.span, at: now)
            side.drain(at: now)
        }
    }

    /// The end of a record is heard and not yet in the journal when its receiver is restored from a
    /// backup: a crash would make it live again, and what had left early would have passed it.
    /// (Seeds 39261, 47928, 86178, 150060, 175779, 194135 and 199587.)
    @Test(arguments: earlyCarriers) func what_a_crash_may_bring_back_is_not_overtaken(
        _ carrier: CarrierTraits
    ) throws {
        let box = try met(.phone, carrier)
        let backup = box.watch.host.image
        box.connect()
        let first = try box.send(userInfo("first"), from: .phone)
        box.phone.commitsAtOnce = false
        box.settle()
        box.advance(by: .seconds(1))
        #expect(box.watch.texts == ["met", "first"])
        box.cut()
        box.restart(.watch, epoch: 0x7777, on: backup)
        _ = try box.send(userInfo("second"), from: .phone)
        box.open()
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts == ["met", "first"])
        box.restart(.phone, epoch: 0x8888)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.watch.texts == ["met", "first", "first"])
        #expect(box.phone.status(of: first) == .settled(.applied))
    }

    /// The same, where the journal holds the record itself only after others may leave early.
    @Test func an_end_that_counts_later_is_not_overtaken() throws {
        let box = try met(.phone)
        let backup = box.watch.host.image
        box.connect()
        box.phone.commitsAtOnce = false
        let first = try box.send(userInfo("first"), from: .phone)
        box.settle()
        box.advance(by: .seconds(1))
        #expect(box.watch.texts == ["met", "first"])
        box.cut()
        box.restart(.watch, epoch: 0x7777, on: backup)
        box.open()
        // The record is durable, its end is not.
        let (receipt, entries) = box.phone.host.entries.removeFirst()
        for entry in entries { box.phone.host.image.apply(entry) }
        box.phone.peer.committed(receipt, at: box.now)
        box.phone.drain(at: box.now)
        _ = try box.send(userInfo("second"), from: .phone)
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts == ["met", "first"])
        box.restart(.phone, epoch: 0x8888)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.watch.texts == ["met", "first", "first"])
        #expect(box.phone.status(of: first) == .settled(.applied))
    }

    /// A session was answered whose first packet comes only after a flight of a later opening: that
    /// one is gone, and would have what came since forgotten. (Seed 53868.)
    @Test(arguments: [true, false]) func a_session_of_an_opening_that_is_over_does_not_begin(
        _ isNumbered: Bool
    ) throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        let opener = try box.winner
        // Without a journal that holds it, a flight has no number.
        box.side(opener).commitsAtOnce = isNumbered
        box.open()
        let answerer = box.side(opener.counterpart)
        box.carry(from: box.side(opener), to: answerer)
        box.carry(from: answerer, to: box.side(opener))
        #expect(box.side(opener).activationState == .activated)
        let held = box.side(opener).host.wire
        box.side(opener).host.wire = []
        #expect(!held.isEmpty)
        box.replaceProcess(of: opener, epoch: 0x7777)
        box.carry(from: box.side(opener), to: answerer)
        give(held, to: answerer, box.now)
        #expect(answerer.activationState != .activated)
        box.settle()
        box.advance(by: .seconds(60))
        #expect(box.isActive)
        try box.exchange()
    }

    /// A flight that nobody heard, with records that a crash undid, comes after those of the next
    /// opening, whose flights nobody heard either. (Seed 96854.)
    @Test func early_data_of_an_opening_that_is_over_is_not_taken() throws {
        let receiver = try SealedPair(sealed: .lossyDatagram).winner
        let sender = receiver.counterpart
        let box = try met(sender)
        box.restart(sender, epoch: 0x5555)
        _ = try box.send(userInfo("kept"), from: sender)
        // Numbers of flights are durable, and nothing after them.
        box.side(sender).peer.activate(at: box.now)
        box.side(sender).drain(at: box.now)
        box.side(sender).commitsAtOnce = false
        _ = try box.send(userInfo("undone"), from: sender)
        box.open()
        let held = box.side(sender).host.wire
        #expect(held.contains(where: isEarly))
        box.cut()
        box.advance(by: .seconds(1))
        box.restart(sender, epoch: 0x6666)
        _ = try box.send(userInfo("after"), from: sender)
        box.open()
        // The other side's flight is the one that is answered.
        box.side(sender).host.wire = []
        box.settle()
        box.advance(by: .seconds(5))
        let given = ["met", "kept", "after"]
        #expect(box.isActive && box.side(receiver).texts == given)
        box.cut()
        box.open()
        box.side(sender).host.wire = []
        give(held, to: box.side(receiver), box.now)
        #expect(box.side(receiver).texts == given)
        box.settle()
        box.advance(by: .seconds(60))
        #expect(box.isActive && box.side(receiver).texts == given)
    }

    /// The flight of an opening that is over comes when a later one has been answered, whose flight
    /// has no number: the answer does not tell of what would be taken now.
    @Test func nothing_is_taken_early_behind_the_answer_to_a_later_opening() throws {
        let sender = try SealedPair(sealed: .lossyDatagram).winner
        let receiver = sender.counterpart
        let box = try met(sender)
        box.restart(sender, epoch: 0x5555)
        // Numbers of flights are durable, and nothing after them.
        box.side(sender).peer.activate(at: box.now)
        box.side(sender).drain(at: box.now)
        box.side(sender).commitsAtOnce = false
        _ = try box.send(userInfo("undone"), from: sender)
        box.open()
        let held = box.side(sender).host.wire
        #expect(held.contains(where: isEarly))
        box.cut()
        box.advance(by: .seconds(1))
        box.restart(sender, epoch: 0x6666)
        box.side(sender).commitsAtOnce = false
        box.open()
        box.carry(from: box.side(sender), to: box.side(receiver))
        let answers = box.side(receiver).peer.answers.map(\.handshake.verdict)
        #expect(answers == [.none])
        give(held, to: box.side(receiver), box.now)
        #expect(box.side(receiver).texts == ["met"])
        box.side(sender).commitsAtOnce = true
        box.settle()
        box.advance(by: .seconds(60))
        #expect(box.isActive && box.side(receiver).texts == ["met"])
    }

    /// Who was wiped has forgotten which flights are old, and what was taken back. (Seed 117753.)
    @Test func who_knows_nobody_takes_nothing_early() throws {
        let box = try SealedPair.apart(.lossyDatagram)
        let id = try box.send(context(1, "taken back"), from: .phone)
        box.open()
        let held = box.phone.host.wire
        #expect(held.contains(where: isEarly))
        box.cut()
        box.phone.peer.cancel(id, at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.phone.status(of: id) == .settled(.cancelled))
        box.cut()
        box.restart(.watch, epoch: 0x7777, keepsJournal: false)
        box.open()
        give(held, to: box.watch, box.now)
        #expect(box.watch.texts.isEmpty)
        box.goOn(for: .seconds(60))
        #expect(box.watch.texts.isEmpty)
        // It has met the phone now.
        box.cut()
        _ = try box.send(userInfo("early"), from: .phone)
        box.open()
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts == ["early"])
    }

    /// A side has opened when early data of an opening comes that was undone since, by a backup:
    /// the answer to that flight is one to a greeting that lacks it. (Seed 152881.)
    @Test func a_greeting_of_before_early_data_begins_no_session() throws {
        let opener = try SealedPair(sealed: .lossyDatagram).winner
        let sender = opener.counterpart
        let box = try SealedPair.apart(.lossyDatagram)
        // It knows the number of a flight, and no epoch.
        let before = box.side(opener).host.image
        #expect(before.handshakeTaken > 0)
        box.connect()
        _ = try box.send(context(1, "one"), from: sender)
        box.settle()
        box.advance(by: .seconds(5))
        let backup = box.side(sender).host.image
        box.cut()
        _ = try box.send(context(1, "two"), from: sender)
        box.open()
        let held = box.side(sender).host.wire
        box.cut()
        box.advance(by: .seconds(1))
        box.restart(opener, epoch: 0x7777, on: before)
        box.restart(sender, epoch: 0x8888, on: backup)
        box.open()
        give(held, to: box.side(opener), box.now)
        #expect(box.side(opener).texts == ["one", "two"])
        box.side(sender).host.wire = []
        box.settle()
        #expect(box.side(sender).activationState != .activated)
        box.cut()
        box.connect()
        box.advance(by: .seconds(30))
        #expect(box.isActive)
        #expect(box.side(opener).texts == ["one", "two"])
        let handedBack = box.side(sender).host.events.contains { event in
            if case .handedBack(_, _, _, let payload) = event {
                payload == Array("two".utf8)
            } else {
                false
            }
        }
        #expect(handedBack)
    }
}
