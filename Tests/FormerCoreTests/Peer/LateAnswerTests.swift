import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// A session may begin long after the greeting in it was made: what has changed here since then
/// must not be taken for what the counterpart was told.
@Suite struct LateAnswerTests {
    /// A sealed answer is sent, is delayed, and meanwhile an epoch that it lists is settled and a
    /// fresh first flight is made, which lists that epoch no more. Then the answer arrives after
    /// all, and the counterpart speaks of epochs by their places in it.
    @Test func an_answer_keeps_the_epochs_it_lists() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        let role = try box.winner.counterpart
        box.connect()
        box.cut()
        let first = try box.side(role).send(userInfo("of the first epoch"), at: box.now)
        box.side(role).drain(at: box.now)
        box.restart(role, epoch: 0x3333)
        let side = box.side(role)
        let other = box.side(role.counterpart)
        side.commitsAtOnce = false
        box.connect()
        box.advance(by: .seconds(5))
        #expect(other.host.delivered.count == 1)
        box.cut()
        // Both open, and this side answers.
        for each in [side, other] {
            each.peer.activate(at: box.now)
            each.peer.linkUp(.lossyDatagram, at: box.now)
            each.drain(at: box.now)
        }
        side.host.wire = []
        box.carry(from: other, to: side)
        let answer = side.host.wire
        side.host.wire = []
        #expect(Set(answer).count == 1, "the flight came twice, and so did the answer")
        #expect(side.peer.outbox.epochs.count == 2)
        // How the record ended becomes durable, and fresh first flights are made.
        side.commitsAtOnce = true
        side.drain(at: box.now)
        #expect(side.status(of: first) == .settled(.applied))
        for _ in 0..<6 {
            guard let deadline = side.nextDeadline else { break }
            box.now = max(box.now, deadline)
            side.peer.wake(at: box.now)
            side.drain(at: box.now)
        }
        side.host.wire = answer
        box.settle()
        #expect(box.isActive)
        _ = try side.send(userInfo("of the second epoch"), at: box.now)
        side.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
        let texts = other.host.delivered.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(texts == ["of the first epoch", "of the second epoch"])
        let epochs = other.host.delivered.map(\.id.epoch.randomPart)
        #expect(epochs == [role == .phone ? 0x1111 : 0x2222, 0x3333])
    }

    /// While the answer to one that started over waits, late packets of the session before move
    /// this side's floor above the one the answer tells. The counterpart hears of the later one as
    /// soon as the session has begun, and forgets nothing it is asked for.
    @Test func a_floor_that_moved_after_the_answer_is_told() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.watch.host.disposition = { $0.payload == [1] ? .rejected(code: 9) : .applied }
        let refused = try box.phone.send(
            RecordDraft(lane: .background, kind: .userInfo, payload: [1]), at: box.now)
        box.phone.drain(at: box.now)
        box.carry(from: box.phone, to: box.watch)
        let late = box.watch.host.wire
        box.watch.host.wire = []
        #expect(!late.isEmpty && box.watch.host.delivered.count == 1)
        // The watch starts over, and the phone answers.
        box.watch.peer.linkDown(CarrierFailure(call: "read", errorNumber: 0), at: box.now)
        box.watch.drain(at: box.now)
        box.watch.peer.activate(at: box.now)
        box.watch.peer.linkUp(.lossyDatagram, at: box.now)
        box.watch.drain(at: box.now)
        box.carry(from: box.watch, to: box.phone)
        let answer = box.phone.host.wire
        box.phone.host.wire = []
        #expect(box.phone.peer.candidate?.toldFloors[0][Int(Lane.background.rawValue)] == 1)
        box.watch.host.wire = late
        box.carry(from: box.watch, to: box.phone)
        #expect(box.phone.status(of: refused) == .settled(.rejected(code: 9)))
        // What the phone says of it in the session before reaches nobody.
        box.phone.host.wire = answer
        box.settle()
        box.advance(by: .seconds(2))
        _ = try box.phone.send(userInfo("next"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(2))
        #expect(box.phone.outstanding.isEmpty && box.watch.host.delivered.count == 2)
        let numbers = box.watch.peer.inbox.epochs[0].lanes[Int(Lane.background.rawValue)]
        #expect(numbers.floor == 2 && numbers.exceptions.isEmpty && numbers.unknownBelow == 1)
    }
}
