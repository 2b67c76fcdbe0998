import SimKit
import Testing
import WatchProto

/// A receiver that lost its disk is forgiven what its sender had heard the end of, and nothing
/// else: all other records their sender still has, and is to deliver again.
@Suite struct ForgivenTests {
    private let id = RecordID(
        epoch: EpochID(rawValue: 0xE1), lane: .background, number: RecordNumber(1))

    /// Accepted, given and applied, so that both disks know.
    private var applied: [(Int, Sight)] {
        let draft = RecordDraft(lane: .background, kind: .opaque, payload: [1])
        let record = InboundRecord(id: id, kind: .opaque, key: nil, payload: [1])
        return [
            (0, .accepted(id, draft)), (0, .committed(.queued(id))),
            (0, .event(.progress(id, .queued))), (1, .delivered(record, .applied)),
            (1, .committed(.effect(id, nil, value: 1))),
            (0, .event(.progress(id, .committed))),
        ]
    }

    private let wiped: [(Int, Sight)] = [(1, .crashed), (1, .wiped), (1, .started)]

    private func told(life: Int?) -> [(Int, Sight)] {
        [
            (0, .heard(id, life: life)), (0, .event(.progress(id, .applied))),
            (0, .committed(.heard(id, life: life))), (0, .event(.settled(id, .applied))),
        ]
    }

    @Test func what_the_sender_had_heard_is_forgiven() {
        #expect(found(applied + told(life: 1) + wiped + [quietEnd]) == [])
    }

    /// A receipt that left before the disk was lost, and came afterwards.
    @Test func so_is_what_was_on_its_way() {
        #expect(found(applied + wiped + told(life: 1) + [quietEnd]) == [])
    }

    /// The sender's application is told only when its own journal holds the record. (Seed 157505;
    /// and 52271, of a record that was known by its idempotency key.)
    @Test func so_is_what_was_heard_before_and_told_afterwards() {
        #expect(found(applied + wiped + told(life: nil) + [quietEnd]) == [])
    }

    @Test func what_the_life_after_it_cannot_know_is_not() {
        #expect(found(applied + wiped + told(life: 2)) == ["nothing-lost"])
    }

    /// A backup that still holds the effect lost nothing.
    @Test func a_restored_receiver_that_holds_the_effect_has_lost_nothing() {
        let restored: [(Int, Sight)] = [(1, .crashed), (1, .restored), (1, .started)]
        #expect(found(applied + [(1, .backedUp)] + restored + told(life: 2) + [quietEnd]) == [])
        #expect(found([(1, .backedUp)] + applied + restored + told(life: 2)) == ["nothing-lost"])
    }

    /// What was taken back comes to a restored receiver in early data that somebody sent again: it
    /// has forgotten both, the record's end and the flight. (Seed 400862, sealed.)
    @Test func what_was_taken_back_may_come_again_early_to_a_restored_receiver() {
        let draft = RecordDraft(lane: .background, kind: .opaque, payload: [1])
        let record = InboundRecord(id: id, kind: .opaque, key: nil, payload: [1])
        let cancelled: [(Int, Sight)] = [
            (0, .accepted(id, draft)), (0, .committed(.queued(id))),
            (0, .event(.progress(id, .queued))), (0, .cancelAsked(id)),
            (0, .event(.settled(id, .cancelled))),
        ]
        let given: [(Int, Sight)] = [
            (1, .delivered(record, .applied)), (1, .committed(.effect(id, nil, value: 1))),
        ]
        let restored: [(Int, Sight)] = [(1, .crashed), (1, .restored), (1, .started)]
        let early: [(Int, Sight)] = [(1, .openedEarly(5, flight: 1))]
        func isUntrue(_ story: [(Int, Sight)]) -> Bool { found(story).contains("truth") }
        let again: [(Int, Sight)] = [(0, .event(.settled(id, .cancelled)))]
        #expect(!isUntrue(cancelled + restored + early + given + again))
        // The word was on its way when the receiver was restored. (Seed 571130, sealed.)
        let asked = Array(cancelled.dropLast())
        #expect(!isUntrue(asked + restored + again + early + given))
        #expect(isUntrue(Array(asked.dropLast()) + restored + again + early + given))
        #expect(isUntrue(cancelled + early + given), "nothing was forgotten")
        #expect(isUntrue(cancelled + restored + given), "it did not come early")
        #expect(isUntrue(cancelled + restored + early + [(1, .opened(6))] + given))
    }

    /// The sender's peer gave the value again to a receiver that had lost it; then the sender was
    /// restored to a backup in which the first is under way. (Seeds 9843 and 16042.)
    @Test(arguments: [false, true])
    func a_value_is_superseded_by_itself_sent_again(isAgain: Bool) {
        let key = RecordKey(rawValue: 1)
        let draft = RecordDraft(
            lane: .context, kind: .opaque, key: key, payload: [1, 2])
        func id(_ epoch: UInt64) -> RecordID {
            RecordID(
                epoch: EpochID(rawValue: epoch), lane: .context, number: RecordNumber(1))
        }
        func given(_ id: RecordID) -> [(Int, Sight)] {
            let record = InboundRecord(id: id, kind: .opaque, key: key, payload: [1, 2])
            let value = ContentHash.of([1, 2])
            return [
                (1, .delivered(record, .applied)), (1, .committed(.effect(id, key, value: value))),
            ]
        }
        let start: [(Int, Sight)] = [
            (0, .accepted(id(0xE1), draft)), (0, .committed(.queued(id(0xE1)))),
            (0, .event(.progress(id(0xE1), .queued))), (0, .backedUp),
        ]
        let back: [(Int, Sight)] = [(0, .crashed), (0, .restored), (0, .started)]
        let again = isAgain ? given(id(0xE2)) : []
        let end: [(Int, Sight)] = [(0, .event(.settled(id(0xE1), .superseded)))]
        let story = start + given(id(0xE1)) + wiped + again + back + end
        #expect(found(story).contains("truth") == !isAgain)
    }

    /// What the sender's process heard and its disk does not hold, a crash undoes.
    @Test func what_a_crash_of_the_sender_undid_was_not_heard() {
        let heard: [(Int, Sight)] = [(0, .heard(id, life: 1)), (0, .crashed), (0, .started)]
        #expect(found(applied + heard + wiped + told(life: 2)) == ["nothing-lost"])
    }
}
