import Simulation
import Testing
import WatchProtoCore

/// A record is accounted for by what its sender was told, and by nothing else.
@Suite struct AccountTests {
    private let key = RecordKey(rawValue: 1)
    private let expiry = WallTime(milliseconds: 5_000)

    private func id(_ number: UInt64, _ channel: Channel = .background) -> RecordID {
        RecordID(epoch: EpochID(rawValue: 0xE1), channel: channel, number: RecordNumber(number))
    }

    private func accepted(
        _ number: UInt64, _ channel: Channel = .background, expiresAt: WallTime? = nil
    ) -> (Int, RunObservation) {
        let draft = RecordDraft(
            channel: channel, kind: .opaque, key: channel.traits.order == .ordered ? nil : key,
            payload: [UInt8(number), 2, 3], expiresAt: expiresAt)
        return (0, .accepted(id(number, channel), draft))
    }

    private func promised(_ number: UInt64, _ channel: Channel = .background) -> (
        Int, RunObservation
    ) {
        (0, .event(.progress(id(number, channel), .queued)))
    }

    private func told(
        _ number: UInt64, _ outcome: Outcome, _ channel: Channel = .background
    ) -> (Int, RunObservation) {
        (0, .event(.settled(id(number, channel), outcome)))
    }

    private func answered(_ number: UInt64, _ status: RecordStatus) -> (Int, RunObservation) {
        (0, .answered(id(number), status))
    }

    private func clock(_ milliseconds: Int64) -> (Int, RunObservation) {
        (0, .wallClock(WallTime(milliseconds: milliseconds)))
    }

    private let crash: [(Int, RunObservation)] = [(0, .crashed), (0, .started)]

    @Test func an_expiry_alone_excuses_nothing() {
        let start = [clock(6_000), accepted(1, expiresAt: expiry), promised(1)]
        #expect(found(start + [quietEnd]) == ["nothing-lost"])
        #expect(found(start + crash + [answered(1, .unknown)]) == ["nothing-lost"])
        #expect(found(start + [told(1, .expired), quietEnd]) == [])
        #expect(found(start + crash + [answered(1, .settled(.expired)), quietEnd]) == [])
    }

    @Test func what_expired_before_its_time_is_found_in_an_answer_too() {
        let early = [clock(4_999), accepted(1, expiresAt: expiry), promised(1)]
        #expect(found(early + [answered(1, .settled(.expired)), quietEnd]) == ["status"])
    }

    @Test func that_it_was_asked_back_alone_excuses_nothing() {
        let start = [accepted(1), promised(1), (0, .cancelAsked(id(1)))]
        #expect(found(start + [quietEnd]) == ["nothing-lost"])
        #expect(found(start + crash + [answered(1, .unknown)]) == ["nothing-lost"])
        #expect(found(start + [told(1, .cancelled), quietEnd]) == [])
        #expect(found(start + crash + [answered(1, .settled(.cancelled)), quietEnd]) == [])
        let unasked = [accepted(1), promised(1), answered(1, .settled(.cancelled)), quietEnd]
        #expect(found(unasked) == ["status"])
    }

    @Test func a_successor_alone_excuses_nothing() {
        let start = [
            accepted(1, .context), promised(1, .context), accepted(2, .context),
            promised(2, .context), (0, .committed(.queued(id(2, .context)))),
        ]
        let second: [(Int, RunObservation)] = [
            (0, .cancelAsked(id(2, .context))), told(2, .cancelled, .context),
        ]
        #expect(found(start + second + [quietEnd]) == ["nothing-lost"])
        #expect(found(start + second + [told(1, .superseded, .context), quietEnd]) == [])
    }

