import Testing

@testable import WatchProtoTransport

/// When a driver's thread looks before it sleeps.
@Suite struct BusyPollTests {
    private static let quick: UInt64 = 300_000
    private static let slow: UInt64 = 300_001

    private func fresh() -> BusyPoll { BusyPoll(limit: .microseconds(150)) }

    @Test func it_sleeps_until_answers_are_quick() {
        var poll = fresh()
        #expect(poll.lookNanoseconds == nil)
        poll.slept(nanoseconds: Self.quick, hasArrival: true)
        #expect(poll.lookNanoseconds == nil)
        poll.slept(nanoseconds: Self.quick, hasArrival: true)
        #expect(poll.lookNanoseconds == 150_000)
    }

    @Test func a_slow_answer_or_none_begins_anew() {
        for (nanoseconds, hasArrival) in [(Self.slow, true), (Self.quick, false)] {
            var poll = fresh()
            poll.slept(nanoseconds: Self.quick, hasArrival: true)
            poll.slept(nanoseconds: nanoseconds, hasArrival: hasArrival)
            poll.slept(nanoseconds: Self.quick, hasArrival: true)
            #expect(poll.lookNanoseconds == nil)
        }
    }

    /// Answers that always come a little later than a look lasts must not cost a look each time.
    @Test func looks_in_vain_become_rare() {
        var poll = fresh()
        var looks = 0
        for _ in 0..<100_000 {
            if poll.lookNanoseconds != nil {
                looks += 1
                poll.looked(hasFound: false)
            }
            poll.slept(nanoseconds: Self.quick, hasArrival: true)
        }
        // After 2, 4, 8 and so on up to 4,096 quick answers, 8,190 in all, one in 4,096.
        #expect(looks == 12 + 22)
    }

    @Test func a_look_that_finds_something_is_followed_by_the_next() {
        var poll = fresh()
        for _ in 0..<2 { poll.slept(nanoseconds: Self.quick, hasArrival: true) }
        for _ in 0..<10 {
            #expect(poll.lookNanoseconds != nil)
            poll.looked(hasFound: true)
        }
        poll.looked(hasFound: false)
        #expect(poll.lookNanoseconds == nil)
    }

    @Test func with_no_time_to_look_it_never_does() {
        var poll = BusyPoll(limit: .zero)
        for _ in 0..<100 { poll.slept(nanoseconds: 0, hasArrival: true) }
        #expect(poll.lookNanoseconds == nil)
    }
}
