import CPosix
import Glibc
import Testing
import WatchProto

@testable import WatchTransport

/// Words of a datagram source that find the counterpart's queue full: they wait for room, and the
/// thread can sleep meanwhile.
@Suite struct DatagramRoomTests {
    typealias Bench = DatagramSourceTests.Bench

    /// Whether a thread that sleeps on what the source waits for would wake now; nil when the
    /// source waits for nothing.
    private static func hasRoom(_ source: DatagramSource) -> Bool? {
        guard let descriptor = source.roomDescriptor else { return nil }
        var set = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe watchproto_poll(&set, 1, 0) == 1
    }

    /// The queue is full: waits, is emptied, and says what is expected, once.
    private static func expectWaiting(
        _ bench: Bench, until said: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(hasRoom(bench.source) == false, sourceLocation: sourceLocation)
        #expect(bench.heard() == [], sourceLocation: sourceLocation)
        #expect(hasRoom(bench.source) == true, sourceLocation: sourceLocation)
        bench.open(.signWhileBusy)
        #expect(bench.heard() == said, sourceLocation: sourceLocation)
        #expect(hasRoom(bench.source) == nil, sourceLocation: sourceLocation)
    }

    @Test func a_hail_waits_for_room_and_is_no_failure() throws {
        let bench = try Bench(.connecting)
        try bench.other.fill()
        bench.open(.asked)
        #expect(bench.state == "unlinked")
        bench.open(.asked)
        Self.expectWaiting(bench, until: ["hail"])
        #expect(bench.state == "hailed")
        bench.say(.welcome, link: bench.link)
        #expect(bench.state == "open")
    }

    @Test(arguments: [LinkSide.listening, .connecting])
    func an_end_waits_for_room(_ side: LinkSide) throws {
        let bench = try Bench(side)
        bench.enter("open")
        try bench.other.fill()
        bench.close()
        Self.expectWaiting(bench, until: ["end"])
    }

    @Test func a_hail_says_what_the_end_before_it_would_have() throws {
        let bench = try Bench(.connecting)
        bench.enter("open")
        try bench.other.fill()
        bench.close()
        bench.open(.asked)
        Self.expectWaiting(bench, until: ["hail"])
    }

    @Test func a_call_waits_for_room() throws {
        let bench = try Bench(.listening)
        try bench.other.fill()
        try bench.source.prepare()
        Self.expectWaiting(bench, until: ["call"])
    }

    @Test func what_waits_is_over_when_a_link_opens() throws {
        let bench = try Bench(.listening)
        bench.enter("open")
        try bench.other.fill()
        bench.close()
        let other = bench.link ^ 0xFF
        bench.say(.hail, link: other)
        #expect(bench.state == "open")
        #expect(Self.hasRoom(bench.source) == nil)
        bench.close()
        #expect(bench.heard() == ["end"])
    }

    @Test func a_hail_that_waits_for_one_who_ends_fails() throws {
        let bench = try Bench(.connecting)
        try bench.other.fill()
        bench.open(.asked)
        bench.other.close()
        #expect(Self.hasRoom(bench.source) == true)
        bench.open(.sign)
        #expect(bench.state == "failed")
        #expect(Self.hasRoom(bench.source) == nil)
    }

    /// What lies at the door when a side goes on that has lost its link, or hails for another.
    @Test func packets_of_a_lost_link_are_answered_once_and_not_while_hailing() throws {
        for (side, state, said) in [
            (LinkSide.listening, "unlinked", ["end"]), (.connecting, "unlinked", ["end"]),
            (.connecting, "hailed", []),
        ] {
            let bench = try Bench(side)
            bench.enter(state)
            let lost = bench.link ^ 0xFF
            for _ in 0..<5 {
                bench.other.send(
                    [DatagramDoor.Kind.packet.rawValue]
                        + (0..<4).map { UInt8(truncatingIfNeeded: lost >> (8 * $0)) } + [1])
            }
            bench.open(.sign)
            #expect(bench.heard() == said, "\(side), \(state)")
        }
    }
}