    @Test func an_effect_of_which_the_sender_knows_nothing_is_found() {
        let record = InboundRecord(id: id(1), kind: .opaque, key: nil, payload: [1, 2, 3])
        let given: [(Int, RunObservation)] = [
            accepted(1), promised(1), (1, .delivered(record, .applied)),
            (1, .committed(.effect(id(1), nil, value: ContentHash.of([1, 2, 3])))),
        ]
        #expect(found(given + [quietEnd]) == ["nothing-lost"])
        #expect(
            found(given + [told(1, .applied)] + crash + [quietEnd]) == [], "told before the crash")
        #expect(found(given + crash + [answered(1, .settled(.applied)), quietEnd]) == [])
        let other = crash + [answered(1, .settled(.applied)), told(1, .unknown)]
        #expect(found(given + other) == ["stages", "status"])
    }

    @Test func an_answer_of_applied_needs_an_effect() {
        let start = [accepted(1), promised(1)] + crash
        #expect(
            found(start + [answered(1, .settled(.applied)), quietEnd]) == [
                "status", "nothing-lost",
            ])
    }

    /// Its process ended before it heard of the other name. (Seed 2194587.)
    @Test func a_value_whose_disk_holds_it_under_another_name_is_superseded() {
        let start = [accepted(1, .context), promised(1, .context)] + crash
        let asked: (Int, RunObservation) = (0, .answered(id(1, .context), .settled(.superseded)))
        func renamed(_ key: RecordKey) -> (Int, RunObservation) {
            (0, .renewed(id(9, .context), key, value: 0))
        }
        let kept: (Int, RunObservation) = (0, .committed(.queued(id(9, .context))))
        #expect(found(start + [renamed(key), kept, asked, quietEnd]) == [])
        #expect(found(start + [asked, quietEnd]) == ["status"])
        #expect(found(start + [renamed(key), asked, quietEnd]) == ["status"], "it was not kept")
        let another = renamed(RecordKey(rawValue: 6))
        #expect(found(start + [another, kept, asked, quietEnd]) == ["status"])
        // A value that was accepted meanwhile has not been replaced.
        let next = start + [renamed(key), accepted(2, .context), promised(2, .context), kept]
        let claim: (Int, RunObservation) = (0, .answered(id(2, .context), .settled(.superseded)))
        #expect(found(next + crash + [claim, quietEnd]).contains("status"))
    }

    @Test func what_is_accepted_and_never_heard_of_is_found() {
        #expect(found([accepted(1), quietEnd]) == ["nothing-lost"])
        #expect(found([accepted(1)] + crash + [quietEnd]) == [], "it went with its process")
        #expect(found([accepted(1, .interactive), quietEnd]) == ["nothing-lost"])
        #expect(found([accepted(1, .interactive)] + crash + [quietEnd]) == [])
        #expect(
            found([accepted(1, .interactive), told(1, .notDelivered, .interactive), quietEnd]) == []
        )
    }

    @Test func a_sender_that_was_wiped_owes_nothing_and_one_whose_counterpart_was_does() {
        let start = [accepted(1), promised(1)]
        #expect(found(start + [(0, .crashed), (0, .wiped), (0, .started), quietEnd]) == [])
        let there: [(Int, RunObservation)] = [(1, .crashed), (1, .wiped), (1, .started)]
        #expect(found(start + there + [quietEnd]) == ["nothing-lost"])
        let back: [(Int, RunObservation)] = [
            (0, .backedUp), (0, .crashed), (0, .restored), (0, .started),
        ]
        #expect(found(start + back + [quietEnd]) == [], "the copy did not hold the record")
        let queued: [(Int, RunObservation)] = [(0, .committed(.queued(id(1))))]
        #expect(found(start + queued + back + [quietEnd]) == ["nothing-lost"])
    }

    @Test func a_counterparts_loss_leaves_no_outcome_unknown() {
        let there: [(Int, RunObservation)] = [(1, .crashed), (1, .wiped), (1, .started)]
        let queued = [accepted(1), promised(1)] + there
        #expect(found(queued + [told(1, .unknown), quietEnd]) == ["status"], "it never left")
        #expect(found(queued + crash + [answered(1, .settled(.unknown)), quietEnd]) == ["status"])
        let record = InboundRecord(id: id(1), kind: .opaque, key: nil, payload: [1, 2, 3])
        let left: [(Int, RunObservation)] = [
            accepted(1), promised(1), (0, .event(.progress(id(1), .sent))),
            (1, .delivered(record, .applied)),
            (1, .committed(.effect(id(1), nil, value: ContentHash.of([1, 2, 3])))),
        ]
        #expect(found(left + there + [told(1, .unknown), quietEnd]) == ["status"], "offered again")
    }

    @Test func an_outcome_is_unknown_only_to_a_sender_that_went_back() {
        let start = [accepted(1), promised(1), (0, .cancelAsked(id(1))), (0, .backedUp)]
        let back: [(Int, RunObservation)] = [(0, .crashed), (0, .restored), (0, .started)]
        let ended = start + [told(1, .cancelled)]
        #expect(found(ended + back + [told(1, .unknown), quietEnd]) == [])
        #expect(found(ended + back + back + [told(1, .unknown), quietEnd]) == [], "twice back")
        #expect(found(start + crash + [told(1, .unknown), quietEnd]) == ["status"])
        let answered = start + crash + [answered(1, .settled(.cancelled))] + back
        #expect(found(answered + [told(1, .unknown), quietEnd]) == [])
    }
}
