import Simulation
import Testing
import WatchProtoCore
import WatchProtoRecords

/// Convergence against hand-made observations: in the end the receiver shows what the sender holds,
/// and the sender holds nothing older than its disk had.
@Suite struct ConvergenceCheckerTests {
    private let key = RecordKey(rawValue: 1)

    private func id(_ number: UInt64) -> RecordID {
        // Greater numbers are of an earlier opening.
        let epoch = EpochID(rawValue: number < 100 ? 0xE1 : 0xE0)
        return RecordID(epoch: epoch, channel: .context, number: RecordNumber(number))
    }

    private func draft(_ number: UInt64, isRemoval: Bool = false) -> RecordDraft {
        RecordDraft(
            channel: .context, kind: isRemoval ? .medicationRemoval : .opaque, key: key,
            payload: isRemoval ? [] : [UInt8(number), 2, 3])
    }

    private func value(_ draft: RecordDraft) -> UInt64 {
        draft.kind.isRemoval ? 0 : ContentHash.of(draft.payload)
    }

    /// Accepted, and on the sender's disk.
    private func accepted(_ number: UInt64, isRemoval: Bool = false) -> [(Int, RunObservation)] {
        [
            (0, .accepted(id(number), draft(number, isRemoval: isRemoval))),
            (0, .committed(.queued(id(number)))), (0, .event(.progress(id(number), .queued))),
        ]
    }

    private func given(
        _ number: UInt64, isRemoval: Bool = false, _ word: Disposition = .applied
    ) -> [(Int, RunObservation)] {
        let draft = draft(number, isRemoval: isRemoval)
        let record = InboundRecord(
            id: id(number), kind: draft.kind, key: key, payload: draft.payload)
        let told: (Int, RunObservation) = (1, .delivered(record, word))
        switch word {
        case .applied: return [told, effect(number, value(draft))]
        case .rejected(let code):
            return [told, (1, .committed(.refusal(id(number), code: code)))]
        case .pending:
            return [told, (1, .committed(.noted(id(number), key, value: value(draft))))]
        }
    }

    private func effect(_ number: UInt64, _ value: UInt64) -> (Int, RunObservation) {
        (1, .committed(.effect(id(number), key, value: value)))
    }

    /// The end, in which the sender's peer holds a record, or a removal.
    private func end(holding number: UInt64, isRemoval: Bool = false) -> [(Int, RunObservation)] {
        let value = value(draft(number, isRemoval: isRemoval))
        return [(0, .holds(.context, key, id(number), value: value)), quietEnd]
    }

    /// The findings of this checker; these stories leave out how the sender hears of an end.
    private func evaluated(_ story: [(Int, RunObservation)]) -> [String] {
        found(story).filter { $0 == "convergence" }
    }

    @Test func what_was_removed_is_gone_and_nothing_else_is() {
        let story = accepted(1) + given(1) + accepted(2, isRemoval: true)
        let removed = end(holding: 2, isRemoval: true)
        #expect(evaluated(story + given(2, isRemoval: true) + removed) == [])
        // The application says that it has removed the value, and goes on showing it.
        let kept = given(2, isRemoval: true).dropLast() + [effect(2, value(draft(1)))]
        #expect(evaluated(story + kept + removed) == ["convergence"])
        // A value is gone that nobody removed.
        let gone = accepted(1) + given(1).dropLast() + [effect(1, 0)]
        #expect(evaluated(gone + end(holding: 1)) == ["convergence"])
    }

    @Test func an_older_value_that_is_decided_on_late_is_not_shown() {
        let story = accepted(1) + given(1, .pending) + accepted(2) + given(2)
        #expect(evaluated(story + [effect(1, value(draft(1)))] + end(holding: 2)) == [])
        let refused: [(Int, RunObservation)] = [(1, .decided(id(1), .rejected(code: 7)))]
        #expect(evaluated(story + refused + end(holding: 2)) == [])
    }

