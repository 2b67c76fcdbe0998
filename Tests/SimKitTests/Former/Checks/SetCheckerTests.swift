import SimKit
import Testing
import WatchProto
import WatchProtoRecords

/// Whole sets against hand-made sights: in the end the receiver shows what the sender holds.
@Suite struct SetCheckerTests {
    private let key = RecordKey(rawValue: 1)

    private func id(_ number: UInt64) -> RecordID {
        RecordID(
            epoch: EpochID(rawValue: 0xE1), lane: .context, number: RecordNumber(number))
    }

    private func draft(_ number: UInt64, isRemoval: Bool = false) -> RecordDraft {
        RecordDraft(
            lane: .context, kind: isRemoval ? .medicationRemoval : .opaque, key: key,
            payload: isRemoval ? [] : [UInt8(number), 2, 3])
    }

    private func value(_ draft: RecordDraft) -> UInt64 {
        draft.kind.isRemoval ? 0 : ContentHash.of(draft.payload)
    }

    /// Accepted, and on the sender's disk.
    private func accepted(_ number: UInt64, isRemoval: Bool = false) -> [(Int, Sight)] {
        let draft = draft(number, isRemoval: isRemoval)
        return [
            (0, .accepted(id(number), draft)),
            (0, .committed(.own(.context, key, value: value(draft)))),
            (0, .committed(.queued(id(number)))), (0, .event(.progress(id(number), .queued))),
        ]
    }

    private func given(
        _ number: UInt64, isRemoval: Bool = false, _ word: Disposition = .applied
    ) -> [(Int, Sight)] {
        let draft = draft(number, isRemoval: isRemoval)
        let record = InboundRecord(
            id: id(number), kind: draft.kind, key: key, payload: draft.payload)
        let told: (Int, Sight) = (1, .delivered(record, word))
        switch word {
        case .applied: return [told, effect(number, value(draft))]
        case .rejected(let code):
            return [
                told, (1, .committed(.refusal(id(number), code: code))),
                (0, .event(.settled(id(number), .rejected(code: code)))),
            ]
        case .pending:
            return [told, (1, .committed(.noted(id(number), key, value: value(draft))))]
        }
    }

    private func effect(_ number: UInt64, _ value: UInt64) -> (Int, Sight) {
        (1, .committed(.effect(id(number), key, value: value)))
    }

    /// What this checker says; these stories leave out how the sender hears of an end.
    private func judged(_ story: [(Int, Sight)]) -> [String] {
        found(story).filter { $0 == "whole-set" }
    }

    @Test func what_was_removed_is_gone_and_nothing_else_is() {
        let removal = accepted(2, isRemoval: true)
        let story = accepted(1) + given(1) + removal
        #expect(judged(story + given(2, isRemoval: true) + [quietEnd]) == [])
        // The application says that it has removed the value, and goes on showing it.
        let kept = given(2, isRemoval: true).dropLast() + [effect(2, value(draft(1)))]
        #expect(judged(story + kept + [quietEnd]) == ["whole-set"])
        // A value is gone that nobody removed.
        let refused = accepted(1) + given(1).dropLast() + [effect(1, 0), quietEnd]
        #expect(judged(refused) == ["whole-set"])
    }

    @Test func an_older_value_that_is_decided_on_late_is_not_shown() {
        let story = accepted(1) + given(1, .pending) + accepted(2) + given(2)
        #expect(judged(story + [effect(1, value(draft(1))), quietEnd]) == [])
        #expect(judged(story + [(1, .decided(id(1), .rejected(code: 7))), quietEnd]) == [])
    }

    @Test func what_was_refused_or_taken_back_leaves_it_open_until_the_next_value() {
        let refused = accepted(1) + given(1) + accepted(2) + given(2, .rejected(code: 3))
        #expect(judged(refused + [quietEnd]) == [])
        let next = accepted(3) + given(3).dropLast()
        #expect(judged(refused + next + [effect(3, value(draft(3))), quietEnd]) == [])
        #expect(judged(refused + next + [effect(3, 5), quietEnd]) == ["whole-set"])
        let cancelled: [(Int, Sight)] = [
            (0, .cancelAsked(id(2))), (0, .event(.settled(id(2), .cancelled))),
        ]
        #expect(judged(accepted(1) + given(1) + accepted(2) + cancelled + [quietEnd]) == [])
    }

