import Testing
import WatchProtoCore

@testable import ReferenceDevice

@Suite struct DroppedPacketsTests {
    private static func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func the_first_and_every_doubling_are_told_and_the_rest_at_the_end() {
        var dropped = DroppedPackets(since: Self.at(1000))
        func line(_ count: UInt64, _ isLast: Bool = false, at milliseconds: UInt64) -> String? {
            dropped.line(count, link: "unix:w.sock", isLast: isLast, at: Self.at(milliseconds))
        }
        let rest = ", not authentic or of another session, since 21.3 s (link unix:w.sock)"
        #expect(line(0, at: 1500) == nil)
        #expect(line(1, at: 22_340) == "1 packet dropped\(rest); the session continues")
        #expect(line(1, at: 23_000) == nil)
        #expect(line(3, at: 24_000) == "3 packets dropped\(rest); the session continues")
        #expect(line(5, at: 25_000) == nil)
        #expect(line(6, at: 25_000) != nil)
        #expect(line(7, true, at: 26_000) == "7 packets dropped\(rest)")
        // A session of another device counts anew.
        #expect(line(0, at: 27_000) == nil)
        #expect(line(1, at: 28_000)?.hasPrefix("1 packet dropped") == true)
    }
}
