import Simulation
import Testing
import WatchProtoCore

/// Copies against hand-made sights: a device whose copy was heard counts no more.
@Suite struct CopyCheckerTests {
    private func id(_ number: UInt64) -> RecordID {
        RecordID(
            epoch: EpochID(rawValue: 0xE1), channel: .background, number: RecordNumber(number))
    }

    /// The phone's record is given to the watch of this moment, and its word settles it.
    private func heard(_ number: UInt64) -> [(Int, Sight)] {
        let record = InboundRecord(id: id(number), kind: .opaque, key: nil, payload: [1])
        return [
            (1, .delivered(record, .applied)), (0, .committed(.settled(id(number), .applied))),
        ]
    }

    private let restart: [(Int, Sight)] = [(1, .crashed), (1, .started)]
    private let exchange: [(Int, Sight)] = [(1, .crashed), (1, .exchanged), (1, .started)]

    private func judged(_ story: [(Int, Sight)]) -> Bool { found(story).contains("copies") }

    @Test func the_word_of_a_device_whose_copy_was_heard_is_found() {
        let first = [(1, Sight.backedUp)] + restart + heard(1)
        let second = first + exchange + heard(2)
        #expect(!judged(second), "it cannot be told from a restored device")
        #expect(judged(second + exchange + heard(3)))
        #expect(!judged(second + exchange), "it says nothing")
        #expect(!judged(second + exchange + exchange + heard(3)), "the copy is the one in use")
    }

    @Test func a_record_that_both_devices_were_given_does_not_tell_whose_word_ended_it() {
        let given = heard(2).dropLast()
        let first = [(1, Sight.backedUp)] + restart + heard(1) + given
        #expect(!judged(first + exchange + given + exchange + heard(2).suffix(1) + heard(3)))
        #expect(judged(first + exchange + heard(4) + exchange + heard(3)))
    }

    @Test func a_device_that_was_not_heard_since_the_copy_may_return() {
        let unheard = [(1, Sight.backedUp)] + restart
        #expect(!judged(unheard + exchange + heard(2) + exchange + heard(3)))
        // It goes on with a ticket that the copy has, too.
        let sameTicket = [(1, Sight.backedUp)] + heard(1)
        #expect(!judged(sameTicket + exchange + heard(2) + exchange + heard(3)))
    }
}