    /// The end of a record that the backup holds is told anew, after what made it so was forgotten.
    /// (Seeds 174604, 325818 and 377325.)
    @Test(arguments: [Outcome.cancelled, .expired, .rejected(code: 7), .superseded])
    func a_restored_sender_that_is_told_how_its_newest_value_ended_leaves_it_open(end: Outcome) {
        let backup: [(Int, Sight)] = accepted(1) + [(0, .backedUp)]
        let since = accepted(2, isRemoval: true) + given(2, isRemoval: true)
        let story = backup + since + [(0, .restored)]
        #expect(judged(story + [quietEnd]) == ["whole-set"])
        let told: [(Int, Sight)] = [(0, .event(.settled(id(1), end)))]
        #expect(judged(story + told + [quietEnd]) == (end == .superseded ? ["whole-set"] : []))
        #expect(judged(story + accepted(3) + told + [quietEnd]) == ["whole-set"])
    }

    /// The receiver was wiped, so that it was given the value of the restored sender as its newest,
    /// although it had been given it before. (Seeds 68815, 69773, 91575, 102349, 113028, 115884,
    /// 122134 and 126111.)
    @Test func a_value_given_again_after_a_wipe_is_the_newest() {
        let before = accepted(1) + [(0, .backedUp)] + given(1)
        let wiped = [(1, Sight.wiped)] + accepted(2) + given(2) + [(0, Sight.restored)]
        let last = given(1).dropLast()
        #expect(judged(before + wiped + last + [effect(1, value(draft(1))), quietEnd]) == [])
        #expect(judged(before + wiped + last + [effect(1, 5), quietEnd]) == ["whole-set"])
        #expect(judged(before + wiped + [quietEnd]) == ["whole-set"])
    }

    /// A newer value came first, an older one after the receiver's crash had undone that, and the
    /// newer one once more: it is the newest again. (Seed 306329, sealed.)
    @Test func a_value_given_again_after_a_crash_is_the_newest() {
        let undone = Array(given(2, isRemoval: true).prefix(1))
        let crash: [(Int, Sight)] = [(1, .crashed), (1, .started)]
        let story = accepted(1) + accepted(2, isRemoval: true) + undone + crash + given(1)
        #expect(judged(story + given(2, isRemoval: true) + [quietEnd]) == [])
        #expect(judged(story + [quietEnd]) == ["whole-set"])
        // What the disk held before the crash keeps its place.
        let late = accepted(1) + given(1, .pending) + accepted(2) + given(2) + crash
        #expect(judged(late + [effect(1, value(draft(1))), quietEnd]) == [])
    }

    /// What was handed back is what the sender holds, no longer its own newest record. (Seeds
    /// 36512, 106348 and 132059.)
    @Test func what_was_handed_back_and_is_refused_leaves_it_open() {
        let handedBack: [(Int, Sight)] = [
            (0, .restored),
            (0, .event(.handedBack(.context, key, .opaque, payload: draft(2).payload))),
            (0, .committed(.own(.context, key, value: value(draft(2))))),
        ]
        let story =
            accepted(1) + given(1) + [(0, .backedUp)] + accepted(2) + given(2, .pending)
            + handedBack
        #expect(judged(story + [(1, .decided(id(2), .rejected(code: 7))), quietEnd]) == [])
        #expect(judged(story + [effect(2, value(draft(2))), quietEnd]) == [])
        #expect(judged(story + [quietEnd]) == ["whole-set"])
    }

    @Test func a_journal_that_is_misread_is_found() {
        #expect(found([(1, .misread("2 entries come back as 1"))]) == ["reread"])
    }
}
