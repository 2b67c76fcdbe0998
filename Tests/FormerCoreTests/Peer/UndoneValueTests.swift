import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// A value of the face leaves before its commit, so that a crash can undo it here while the
/// counterpart shows it.
@Suite struct UndoneValueTests {
    private func face(_ text: String) -> RecordDraft {
        RecordDraft(
            lane: .complication, kind: .complication, key: RecordKey(rawValue: 1),
            payload: Array(text.utf8))
    }

    private func send(_ text: String, _ box: PairInABox) throws {
        _ = try box.phone.peer.send(face(text), at: box.now)
        box.phone.drain(at: box.now)
        box.carry(from: box.phone, to: box.watch)
    }

    /// As an application shows its state: what equals the last one makes no record.
    private func say(_ text: String, _ box: PairInABox) throws -> ComplicationUpdate {
        let update = try box.phone.peer.updateComplication(
            RecordKey(rawValue: 1), Array(text.utf8), at: box.now)
        box.phone.drain(at: box.now)
        return update
    }

    private func handedBack(_ box: PairInABox) -> [[UInt8]] {
        box.phone.host.events.compactMap { event in
            if case .handedBack(_, _, _, let payload) = event { payload } else { nil }
        }
    }

    /// What the counterpart shows looks like a value that never arrived; the one after that has
    /// arrived, but a gap keeps the greeting from saying so. (Seeds 157458 and 214547.)
    @Test func a_value_undone_that_equals_an_older_one_is_handed_back() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.loses = { _ in true }
        try send("A", box)
        box.loses = { _ in false }
        try send("B", box)
        box.phone.commitsAtOnce = false
        try send("A", box)
        #expect(box.watch.host.delivered.map { $0.payload } == [[0x42], [0x41]])

        box.restart(.phone, epoch: 0x3333)
        let outbox = Outbox(
            limits: Limits(), freshEpoch: EpochID(rawValue: 0x3333), image: box.phone.host.image)
        var shown = SetDigest()
        shown.insert(RecordKey(rawValue: 1), .complication, [0x41])
        let digest = shown.rawValue
        let met = outbox.explanation(
            .complication, digest, known: [EpochID(rawValue: 0x1111)])
        #expect(met.isFound && met.isDoubtful)
        let unmet = outbox.explanation(.complication, digest, known: [])
        #expect(unmet.isFound && !unmet.isDoubtful, "it cannot have arrived: nothing is asked")

        box.connect()
        box.advance(by: .seconds(5))
        #expect(handedBack(box) == [[0x41]])
        #expect(box.phone.outstanding.isEmpty)
        #expect(box.watch.host.delivered.map { $0.payload } == [[0x42], [0x41]])
    }

    /// After the crash the application says the older one, which its journal knows, again: that is
    /// the newest now, although no record is made of it. (Seeds 284888 and 355248.)
    @Test(arguments: [false, true]) func an_older_value_said_again_after_the_crash_stays(
        wasSettled: Bool
    ) throws {
        let box = PairInABox()
        box.connect()
        _ = try say("A", box)
        if !wasSettled { box.carry(from: box.phone, to: box.watch) }
        if wasSettled { box.settle() }
        let image = box.phone.host.image
        box.settle()
        _ = try say("B", box)
        box.settle()
        #expect(box.watch.host.delivered.map { $0.payload } == [[0x41], [0x42]])
        box.restart(.phone, epoch: 0x3333, on: image)
        let again = try say("A", box)
        #expect(again == .equal)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.map { $0.payload } == [[0x41], [0x42], [0x41]])
        #expect(handedBack(box) == [] && box.phone.outstanding.isEmpty)
    }

    /// What was said again is refused in the end: the value before it was not said again.
    @Test func a_value_said_again_and_refused_says_nothing_of_the_one_before() throws {
        let box = PairInABox()
        box.watch.host.disposition = { $0.payload == [0x42] ? .rejected(code: 1) : .applied }
        box.connect()
        _ = try say("A", box)
        box.settle()
        // Nothing comes back any more, so that B stays open; a crash undoes C.
        box.arrivals = { role, bytes in role == .watch ? [] : [bytes] }
        _ = try box.phone.send(face("B"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.phone.commitsAtOnce = false
        _ = try box.phone.send(face("C"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.delivered.map { $0.payload } == [[0x41], [0x42], [0x43]])
        box.arrivals = { [$1] }
        box.restart(.phone, epoch: 0x3333)
        let again = try say("B", box)
        #expect(again == .equal)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(handedBack(box) == [[0x43]])
        #expect(box.watch.host.delivered.count == 3)
    }
}
