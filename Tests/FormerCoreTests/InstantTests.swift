import Testing
import WatchProto

@Suite struct InstantTests {
    @Test func moments_stop_at_the_ends_of_the_range() {
        #expect(Instant(nanoseconds: 5).advanced(by: .nanoseconds(-6)) == .zero)
        #expect(Instant.distantFuture.advanced(by: .seconds(1)) == .distantFuture)
        #expect(Instant.zero.advanced(by: .milliseconds(3)).nanoseconds == 3_000_000)
    }

    @Test func a_wait_between_moments_has_a_sign() {
        let early = Instant(nanoseconds: 10)
        let late = Instant(nanoseconds: 1_000_000_010)
        #expect(early.duration(to: late) == .seconds(1))
        #expect(late.duration(to: early) == .seconds(-1))
    }
}
