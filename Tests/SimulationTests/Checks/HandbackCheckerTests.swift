import Simulation
import Testing
import WatchProtoCore

/// Lost tails, decisions and forged resets against hand-made observations.
@Suite struct HandbackCheckerTests {
    private let id = RecordID(
        epoch: EpochID(rawValue: 0xE1), channel: .background, number: RecordNumber(1))

    /// The watch holds a record that the phone's process had accepted before it died.
    private var lost: [(Int, RunObservation)] {
        let draft = RecordDraft(channel: .background, kind: .opaque, payload: [1])
        let record = InboundRecord(id: id, kind: .opaque, key: nil, payload: [1])
        return [
            (0, .accepted(id, draft)), (1, .delivered(record, .applied)),
            (1, .committed(.effect(id, nil, value: 1))), (0, .crashed), (0, .started),
        ]
    }

    @Test func a_tail_that_is_not_returned_is_found() {
        #expect(found(lost + [quietEnd]) == ["hand-back"])
        let tail = (0, RunObservation.tailWritten(id.epoch, .background, last: 1))
        let closed = (1, RunObservation.settledThere(id.epoch, nil, last: .max))
        #expect(found(lost + [tail, closed, quietEnd]).isEmpty)
        #expect(found(lost + [tail, quietEnd]) == ["hand-back"], "the epoch stays open")
    }

    @Test func a_record_that_its_sender_kept_and_hands_back_is_found() {
        let returned = (0, RunObservation.event(.tailLost(id.epoch, .background, 1...1)))
        let kept = (0, RunObservation.committed(.queued(id)))
        #expect(found([lost[0], kept, lost[1], lost[2], returned]).contains("hand-back"))
        #expect(!found(lost + [returned]).contains("hand-back"))
    }

    @Test func nobody_hands_back_what_both_settled_or_is_not_there() {
        let story = Array(lost.prefix(3)) + [(0, RunObservation.committed(.settled(id, .applied)))]
        let wiped: [(Int, RunObservation)] = [(0, .wiped), quietEnd]
        #expect(found(story + wiped) == ["hand-back"])
        for channel in [Channel.background, nil] {
            let there = (1, RunObservation.settledThere(id.epoch, channel, last: 1))
            #expect(found(story + [there] + wiped).isEmpty)
            // Neither disk holds it any more.
            let back: [(Int, RunObservation)] = [
                (1, .backedUp), there, (1, .crashed), (1, .restored),
            ]
            #expect(found(story + back + [(1, .started)] + wiped) == ["hand-back"])
        }
        #expect(found(lost + [(1, .wiped), quietEnd]).isEmpty)
    }

    @Test func a_forged_reset_that_ends_a_session_is_found() {
        #expect(found([(1, .resetForged(isInert: true))]).isEmpty)
        #expect(found([(1, .resetForged(isInert: false))]) == ["forged-reset"])
    }

    @Test func a_pending_record_that_its_peer_forgot_is_found() {
        #expect(found([(1, .undecidable(id))]) == ["decision"])
    }
}