    @Test func what_was_refused_or_cancelled_leaves_the_key_open_until_the_next_value() {
        let refused = accepted(1) + given(1) + accepted(2) + given(2, .rejected(code: 3))
        #expect(evaluated(refused + end(holding: 2)) == [])
        let next = accepted(3) + given(3)
        #expect(evaluated(refused + next + end(holding: 3)) == [])
        #expect(
            evaluated(refused + next.dropLast() + [effect(3, 5)] + end(holding: 3))
                == ["convergence"])
        let cancelled: [(Int, RunObservation)] = [
            (0, .cancelAsked(id(2))), (0, .event(.settled(id(2), .cancelled))),
        ]
        #expect(evaluated(accepted(1) + given(1) + accepted(2) + cancelled + end(holding: 2)) == [])
        // After a comparison the value before it may be the newest again, and no older one.
        let story = accepted(1) + given(1) + accepted(2) + cancelled
        #expect(evaluated(story + end(holding: 1)) == [])
        #expect(evaluated(accepted(3) + story + given(3) + end(holding: 3)) == ["convergence"])
        #expect(
            evaluated(accepted(1) + given(1) + accepted(2) + end(holding: 2)) == ["convergence"])
    }

    @Test func a_sender_that_goes_back_behind_its_disk_is_found() {
        let story = accepted(1) + given(1) + accepted(2) + given(2)
        #expect(evaluated(story + given(1) + end(holding: 1)) == ["convergence"])
        #expect(evaluated(story + end(holding: 9)) == ["convergence"], "nobody ever gave that")
        // A restored disk holds the older value, and its newer one may be gone on both sides.
        let restored: [(Int, RunObservation)] = [(0, .crashed), (0, .restored), (0, .started)]
        let backedUp = accepted(1) + [(0, RunObservation.backedUp)] + given(1) + accepted(2)
        #expect(evaluated(backedUp + restored + end(holding: 1)) == [])
        #expect(evaluated(backedUp + given(2) + restored + end(holding: 1)) == ["convergence"])
        #expect(evaluated(backedUp + given(2) + restored + end(holding: 2)) == [])
    }

    /// The sender went back, was copied, mended its opening, and went back to the copy; the
    /// receiver has not taken the mended value. (Seeds 373245 and 386457.)
    @Test func a_copy_from_before_its_values_were_mended_gives_way() {
        let wiped: [(Int, RunObservation)] = [(0, .crashed), (0, .wiped), (0, .started)]
        let restored: [(Int, RunObservation)] = [(0, .crashed), (0, .restored), (0, .started)]
        let copied =
            accepted(100) + given(100) + wiped + accepted(2) + [(0, RunObservation.backedUp)]
        let mended: [(Int, RunObservation)] = [(0, .event(.renumbered(id(3), as: id(9))))]
        #expect(evaluated(copied + mended + restored + end(holding: 100)) == [])
        #expect(evaluated(copied + restored + end(holding: 100)) == ["convergence"])
        #expect(evaluated(copied + mended + end(holding: 100)) == ["convergence"])
        let late =
            accepted(100) + given(100) + wiped + accepted(2) + mended + [
                (0, RunObservation.backedUp)
            ]
        #expect(evaluated(late + restored + end(holding: 100)) == ["convergence"])
        let taken = mended + given(2)
        #expect(evaluated(copied + taken + restored + end(holding: 100)) == ["convergence"])
    }

    /// The sender's disk went back behind the refusal, the receiver's did not. (Seed 3008250.)
    @Test func a_refusal_that_only_the_receiver_remembers_is_one() {
        let backedUp = accepted(1) + given(1) + accepted(2) + [(0, RunObservation.backedUp)]
        let restored: [(Int, RunObservation)] = [(0, .crashed), (0, .restored), (0, .started)]
        let refused = given(2, .rejected(code: 3))
        #expect(evaluated(backedUp + refused + restored + end(holding: 1)) == [])
        #expect(evaluated(backedUp + restored + end(holding: 1)) == ["convergence"])
        let forgotten: [(Int, RunObservation)] = [(1, .crashed), (1, .wiped), (1, .started)]
        let again = refused + restored + forgotten + given(1) + end(holding: 1)
        #expect(evaluated(backedUp + again) == ["convergence"])
    }

    /// A newer value came first, an older one after the receiver's crash had undone that, and the
    /// newer one once more: it is the newest again. (Former sealed seed 306329.)
    @Test func a_value_given_again_after_a_crash_is_the_newest() {
        let undone = Array(given(2, isRemoval: true).prefix(1))
        let crash: [(Int, RunObservation)] = [(1, .crashed), (1, .started)]
        let story = accepted(1) + accepted(2, isRemoval: true) + undone + crash + given(1)
        let removed = end(holding: 2, isRemoval: true)
        #expect(evaluated(story + given(2, isRemoval: true) + removed) == [])
        #expect(evaluated(story + removed) == ["convergence"])
        // A record that the disk held before the crash keeps its place.
        let late = accepted(1) + given(1, .pending) + accepted(2) + given(2) + crash
        #expect(evaluated(late + [effect(1, value(draft(1)))] + end(holding: 2)) == [])
    }

    /// Both disks went back: the receiver holds a value of which the sender's disk knows nothing,
    /// and its watermark says that it was removed. (Seeds 3032331 and 101629.)
    @Test func a_peer_removes_by_itself_what_its_disk_knows_nothing_of() {
        let removal = given(9, isRemoval: true)
        let story = accepted(1) + given(1)
        let restored: [(Int, RunObservation)] = [(0, .crashed), (0, .restored), (0, .started)]
        #expect(
            !found(story + restored + removal).contains { ["bytes", "last-writer"].contains($0) })
        #expect(found(story + removal).contains("bytes"))
        let backedUp = accepted(1) + [(0, RunObservation.backedUp)] + given(1)
        #expect(found(backedUp + restored + removal).contains("bytes"))
        let removed = accepted(2, isRemoval: true) + story + [(0, RunObservation.backedUp)]
        #expect(found(removed + restored + removal).contains("last-writer"))
        #expect(!found(removed.dropLast() + restored + removal).contains("last-writer"))
    }

    /// A crash took the value, and the receiver went back behind its refusal. (Seed 3051559.)
    @Test func a_peer_removes_by_itself_what_its_process_took_along() {
        let removal = given(9, isRemoval: true)
        let lost = accepted(1).prefix(1) + given(1, .pending)
        let crash: [(Int, RunObservation)] = [(0, .crashed), (0, .started)]
        #expect(!found(lost + crash + removal).contains("bytes"))
        #expect(found(lost + removal).contains("bytes"), "nothing was lost yet")
        #expect(found(crash + removal).contains("bytes"), "nobody ever gave a value")
        #expect(found(accepted(1) + given(1) + crash + removal).contains("bytes"))
    }

    /// The sender renewed a value for a receiver that went back, the application refused it, and
    /// the sender went back behind that. (Seed 3077316.)
    @Test func a_refusal_alone_removes_a_key_where_both_went_back() {
        let removal = accepted(2, isRemoval: true) + given(2, isRemoval: true)
        let backedUp = removal + [(1, RunObservation.backedUp)] + accepted(1) + [(0, .backedUp)]
        let refused = given(1, .rejected(code: 7))
        let gone = [0, 1].map { side -> [(Int, RunObservation)] in
            [(side, .crashed), (side, .restored), (side, .started)]
        }
        let removed: [(Int, RunObservation)] = [
            (0, .holds(.context, key, nil, value: 0)), quietEnd,
        ]
        #expect(evaluated(backedUp + gone[1] + refused + gone[0] + removed) == [])
        #expect(evaluated(backedUp + gone[1] + gone[0] + removed) == ["convergence"])
    }

    /// A wiped sender replaced a value that had not left by another one, cancelled that, and
    /// adopted what the receiver holds. (Seed 127793.)
    @Test func a_value_that_gave_way_to_a_cancelled_one_does_not_come_back() {
        let wiped: [(Int, RunObservation)] = [(0, .crashed), (0, .wiped), (0, .started)]
        let story = accepted(1) + given(1) + wiped + accepted(2) + accepted(3)
        let replaced: [(Int, RunObservation)] = [(0, .event(.settled(id(2), .superseded)))]
        let cancelled: [(Int, RunObservation)] = [(0, .event(.settled(id(3), .cancelled)))]
        #expect(evaluated(story + replaced + cancelled + end(holding: 1)) == [])
        #expect(evaluated(story + replaced + end(holding: 1)) == ["convergence"])
        #expect(evaluated(story + cancelled + end(holding: 1)) == ["convergence"])
    }

    /// The sender went back and lost a value that was refused. It adopted the one before it, or
    /// gave that a new name. Then the receiver went back behind the refusal. (Seed 3139886.)
    @Test func a_value_before_a_refused_one_is_the_newest_again() {
        let backedUp = accepted(1) + given(1) + [(0, RunObservation.backedUp)] + accepted(2)
        let pending = backedUp + given(2, .pending) + [(1, RunObservation.backedUp)]
        let refused: [(Int, RunObservation)] = [
            (1, .decided(id(2), .rejected(code: 7))), (1, .committed(.refusal(id(2), code: 7))),
        ]
        let gone = [0, 1].map { side -> [(Int, RunObservation)] in
            [(side, .crashed), (side, .restored), (side, .started)]
        }
        let value = draft(1)
        let record = InboundRecord(
            id: id(3), kind: value.kind, key: key, payload: value.payload)
        let again: [(Int, RunObservation)] = [(1, .delivered(record, .applied))]
        let renewed: [(Int, RunObservation)] = [
            (0, .renewed(id(3), key, value: Payloads.fingerprint(value.kind, value.payload)))
        ]
        let story = pending + refused + gone[0] + renewed
        #expect(!found(story + gone[1] + again).contains("last-writer"))
        let lost = pending + refused + gone[0]
        #expect(found(lost + gone[1] + again).contains("last-writer"), "nothing was renewed")
        // Renewed while the receiver shows the newer one, or while the sender has it.
        let early = found(pending + gone[0] + renewed + again)
        #expect(!Set(early).isDisjoint(with: ["last-writer", "nothing-twice"]))
        let held = pending + refused + renewed
        #expect(found(held + gone[1] + again).contains("last-writer"))
    }

    @Test func a_journal_that_is_misread_is_found() {
        #expect(found([(1, .misread("2 entries come back as 1"))]) == ["reread"])
    }
}
